// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Puts small texts where others read them. */
public final class PutText {

    private PutText() {
    }

    /**
     * Makes a file, or puts another in its place in one step: readers see the old text or the new one. Everybody may read it. A link
     * under its name is replaced, not followed; it is not forced to the disk.
     */
    public static void file(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".ic2-new");
        try {
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(fresh, text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e, e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file with a secret, such as a token or a password. Who may read it may use it, who may write it may give it away. */
public final class SecretFile {

    private static final int LONGEST = 4096;
    private static final Set<PosixFilePermission> NOT_FOR = Set.of(PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private SecretFile() {
    }

    /**
     * The secret: what is in the file, without white space around it.
     *
     * @throws IOException when there is none, or when others than its owner and readers of its group could know or
     *                     change it: says what to do, and nothing of what is in it
     */
    public static String read(Path file) throws IOException {
        String secret;
        try {
            secret = BoundedText.file(file, LONGEST, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IOException("cannot be read: " + e.getMessage(), e);
        }
        requirePrivate(file);
        if (secret.isEmpty()) {
            throw new IOException(file + " is empty; expected the secret, such as a long random text");
        }
        return secret;
    }

    /**
     * Refuses a file that others than its owner and readers of its group could know or change.
     *
     * @throws IOException that says what to do
     */
    public static void requirePrivate(Path file) throws IOException {
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
        if (mode.stream().anyMatch(NOT_FOR::contains)) {
            throw new IOException(file + " has mode " + PosixFilePermissions.toString(mode)
                    + ", so others may read or change it: chmod o-rw,g-w " + file);
        }
    }
}

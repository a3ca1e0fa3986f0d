// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.ic2.runtime.host.BoundedText;

/** The file with the token that a request to change something must carry. Who may read it may use it, who may write it may give it away. */
public final class TokenFile {

    private static final int LONGEST = 4096;
    private static final Set<PosixFilePermission> NOT_FOR = Set.of(PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private TokenFile() {
    }

    /**
     * The token.
     *
     * @throws IOException when there is none, or when others than its owner and readers of its group could know or
     *                     change it: says what to do
     */
    public static String read(Path file) throws IOException {
        String token;
        Set<PosixFilePermission> mode;
        try {
            token = BoundedText.file(file, LONGEST, StandardCharsets.UTF_8).strip();
            mode = Files.getPosixFilePermissions(file);
        } catch (IOException e) {
            throw new IOException("cannot be read: " + e.getMessage(), e);
        }
        if (token.isEmpty()) {
            throw new IOException(file + " is empty; write a long random text into it");
        }
        if (mode.stream().anyMatch(NOT_FOR::contains)) {
            throw new IOException(file + " has mode " + PosixFilePermissions.toString(mode)
                    + ", so others may read or change it: chmod o-rw,g-w " + file);
        }
        return token;
    }
}

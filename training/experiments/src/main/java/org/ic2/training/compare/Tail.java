// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads what is added to a file. */
final class Tail {
    private final Path file;
    private long position;

    /** Begins at the file's start. */
    Tail(Path file) {
        this.file = file;
    }

    /** The whole lines since the last call; none if the file is not there or cannot be read now. */
    List<String> lines() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            in.seek(position);
            byte[] bytes = new byte[(int) Math.max(0, in.length() - position)];
            in.readFully(bytes);
            String text = new String(bytes, StandardCharsets.UTF_8);
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            position += whole.getBytes(StandardCharsets.UTF_8).length;
            return whole.lines().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}

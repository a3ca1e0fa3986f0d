// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads what is added to a file. */
final class Tail {
    private final Path file;
    private long position;
    private final Deque<String> waiting = new ArrayDeque<>();

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

    /**
     * The same up to a time; what is later waits for another call. A line without a time comes at once.
     *
     * @param time of a line
     */
    List<String> lines(Function<String, Optional<Instant>> time, Instant until) {
        waiting.addAll(lines());
        List<String> due = new ArrayList<>();
        while (!waiting.isEmpty() && time.apply(waiting.peek()).filter(at -> at.isAfter(until)).isEmpty()) {
            due.add(waiting.pop());
        }
        return due;
    }
}

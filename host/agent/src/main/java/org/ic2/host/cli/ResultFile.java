// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.ic2.runtime.host.LocalHost;

/** What a command found, in a file of the user's: written beside, synced and renamed, so that an old one is whole until the new one is. */
public final class ResultFile {

    private ResultFile() {
    }

    /**
     * Makes the file, or puts the text in its place: owner and permissions stay, and a link is followed. Into a pipe or a device the
     * text is simply written. An interrupt waits.
     *
     * @throws IOException when it cannot be written; then the file is as it was
     */
    public static void write(Path file, String text) throws IOException {
        boolean interrupted = Thread.interrupted();     // it would close what is written to
        try {
            put(file, text);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void put(Path file, String text) throws IOException {
        boolean there = Files.exists(file);
        if (there && !Files.isRegularFile(file)) {
            Files.writeString(file, text, StandardCharsets.UTF_8);
            return;
        }
        if (!there) {
            Files.write(file, new byte[0]);
        }
        try {
            new LocalHost().replace(file.toString(), text);
        } catch (IOException e) {
            if (!there) {
                Files.deleteIfExists(file);
            }
            throw e;
        }
        try (FileChannel directory = FileChannel.open(file.toRealPath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}

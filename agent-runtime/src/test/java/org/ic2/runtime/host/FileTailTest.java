// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FileTailTest {

    @TempDir
    private Path folder;
    private Path log;

    @BeforeEach
    void name() {
        log = folder.resolve("access.log");
    }

    private void add(String text) throws IOException {
        Files.writeString(log, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static List<String> drain(FileTail tail) throws IOException, InterruptedException {
        return tail.drain(Duration.ZERO);
    }

    @Test
    void beginsAtThePresentEnd() throws IOException, InterruptedException {
        add("old\n");
        try (FileTail tail = new FileTail(log)) {
            assertThat(drain(tail)).isEmpty();
            add("new\nha");
            assertThat(drain(tail)).containsExactly("new");
            add("lf\n");
            assertThat(drain(tail)).containsExactly("half");
        }
    }

    @Test
    void theLineThatIsBeingWrittenAtTheBeginIsReadAsAWhole() throws IOException, InterruptedException {
        add("old\nbe");
        try (FileTail tail = new FileTail(log)) {
            assertThat(drain(tail)).isEmpty();
            add("gun\nnext\n");
            assertThat(drain(tail)).containsExactly("begun", "next");
        }
    }

    @Test
    void aFileThatComesLaterIsReadFromItsStart() throws IOException, InterruptedException {
        try (FileTail tail = new FileTail(log)) {
            assertThatThrownBy(() -> drain(tail)).isInstanceOf(IOException.class).hasMessageContaining("no file " + log);
            add("first\n");
            assertThat(drain(tail)).containsExactly("first");
        }
    }

    @Test
    void waitsForTheFirstLine() throws IOException, InterruptedException {
        add("");
        try (FileTail tail = new FileTail(log)) {
            Thread writer = new Thread(() -> {
                try {
                    add("late\n");
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            writer.start();
            assertThat(tail.drain(Duration.ofSeconds(20))).containsExactly("late");
            writer.join();
        }
    }

    @Test
    void aRotatedFileIsReadToItsEndBeforeTheNewOne() throws IOException, InterruptedException {
        add("");
        try (FileTail tail = new FileTail(log)) {
            Path rotated = folder.resolve("access.log.1");
            Files.move(log, rotated);
            Files.writeString(rotated, "while it is away\n", StandardOpenOption.APPEND);
            assertThat(drain(tail)).containsExactly("while it is away");
            Files.writeString(rotated, "last of the old\ncut sh", StandardOpenOption.APPEND);
            add("first of the new\n");
            assertThat(drain(tail)).containsExactly("last of the old", "first of the new");
        }
    }

    @Test
    void aTruncatedFileIsReadFromItsStart() throws IOException, InterruptedException {
        add("old line that is long\n");
        try (FileTail tail = new FileTail(log)) {
            add("unfinished");
            assertThat(drain(tail)).isEmpty();
            Files.writeString(log, "new\n", StandardOpenOption.TRUNCATE_EXISTING);
            assertThat(drain(tail)).containsExactly("new");
        }
    }

    @Test
    @Timeout(60)
    void aFifoOrADirectoryIsRefusedAtOnceAndTheFileThatTakesItsPlaceIsRead() throws Exception {
        new ProcessBuilder("mkfifo", log.toString()).start().waitFor();
        try (FileTail tail = new FileTail(log)) {
            assertThatThrownBy(() -> drain(tail)).isInstanceOf(IOException.class)
                    .hasMessageContaining("expected a regular file at " + log + ", got a FIFO");
            Files.delete(log);
            Files.createDirectory(log);
            assertThatThrownBy(() -> drain(tail)).hasMessageContaining("a directory");
            Files.delete(log);
            add("first\n");
            assertThat(drain(tail)).containsExactly("first");
            Files.delete(log);
            new ProcessBuilder("mkfifo", log.toString()).start().waitFor();
            assertThatThrownBy(() -> drain(tail)).as("by rotation").hasMessageContaining("a FIFO");
        }
    }

    @Test
    void afterAStallOnlyTheEndOfAFloodIsRead() throws IOException, InterruptedException {
        add("");
        try (FileTail tail = new FileTail(log)) {
            String line = "x".repeat(99) + "\n";
            int lines = (int) (FileTail.MOST_BYTES_BEHIND / line.length()) * 3;
            add(line.repeat(lines) + "end\n");
            List<String> read = drain(tail);
            assertThat(read.size()).isBetween(lines / 4, lines / 2);
            assertThat(read.get(read.size() - 1)).isEqualTo("end");
            add("next\n");
            assertThat(drain(tail)).containsExactly("next");
        }
    }

    @Test
    void noLineIsLostOrReadTwiceOverManyRotations() throws IOException, InterruptedException {
        Random random = new Random(5);
        List<String> written = new ArrayList<>();
        List<String> read = new ArrayList<>();
        add("");
        try (FileTail tail = new FileTail(log)) {
            for (int step = 0; step < 300; step++) {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        read.addAll(drain(tail));
                        Files.move(log, folder.resolve("old." + step));
                        add("");
                    }
                    case 1 -> read.addAll(drain(tail));
                    default -> {
                        written.add("line " + step);
                        String text = "line " + step + "\n";
                        int cut = random.nextInt(text.length());
                        add(text.substring(0, cut));
                        read.addAll(drain(tail));
                        add(text.substring(cut));
                    }
                }
            }
            read.addAll(drain(tail));
        }
        assertThat(read).isEqualTo(written);
    }
}

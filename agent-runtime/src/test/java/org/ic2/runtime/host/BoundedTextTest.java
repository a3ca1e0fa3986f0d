// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** No file, whatever it is and however long, is read for ever or into too much memory. */
class BoundedTextTest {

    private static String read(Path path, int most) throws IOException {
        return BoundedText.file(path, most, StandardCharsets.UTF_8);
    }

    @Test
    void readsAWholeFileOrSaysThatItIsTooLong(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "b\u00e4r\n");
        assertThat(read(file, 5)).isEqualTo("b\u00e4r\n");
        Files.writeString(file, "x".repeat(4097));
        assertThatThrownBy(() -> read(file, 4096)).isInstanceOf(IOException.class)
                .hasMessage(file + " is longer than 4 KB");
        Files.write(file, new byte[] {(byte) 0xff});
        assertThatThrownBy(() -> read(file, 4096)).as("no text").isInstanceOf(IOException.class);
        assertThat(read(Path.of("/proc/self/stat"), 4096)).as("whose size is 0").isNotEmpty();
    }

    @Test
    @Timeout(60)
    void irregularFilesAreRefusedBeforeTheyAreOpened(@TempDir Path folder) throws Exception {
        Path fifo = folder.resolve("fifo");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        for (Path path : new Path[] {fifo, folder, Path.of("/dev/zero")}) {
            assertThatThrownBy(() -> read(path, 4096)).isInstanceOf(IOException.class)
                    .hasMessageContaining("expected a regular file at " + path);
            assertThatThrownBy(() -> new LocalHost().head(path.toString(), 1)).hasMessageContaining("regular file");
        }
    }

    @Test
    void linesAreBounded() throws IOException {
        assertThat(BoundedText.lines("a\r\n\nb", "page")).containsExactly("a", "", "b");
        assertThat(BoundedText.lines("", "page")).isEmpty();
        assertThat(BoundedText.lines("\n".repeat(BoundedText.MOST_PARTS), "page")).hasSize(BoundedText.MOST_PARTS);
        assertThatThrownBy(() -> BoundedText.lines("\n".repeat(BoundedText.MOST_PARTS + 1), "page"))
                .isInstanceOf(IOException.class).hasMessageContaining("page has more than");
    }
}

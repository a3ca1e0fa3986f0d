// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PagesTest {
    @TempDir
    private Path folder;

    private Pages read(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("pages.csv"), text);
        return Pages.read(file, 1.1, 3);
    }

    @Test
    void theFirstAreAskedForMost() throws IOException {
        StringBuilder text = new StringBuilder("/,\n");
        for (int i = 1; i < 130; i++) {
            text.append("/post-").append(i).append("/,").append(i).append('\n');
        }
        Pages pages = read(text.toString());
        Random random = new Random(1);
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            counts.merge(pages.popular(random).path(), 1, Integer::sum);
        }
        assertThat(counts.get("/")).isGreaterThan(5 * counts.get("/post-60/"));
        assertThat(counts).hasSize(130);
        assertThat(pages.anyPost(random).post()).isPositive();
    }

    @Test
    void garbageIsRefusedWithFileAndLine() throws IOException {
        for (String line : new String[] {"", "post,1", "/ a,1", "/,x", "/", "/a,1,2", "/\u00e4,1", "/a,1234567890"}) {
            assertThatThrownBy(() -> read("/,\n/a/,1\n" + line + "\n")).as(line).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("pages.csv:3: expected PATH,ID");
        }
        assertThatThrownBy(() -> read("/,\n")).hasMessageContaining("expected at least one post");
        assertThatThrownBy(() -> Pages.read(folder.resolve("none.csv"), 1.1, 3)).hasMessageContaining("none.csv");
    }
}

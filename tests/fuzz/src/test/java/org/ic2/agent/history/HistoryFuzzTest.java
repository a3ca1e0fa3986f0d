// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Terms;

/** The history's file: with any content, the agent starts, keeps what it measures, and what it shows is in order. */
class HistoryFuzzTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_763_632_800);

    @FuzzTest
    void file(byte[] bytes) throws IOException {
        Path directory = Files.createTempDirectory("history");
        Path file = directory.resolve("history");
        try {
            Files.write(file, bytes);
            try (History history = new History(directory.resolve("journal.jsonl"), Terms.shipped(), () -> NOW)) {
                history.add(new HistoryMoment(Sample.at(NOW.minusSeconds(20)).set(Metric.STEAL, 0.5).build(), Map.of(), Medians.none(), 0.5, "I2", 1));
            }
            try (History history = new History(directory.resolve("journal.jsonl"), Terms.shipped(), () -> NOW)) {
                List<HistoryPoint> points = new ArrayList<>();
                history.range(NOW.minusSeconds(3600), NOW).forEach(points::add);
                assertThat(points)
                        .isSortedAccordingTo((a, b) -> Long.compare(a.time(), b.time()))
                        .anySatisfy(point -> assertThat(point.state()).isEqualTo("I2"));
                assertThat(Files.size(file)).isLessThan(2_000_000);
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        }
    }
}

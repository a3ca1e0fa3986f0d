// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A window is measured as a whole: no second counts more than the operations that it completed, and no time is lost. */
class WindowFiguresTest {
    private static final int USERS = 100;
    private static final double THINK = 1;

    @TempDir
    private Path folder;
    private final StringBuilder lines = new StringBuilder("time,elapsed,phase,users,throughput,response_time,pending_users,"
            + "interactive_response_time\n");
    private double elapsed;
    private double completions;

    @BeforeEach
    void nothingIsWrittenYet() {
        lines.setLength(lines.indexOf("\n") + 1);
        elapsed = 0;
        completions = 0;
    }

    /** An interval in which so many operations were completed, after each of which its user thought for a second. */
    private void interval(double seconds, int done, int pending) {
        elapsed += seconds;
        completions += done;
        String waited = done == 0 ? "" : String.format(Locale.ROOT, "%.6f", (USERS * seconds - THINK * done) / done);
        lines.append(String.format(Locale.ROOT, "%.3f,%.3f,steady,%d,%.3f,%s,%d,%s%n", 1000 + elapsed, elapsed, USERS, done / seconds,
                done == 0 ? "" : "0.100000", pending, waited));
    }

    private Map<String, Double> figures(double from, double to) throws IOException {
        Path file = folder.resolve(Intervals.FILE);
        Files.writeString(file, lines);
        return WindowFigures.client(Intervals.read(file), Instant.ofEpochMilli(Math.round(1000 * (1000 + from))),
                Instant.ofEpochMilli(Math.round(1000 * (1000 + to))));
    }

    @Test
    void aSecondWithTwoCompletionsCountsAsTwoOperations() throws IOException {
        interval(1, 2, 98);
        interval(1, 98, 1);
        Map<String, Double> figures = figures(0, 2);
        assertThat(figures.get("throughput")).isCloseTo(50, within(1e-3));
        assertThat(figures.get("interactive_response_time")).as("N/X - Z; the mean of the two seconds is 24.5 s")
                .isCloseTo(USERS / 50.0 - THINK, within(1e-3));
    }

    @Test
    void aSecondWithoutACompletionIsTimeInWhichUsersWaited() throws IOException {
        interval(1, 50, 100);
        interval(1, 0, 100);
        interval(1, 50, 50);
        Map<String, Double> figures = figures(0, 3);
        assertThat(figures.get("throughput")).isCloseTo(100 / 3.0, within(1e-3));
        assertThat(figures.get("interactive_response_time")).isCloseTo(3 * USERS / 100.0 - THINK, within(1e-3));
        assertThat(figures.get("response_time")).isCloseTo(0.1, within(1e-9));
    }

    @Test
    void timeWithoutALineCounts() throws IOException {
        interval(1, 80, 20);
        interval(6, 20, 95);     // the load itself got no CPU: one line in place of six
        interval(1, 80, 20);
        interval(1, 1000, 0);
        Map<String, Double> figures = figures(0, 8);
        assertThat(figures.get("throughput")).as("the mean of the three lines is 54.4/s").isCloseTo(180 / 8.0, within(1e-3));
        assertThat(figures.get("interactive_response_time")).isCloseTo(USERS * 8 / 180.0 - THINK, within(1e-3));
    }

    @Test
    void anIntervalIsInTheWindowThatHoldsItsMiddle() throws IOException {
        interval(4, 40, 0);
        interval(6, 600, 0);
        interval(2, 20, 0);
        assertThat(figures(4.5, 12).get("throughput")).isCloseTo(620 / 8.0, within(1e-3));
        assertThat(figures(0, 4.5).get("throughput")).isCloseTo(10, within(1e-3));
    }

    @Test
    void aWindowIsWhatItsPartsAre() throws IOException {
        for (int i = 1; i <= 10; i++) {
            interval(1, 10 * i, 5);
        }
        double whole = figures(0, 10).get("interactive_response_time") * completions;
        double parts = figures(0, 3).get("interactive_response_time") * 60 + figures(3, 10).get("interactive_response_time") * 490;
        assertThat(whole).isCloseTo(parts, within(1e-2));
    }

    @Test
    void aWindowWithoutALineHasNoFigures() throws IOException {
        interval(1, 10, 0);
        assertThat(figures(5, 6).get("throughput")).isNaN();
        assertThat(figures(5, 6).get("interactive_response_time")).isNaN();
        assertThat(WindowFigures.client(List.of()).get("response_time")).isNaN();
    }
}

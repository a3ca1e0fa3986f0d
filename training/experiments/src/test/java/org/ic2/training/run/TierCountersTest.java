// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierCountersTest {
    @TempDir
    private Path group;

    @Test
    void cpuUseAndFullStallAreReadInSeconds() throws IOException {
        Files.writeString(group.resolve("cpu.stat"), "usage_usec 2500000\nuser_usec 1\n");
        Files.writeString(group.resolve("cpu.pressure"), "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n"
                + "full avg10=0.00 avg60=0.00 avg300=0.00 total=1250000\n");
        assertThat(CounterFiles.used(Optional.of(group))).hasValue(2.5);
        assertThat(CounterFiles.stalled(Optional.of(group))).hasValue(1.25);
    }

    @Test
    void missingCountersHaveNoValue() {
        assertThat(CounterFiles.used(Optional.empty())).isEmpty();
        assertThat(CounterFiles.stalled(Optional.empty())).isEmpty();
        assertThat(CounterFiles.used(Optional.of(group))).isEmpty();
        assertThat(CounterFiles.stalled(Optional.of(group))).isEmpty();
    }

    @Test
    void aReadingComesBackAsItWasWrittenWithItsGaps() throws IOException {
        TierCounters whole = new TierCounters(1000.5, 1.25, 2, 0.5, 30, 0.25);
        TierCounters gaps = new TierCounters(1001.5, Double.NaN, Double.NaN, Double.NaN, 31, 0.5);
        Path file = Files.writeString(group.resolve("counters.csv"), TierCounters.HEADER + "\n" + whole.line() + "\n" + gaps.line() + "\n10");
        assertThat(TierCounters.read(file)).containsExactly(whole, gaps);
    }
}

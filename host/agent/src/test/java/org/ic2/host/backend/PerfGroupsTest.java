// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What perf 6.1 prints with -x and -I; the lines were printed by it, but for the counts. */
class PerfGroupsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String COMMAND = "perf stat -x ; -I 1000 -a -e irq:softirq_entry --filter vec==3 --for-each-cgroup ";

    @TempDir
    Path directory;
    private PlayedHost host;
    private PerfGroups perf;
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        perf = new PerfGroups(host, List.of("-e", "irq:softirq_entry", "--filter", "vec==3"), nanos::get);
    }

    private void prints(String... lines) {
        if (lines.length > 0) {
            host.prints(List.of(lines));
        }
        host.prints(List.of());
    }

    @Test
    void eachGroupsCountsAreAddedOverTheIntervals() throws Exception {
        prints("     1.000349710;<not counted>;;irq:softirq_entry;m/a;0;100.00;;", "     1.000349710;7;;irq:softirq_entry;m/b;2702987517;100.00;;",
                "     2.000749710;5;;irq:softirq_entry;m/a;12;100.00;;", "     2.000749710;8;;irq:softirq_entry;m/b;2702987517;100.00;;");
        assertThat(perf.counts(List.of("m/b", "m/a"))).containsEntry("m/a", new PerfGroups.Count(5, 2.00074971))
                .containsEntry("m/b", new PerfGroups.Count(15, 2.00074971));
        prints();
        assertThat(perf.counts(List.of("m/a", "m/b")).get("m/a").seconds()).as("nothing new").isZero();
        prints("     3.000749710;9;;irq:softirq_entry;m/a;12;100.00;;");
        assertThat(perf.counts(List.of("m/a", "m/b")).get("m/a")).isEqualTo(new PerfGroups.Count(9, 1.0));
        assertThat(host.asked()).containsExactly(COMMAND + "m/a,m/b");
    }

    @Test
    void otherGroupsAreCountedByAnotherPerf() throws Exception {
        prints("     1.000000000;5;;irq:softirq_entry;m/a;12;100.00;;");
        perf.counts(List.of("m/a"));
        prints();
        perf.counts(List.of("m/a", "m/b"));
        assertThat(host.asked()).containsExactly(COMMAND + "m/a", COMMAND + "m/a,m/b");
        assertThat(perf.counts(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"event syntax error: 'offcore_requests_buffer.sq_full'", "no access to cgroup /sys/fs/cgroup/unified/nix",
        "     1.000000000;<not supported>;;cycles;m/a;0;100.00;;", "     1.000000000;many;;cycles;m/a;0;100.00;;",
        "     1.000000000;5;;cycles;m/other;0;100.00;;", "sh: 1: perf: not found", "\u0000\u0001"})
    void whatItSaysInsteadIsSaidOnceAndItRests(String line) throws Exception {
        host.prints(List.of(line));
        assertThatThrownBy(() -> perf.counts(List.of("m/a"))).isInstanceOf(IOException.class).hasMessageStartingWith("perf: ");
        assertThatThrownBy(() -> perf.counts(List.of("m/a"))).isInstanceOf(IOException.class);
        assertThat(host.asked()).hasSize(1);
        nanos.addAndGet(61 * SECOND);
        prints("     1.000000000;5;;cycles;m/a;12;100.00;;");
        assertThat(perf.counts(List.of("m/a")).get("m/a").count()).isEqualTo(5);
    }

    @Test
    void namesThatPerfWouldMistakeAreNotForIt() {
        assertThat(PerfGroups.canName("machine.slice/a b")).isTrue();
        assertThat(PerfGroups.canName("machine.slice/a,b")).isFalse();
        assertThat(PerfGroups.canName("machine.slice/a;b")).isFalse();
    }
}

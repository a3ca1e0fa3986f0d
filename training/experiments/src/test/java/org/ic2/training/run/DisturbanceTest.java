// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(600)
class DisturbanceTest {
    private static final Instant START = Instant.ofEpochSecond(1000);

    @TempDir
    private Path folder;

    /** Ten seconds of two CPUs. */
    private static List<MachineUse> uses(double idle, double busy, double steal, double own) {
        return List.of(new MachineUse(1000, MachineUse.RUN, 5, 7, 1, 3, 2), new MachineUse(1010, MachineUse.RUN, 5 + idle, 7 + busy, 1 + steal,
                3 + own, 4));
    }

    private static List<Intervals> lag(double seconds) {
        return List.of(new Intervals(1005, "steady", Map.of("generator_lag", seconds), Optional.empty()));
    }

    @Test
    void cpuOfOtherProgramsAndStealWentElsewhere() {
        Disturbance what = Disturbance.of(uses(10, 8, 2, 5), lag(0.04), START, START.plusSeconds(10));
        assertThat(what.others()).isCloseTo(0.15, within(1e-9));
        assertThat(what.steal()).isCloseTo(0.10, within(1e-9));
        assertThat(what.elsewhere()).isCloseTo(0.25, within(1e-9));
        assertThat(what.runnable()).isEqualTo(3);
        assertThat(what.lag()).isEqualTo(0.04);
        assertThat(what.text()).isEqualTo("25 % of the CPU went elsewhere (other programs 15 %, steal 10 %)");
    }

    @ParameterizedTest
    @CsvSource({"0.09, 0.00, 0.4, false", "0.11, 0.00, 0.0, true", "0.06, 0.05, 0.0, true", "0.00, 0.00, 0.6, true"})
    void theRuleIsATenthOfTheCpuOrALateLoad(double others, double steal, double lag, boolean disturbed) {
        Disturbance what = Disturbance.of(uses(20 * (1 - others - steal), 20 * others, 20 * steal, 0), lag(lag), START, START.plusSeconds(10));
        assertThat(what.disturbed()).isEqualTo(disturbed);
        assertThat(what.text().contains("the load was up to")).isEqualTo(lag > 0.5);
    }

    @Test
    void stealIsKnownWithoutControlGroups() {
        Disturbance what = Disturbance.of(uses(10, 8, 2, Double.NaN), List.of(), START, START.plusSeconds(10));
        assertThat(what.elsewhere()).isCloseTo(0.10, within(1e-9));
        assertThat(what.text()).contains("other programs unknown, steal 10 %");
        assertThat(Disturbance.of(List.of(), List.of(), START, START.plusSeconds(10)).disturbed()).isFalse();
    }

    /** Its own process is the testbed's; one that somebody else started is not. */
    @Test
    void theMeterTellsTheCpuOfOthersFromItsOwn() throws Exception {
        Process idler = new ProcessBuilder("sleep", "600").start();
        try {
            MachineMeter meter = new MachineMeter(folder.resolve(MachineUse.FILE), counting(idler.pid()));
            MachineUse first = meter.read(Instant.now(), MachineUse.RUN);
            long until = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            long spun = 0;
            while (System.nanoTime() < until) {
                spun++;
            }
            MachineUse last = meter.read(Instant.now(), MachineUse.RUN);
            assertThat(spun).isPositive();
            assertThat(last.own() - first.own()).as("CPU seconds of this very program").isBetween(0.02, last.busy() - first.busy() + 0.1);
            assertThat(last.idle() + last.busy() + last.steal()).isGreaterThan(first.idle() + first.busy() + first.steal());
            assertThat(last.runnable()).isPositive();
            assertThat(MachineUse.read(folder.resolve(MachineUse.FILE))).hasSize(2).extracting(MachineUse::phase).containsOnly("run");
        } finally {
            idler.destroy();
        }
    }

    /** A testbed whose groups are counted, although nobody is in them. */
    private Testbed counting(long database) throws Exception {
        Testbed fake = new FakeTestbed(folder.resolve("home")).testbed();
        ObjectNode state = fake.state().deepCopy();
        state.putObject("processes").putObject("database").put("pid", database);
        for (String role : List.of("web", "neighbour")) {
            Path group = Files.createDirectories(folder.resolve(role));
            Files.writeString(group.resolve("cpu.stat"), "usage_usec 0\n");
            state.withObject("/cgroups/" + role).put("usage", group.toString());
        }
        return new Testbed(fake.home(), fake.folder(), state);
    }

    @Test
    void aQuietMachineIsLookedAtOnceAndABusyOneWaitedForWithinItsBound() throws Exception {
        List<String> told = new ArrayList<>();
        MachineMeter meter = new MachineMeter(folder.resolve(MachineUse.FILE), new FakeTestbed(folder.resolve("home")).testbed());
        long begun = System.nanoTime();
        new QuieterMinute(Duration.ofSeconds(9), told::add).await(meter, InstantSource.system());
        double seconds = (System.nanoTime() - begun) / 1e9;
        List<MachineUse> lines = MachineUse.read(folder.resolve(MachineUse.FILE));
        assertThat(lines).hasSizeGreaterThanOrEqualTo(2).extracting(MachineUse::phase).containsOnly(MachineUse.BEFORE);
        // steal alone is known of a fake one: it waits if this very machine has much of it, and then for so long at most
        assertThat(seconds).isGreaterThanOrEqualTo(5);
        assertThat(told).allMatch(line -> line.startsWith("waiting for a quieter minute, ") && line.contains(" of at most 9 s; ") && line.endsWith(" % of the CPU go elsewhere"));
    }
}

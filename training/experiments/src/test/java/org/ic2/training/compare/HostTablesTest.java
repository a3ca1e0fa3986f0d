// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.training.Generated;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.HostLever;
import org.ic2.training.run.HostSide;
import org.ic2.training.run.RunPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Host and tenant together: the plan, and what the report says of runs whose figures are known. */
class HostTablesTest {
    private static final List<Arm> ARMS = List.of(Arm.OFF, Arm.TUNED, Arm.HOST_CAPS, Arm.BOTH_CAPS, Arm.HOST_PINS, Arm.BOTH_PINS);

    @TempDir
    private Path folder;

    private static ComparePlan plan(TestSubject subject) {
        return plan(ARMS, subject);
    }

    private static ComparePlan plan(List<Arm> arms, TestSubject subject) {
        ComparePlan usual = Stored.plan("off,ladder", 1);
        return new ComparePlan(arms, usual.neighbours(), subject.layout().equals("apart") ? "other-core" : "same-core", 1, usual.length(), usual.on(),
                usual.off(), usual.firstHalf(), usual.settle(), usual.users(), usual.seed(), usual.agents(), subject);
    }

    @Test
    void inTheArmsOfTheHostItsAgentRunsAndTheTenantsTellsIt() {
        List<RunPlan> runs = plan(TestSubject.USUAL).runs();
        assertThat(runs).extracting(RunPlan::id).containsExactlyInAnyOrder("r1-llcprobe-off", "r1-llcprobe-tuned", "r1-llcprobe-host-caps", "r1-llcprobe-host-caps-ladder",
                "r1-llcprobe-host-pins", "r1-llcprobe-host-pins-ladder");
        for (RunPlan run : runs) {
            assertThat(run.host()).isEqualTo(run.id().contains("-host-pins") ? Optional.of(HostLever.PINS)
                    : run.id().contains("-host-caps") ? Optional.of(HostLever.CAPS) : Optional.empty());
            assertThat(run.agent().role()).isEqualTo(run.id().endsWith("-off") ? AgentArm.Role.OFF
                    : run.id().matches(".*-host-(caps|pins)") ? AgentArm.Role.OBSERVES : AgentArm.Role.ACTS);
        }
        assertThat(runs).extracting(RunPlan::seed).containsOnly(1L);
    }

    @Test
    void tierAndNeighbourMustShareACpu() {
        assertThatThrownBy(() -> plan(new TestSubject("olio", "public", "patched", "apart"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--host: expected tier and neighbour on one CPU");
    }

    private void host(Arm arm, String knob, int... values) throws Exception {
        Path file = folder.resolve(new PlannedRun(1, "llcprobe", arm).id()).resolve(HostSide.RECORDING);
        if (!Files.isDirectory(file.getParent())) {
            return;
        }
        Duration begin = Duration.ofHours(10L + arm.ordinal());
        StringBuilder lines = new StringBuilder("{\"v\":1,\"pools\":[]}\n");
        for (int i = 0; i < values.length; i++) {
            lines.append("{\"time\":\"").append(Generated.START.plus(begin).plusSeconds(3L * i + 1)).append("\",\"knobs\":[{\"kind\":\"")
                    .append(knob).append("\",\"uuid\":\"u\",\"name\":\"neighbour\",\"value\":").append(values[i]).append("}]}\n");
        }
        Files.writeString(file, lines + "{\"time\":\"2026");
    }

    /** Both together are as good as the tenant alone with caps; with pins they are worse than the host alone. */
    private String report(int... together) throws Exception {
        return report(ARMS, together);
    }

    private String report(List<Arm> arms, int... together) throws Exception {
        Stored stored = Stored.of(folder, plan(arms, TestSubject.USUAL));
        for (Arm arm : arms) {
            boolean mends = arm.on() && arm != Arm.BOTH_PINS || arm == Arm.HOST_PINS;
            stored.arm(arm, new Stored.Behaviour(mends ? Stored.Level.MENDED : Stored.Level.UNDER_INTERFERENCE, arm.on() ? 3 : 0));
        }
        host(Arm.HOST_CAPS, "cap", 0, 500, 300, 500);
        host(Arm.BOTH_CAPS, "cap", together);
        host(Arm.HOST_PINS, "cpuset", 2, 1, 1);
        host(Arm.BOTH_PINS, "cpuset", 2, 1, 1);
        new Compare(folder).report();
        return TextFiles.lines(folder.resolve("summary.md")).stream().collect(Collectors.joining("\n"));
    }

    @Test
    void reportSaysThatHostAndTenantDoNotFight() throws Exception {
        String text = report(0, 500, 300, 500);
        assertThat(text).contains("| caps | host: neighbour's cap | - | 0.5 | 0.5 | holds |");
        assertThat(text).containsPattern("\\| caps \\| tenant: mitigation \\| 1\\.5 \\| - \\| 1\\.5 \\| holds \\|");
        assertThat(text).contains("| pins | host: neighbour's cpuset | - | 0.0 | 0.0 | holds |");
        assertThat(text.lines().filter(line -> line.contains("| llcprobe | rest | N/X - Z | "))).satisfiesExactly(
                caps -> assertThat(caps).contains(" | caps | ").endsWith(" | holds |"),
                pins -> assertThat(pins).contains(" | pins | ").endsWith(" | does not hold |"));
        assertThat(TextFiles.lines(folder.resolve("host.csv"))).contains("host-caps,host: neighbour's cap,0.500", "host-pins,host: neighbour's cpuset,0.000");
        assertThat(Files.readString(folder.resolve("report.html"))).contains("Do host and tenant fight?");
    }

    @Test
    void reportSaysThatHostAndTenantFight() throws Exception {
        assertThat(report(0, 500, 300, 500, 300, 500, 300)).contains("| caps | host: neighbour's cap | - | 0.5 | 2.0 | does not hold |");
    }

    @Test
    void withoutArmsAloneTheReportDoesNotJudge() throws Exception {
        String text = report(List.of(Arm.OFF, Arm.BOTH_CAPS), 0, 500, 300, 500);
        assertThat(text).contains("| caps | host: neighbour's cap | - | - | 0.5 | - |")
                .containsPattern("\\| caps \\| tenant: mitigation \\| - \\| - \\| 1\\.5 \\| - \\|").doesNotContain("| holds |");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.ic2.training.compare.Stored.Behaviour;
import org.ic2.training.compare.Stored.Level;
import org.ic2.training.run.Change;
import org.ic2.training.run.RunPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FalseAlarmsTest {
    private static final Duration THIRD = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private static FalseAlarms alarms(List<AlarmScenario> scenarios, Arm arm, TestSubject subject) {
        return new FalseAlarms(scenarios, 1, THIRD.multipliedBy(3), 90, 1, arm, subject);
    }

    @Test
    void eachScenarioHappensInTheMiddleThirdWithoutANeighbour() {
        List<RunPlan> runs = alarms(Arrays.asList(AlarmScenario.values()), Arm.LADDER, TestSubject.USUAL).runs();
        assertThat(runs).extracting(RunPlan::id).containsExactly("r1-surge-ladder", "r1-deployment-ladder", "r1-mix-ladder", "r1-cron-ladder", "r1-backup-ladder",
                "r1-database-ladder");
        for (RunPlan run : runs) {
            assertThat(run.neighbours()).isEmpty();
            assertThat(run.changes()).anyMatch(change -> change.at().equals(THIRD));
        }
        assertThat(runs.get(0).changes()).containsExactly(new Change.Surge(THIRD, 90, THIRD));
        assertThat(runs.get(2).users()).as("half of them stay").isEqualTo(45);
        assertThat(runs.get(2).changes()).allMatch(change -> ((Change.Crowd) change).users() == 45
                && ((Change.Crowd) change).other() == change.at().equals(THIRD));
        assertThat(((Change.Disturbance) runs.get(3).changes().get(0)).words()).startsWith("inside", "--for", "20s", "--", "sh");
    }

    @Test
    void aStockHttpdHasTheLadderAloneAndAnArmWithoutAnAgentIsRefused() {
        TestSubject stock = new TestSubject("wordpress", "public", "stock", "overcommitted");
        assertThat(alarms(List.of(AlarmScenario.SURGE), Arm.LADDER, stock).runs().get(0).agent().actuator()).isEqualTo("httpd-map");
        for (Arm arm : List.of(Arm.PAPER_GRACEFUL, Arm.OFF)) {
            assertThatThrownBy(() -> alarms(List.of(AlarmScenario.SURGE), arm, stock)).hasMessageContaining("--arm: expected one with an agent");
        }
        assertThatThrownBy(() -> AlarmScenario.of("flood")).hasMessageContaining("surge,deployment,mix,cron,backup,database, got 'flood'");
    }

    @Test
    void theTableHasEachActionWithItsReason() throws IOException {
        ComparePlan like = Stored.plan("ladder", 1);
        ComparePlan plan = new ComparePlan(like.arms(), List.of(), "same-core", 1, like.length(), like.on(), like.off(), like.firstHalf(),
                like.settle(), like.users(), like.seed(), like.agents(), like.subject());
        Stored stored = Stored.of(folder, plan);
        Behaviour usual = new Behaviour(Level.WITHOUT_INTERFERENCE, 3);
        stored.run(new PlannedRun(1, "cron", Arm.LADDER), usual, 100);
        stored.run(new PlannedRun(1, "surge", Arm.LADDER), usual, 100);
        FalseAlarms alarms = alarms(List.of(AlarmScenario.SURGE, AlarmScenario.CRON, AlarmScenario.MIX), Arm.LADDER, TestSubject.USUAL);
        assertThat(alarms.report(folder)).endsWith("No action, as it should be.");
        Path journal = folder.resolve("r1-surge-ladder").resolve(Event.FILE);
        String start = Files.readString(journal).substring("{\"time\":\"".length(), "{\"time\":\"".length() + "2026-01-01T00:00".length());
        Files.writeString(journal, """
                {"time":"%1$s:20Z","kind":"intent","action":"MITIGATE","reason":"loud","decision":{"state":"I2"}}
                {"time":"%1$s:21Z","kind":"applied","action":"MITIGATE","reason":"loud","configuration":{"mitigation":3}}
                """.formatted(start));
        assertThat(alarms.report(folder)).endsWith("1 action without need.").contains("| surge: twice the users | 1 | 1 | 1 | 0.0",
                "21 s: MITIGATE: loud", "| cron: a cron job on the tier: 5 s of CPU, 10 s of rest | 1 | 0 | 0 |",
                "| mix: half of the users do other things | 0 | 0 | 0 | - \u2192 - |");
        assertThat(Files.readAllLines(folder.resolve("alarms.csv"))).hasSize(3).anyMatch(line -> line.startsWith("surge,1,1,1,0.0"));
    }
}

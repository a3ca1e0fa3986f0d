// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.Map;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.loop.OperatorRequest;
import org.ic2.runtime.executor.FakeActuator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What adds up since the agent started. */
class TallyTest {

    private ScriptedLoop agent;

    @BeforeEach
    void place(@TempDir Path directory) throws Exception {
        agent = ScriptedLoop.started(directory);
    }

    @AfterEach
    void end() throws Exception {
        agent.close();
    }

    private Tally tally() {
        return agent.board.tally();
    }

    private static double sum(Map<?, Double> seconds) {
        return seconds.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private long actions(String result) {
        return tally().actions().entrySet().stream().filter(entry -> entry.getKey().result().equals(result))
                .mapToLong(Map.Entry::getValue).sum();
    }

    @Test
    void nothingAddsUpBeforeTheFirstTurn() {
        assertThat(tally().requests()).isZero();
        assertThat(tally().stateSeconds()).isEmpty();
        assertThat(tally().actions()).isEmpty();
    }

    @Test
    void anEpisodeIsCountedInRequestsTimeStatesLevelsAndActions() throws Exception {
        agent.calm(120);
        agent.loud(60);
        agent.calm(600);
        Tally tally = tally();
        assertThat(tally.requests()).isEqualTo(720 * 100 + 60 * 85);
        assertThat(tally.timed()).isEqualTo(tally.requests());
        assertThat(tally.responseSeconds()).isCloseTo(720 * 100 * 0.04 + 60 * 85 * 0.45, within(1e-6));
        assertThat(sum(tally.stateSeconds())).as("all the time since the first turn").isCloseTo(779, within(1e-9));
        assertThat(tally.stateSeconds().get("I2")).isBetween(50.0, 62.0);
        assertThat(sum(tally.levelSeconds())).isCloseTo(779, within(1e-9));
        assertThat(tally.levelSeconds().get(0)).isBetween(600.0, 760.0);
        assertThat(tally.episodes()).isEqualTo(1);
        assertThat(tally.over()).isEqualTo(1);
        assertThat(tally.worth().seconds()).isBetween(60.0, 500.0);
        assertThat(tally.worth().waiting().measured()).isTrue();
        assertThat(tally.actions()).containsEntry(new Tally.Outcome(Action.MITIGATE, "applied"), 1L);
        assertThat(tally.applied()).isEqualTo(actions("applied")).isGreaterThan(1);
        agent.loud(60);
        assertThat(tally().episodes()).isEqualTo(2);
    }

    @Test
    void aServerThatRefusesIsCountedAndItsTimeIsNot() throws Exception {
        agent.calm(120);
        agent.httpd.manner = FakeActuator.Manner.REFUSES;
        agent.loud(60);
        assertThat(actions("applied")).isZero();
        assertThat(actions("failed")).isPositive();
        assertThat(tally().applied()).isZero();
        assertThat(tally().applySeconds()).isZero();
    }

    @Test
    void timeInManualModeIsAStateOfItsOwn() throws Exception {
        agent.calm(30);
        agent.loop.applyByHand(ScriptedLoop.BASE.with(Lever.MITIGATION, 2), "a try", OperatorRequest.by("me"));
        agent.calm(40);
        assertThat(tally().stateSeconds().get(AgentStatus.MANUAL)).isBetween(38.0, 40.0);
        assertThat(tally().levelSeconds().get(2)).isBetween(38.0, 40.0);
    }

    @Test
    void unmeasuredSamplesAddNothing() throws Exception {
        agent.run(50, (second, sample) -> ScriptedLoop.measured(sample, Double.NaN, Double.NaN, Double.NaN, Double.NaN));
        agent.run(50, (second, sample) -> ScriptedLoop.measured(sample, 1, Double.POSITIVE_INFINITY, 1, -1));
        agent.run(50, (second, sample) -> ScriptedLoop.measured(sample, 0, 0, 0, 0));
        agent.run(10, (second, sample) -> ScriptedLoop.measured(sample, Double.NaN, 7, 0.1, 0));
        assertThat(tally().requests()).isEqualTo(70);
        assertThat(tally().timed()).as("of those no response time is known").isZero();
        assertThat(tally().responseSeconds()).isZero();
    }

    @Test
    void failuresAreCountedWhereNothingElseIsAnsweredToo() throws Exception {
        agent.run(10, (second, sample) -> {
            ScriptedLoop.measured(sample, 0.1, 4, 0.1, 0);
            sample.set(Metric.ERROR_RATE, 2);
        });
        assertThat(tally().failures()).isCloseTo(20, within(1e-9));
        agent.run(10, (second, sample) -> sample.set(Metric.REQUESTS, 0).set(Metric.THROUGHPUT, 0).set(Metric.ERROR_RATE, 3));
        assertThat(tally().failures()).isCloseTo(50, within(1e-9));
    }
}

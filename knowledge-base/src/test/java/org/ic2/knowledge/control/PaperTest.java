// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.knowledge.control.policy.Safeguards;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** The paper as published: Algorithm 1 with its three values at once, Table 3's rows by their own evidence, no safeguards. */
class PaperTest {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Bounds BOUNDS = new Bounds(Lever.settings(200, 5000, 10, 0), Lever.settings(900, 30_000, 400, 0));
    private static final EnumSet<Lever> LEVERS =
            EnumSet.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.PHP_MAX_CHILDREN);
    private static final KnowledgeBase TABLE_3 = RulesYaml.read(Shipped.PAPER_RULES, Shipped.text(Shipped.PAPER_RULES));
    /** LPO 0.6 / 115 and 1 / 87: 650 x 0.5461 threads less; RT 0.04 and 0.45 s: 3 x 0.41 s more; PHP to 400. */
    private static final Settings ALGORITHM_1 = Lever.settings(295, 6230, 400, 0);

    private static Policy.Builder policy(KnowledgeBase rules) {
        return Policy.builder(Tier.BASE, BOUNDS, ByHand.detector(), rules).targetResponseTime(0.2).levers(LEVERS)
                .ladder(Ladder.empty(Tier.BASE, BOUNDS, LEVERS)).pace(SamplingInterval.steady(INTERVAL));
    }

    private static Tier settled(KnowledgeBase rules, Safeguards safeguards) {
        Tier tier = new Tier(policy(rules).safeguards(safeguards).build());
        tier.interval = INTERVAL;
        tier.feed(60, PaperTest::quiet);
        assertThat(tier.state.state()).isEqualTo(State.NI2);
        assertThat(tier.state.learning().ready()).isTrue();
        assertThat(tier.actions()).isEmpty();
        return tier;
    }

    private static Tier paper() {
        return settled(TABLE_3, new Safeguards(false, false));
    }

    private static Sample.Builder quiet(Sample.Builder sample) {
        return memory(Tier.quiet(sample), 0, 0.5);
    }

    private static Sample.Builder noisy(Sample.Builder sample) {
        return memory(Tier.noisy(sample), 0, 0.5);
    }

    private static Sample.Builder memory(Sample.Builder sample, double pressure, double idle) {
        return sample.set(Metric.MEMORY_PRESSURE, pressure).set(Metric.MEMORY_IDLE, idle).set(Metric.MEMORY_ACTIVE, 0.2)
                .set(Metric.PAGE_FAULTS, 1);
    }

    private static Sample.Builder busy(Sample.Builder sample) {
        return quiet(sample).set(Metric.THROUGHPUT, 172.5).set(Metric.REQUESTS, 862).set(Metric.CPU_UTIL, 0.9);
    }

    private static Sample.Builder pressed(Sample.Builder sample) {
        return memory(Tier.quiet(sample), 0.3, 0.05);
    }

    private static Sample.Builder paging(Sample.Builder sample) {
        return quiet(sample).set(Metric.PAGE_FAULTS, 300);
    }

    @Test
    void allThreeValuesMoveAtOnceAndEnteringNi2RestoresThem() {
        Tier tier = paper();
        List<Action> actions = tier.decisions.stream().map(Decision::action).toList();
        Decision mitigate = tier.feed(3, sample -> noisy(sample).set(Metric.CONNECTED_USERS, 550).set(Metric.THINK_TIME, 5));
        assertThat(mitigate.state()).isEqualTo(State.I2);
        assertThat(mitigate.action()).isEqualTo(Action.MITIGATE);
        assertThat(mitigate.desired()).as("users or not").isEqualTo(ALGORITHM_1);
        assertThat(mitigate.rules()).startsWith("llc-miss-rate");
        assertThat(mitigate.evidence()).contains("llc-miss-rate: interference is confirmed",
                "virtual-physical-cpu-ratio: max-request-workers overruled by llc-miss-rate");
        assertThat(mitigate.reason()).doesNotContain("starvation guard");
        assertThat(tier.feed(40, sample -> noisy(sample).set(Metric.CONNECTED_USERS, 550).set(Metric.ACCEPT_QUEUE_WAIT, 3)
                .set(Metric.ACCEPT_QUEUE, 250)).action()).as("once an episode, and nothing undoes it").isEqualTo(Action.HOLD);
        assertThat(tier.running).isEqualTo(ALGORITHM_1);

        assertThat(List.of(tier.feed(PaperTest::quiet).state(), tier.feed(PaperTest::quiet).state()))
                .containsExactly(State.T, State.NI1);
        assertThat(tier.running).isEqualTo(ALGORITHM_1);
        Decision restore = tier.feed(PaperTest::quiet);
        assertThat(restore.state()).isEqualTo(State.NI2);
        assertThat(restore.action()).isEqualTo(Action.RESTORE);
        assertThat(restore.desired()).isEqualTo(Tier.BASE);
        assertThat(actions).containsOnly(Action.HOLD);
    }

    @Test
    void guardedTheSameTakesTheUsersAndTheHoldIntoAccountAndSaysSo() {
        Tier tier = settled(TABLE_3, Safeguards.ALL);
        UnaryOperator<Sample.Builder> loud = Tier.blind(sample -> noisy(sample).set(Metric.CONNECTED_USERS, 550).set(Metric.THINK_TIME, 5)
                .set(Metric.RESPONSE_TIME, 0.9));
        Decision mitigate = tier.until(Action.MITIGATE, 10, loud);
        assertThat(mitigate.desired().get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(550);
        assertThat(mitigate.reason()).contains("max-request-workers 650 -> 550")
                .endsWith("; starvation guard: max-request-workers 550 instead of 295, connected users 550, think time 5");
        assertThat(tier.feed(4, PaperTest::quiet).action()).as("a hold of 30 s").isEqualTo(Action.HOLD);
        assertThat(tier.until(Action.RESTORE, 10, PaperTest::quiet).state()).isEqualTo(State.NI2);
    }

    @Test
    void eachSafeguardIsOneOfItsOwn() {
        UnaryOperator<Sample.Builder> loud = sample -> noisy(sample).set(Metric.CONNECTED_USERS, 550).set(Metric.THINK_TIME, 5);
        Tier starving = settled(TABLE_3, new Safeguards(false, true));
        assertThat(starving.until(Action.MITIGATE, 5, loud).desired()).isEqualTo(ALGORITHM_1);
        Tier believing = settled(TABLE_3, new Safeguards(true, false));
        assertThat(believing.until(Action.MITIGATE, 5, loud).desired().get(Lever.MAX_REQUEST_WORKERS)).isEqualTo(550);
        assertThat(believing.feed(4, PaperTest::quiet).action()).isEqualTo(Action.RESTORE);
    }

    @Test
    void moreWorkWithIdleMemoryGetsMoreWorkersAndChildren() {
        Decision decision = actsAlone(PaperTest::busy, "increased-workload");
        assertThat(decision.desired()).isEqualTo(Lever.settings(900, 5000, 400, 0));
        assertThat(decision.reason()).startsWith("Increased workload (high idle memory): ");
        Tier tier = paper();
        tier.feed(5, sample -> busy(sample).set(Metric.MEMORY_IDLE, 0.1));
        assertThat(tier.actions()).as("no memory to do it with").isEmpty();
    }

    @Test
    void memoryPressureGetsFewerChildren() {
        // the load of an operation is normal, so the threads stay
        assertThat(actsAlone(PaperTest::pressed, "host-memory-contention").desired()).isEqualTo(Lever.settings(650, 5000, 25, 0));
    }

    @Test
    void pageFaultsWithLittleActiveMemoryGetFewerChildren() {
        assertThat(actsAlone(PaperTest::paging, "page-faults").desired()).isEqualTo(Lever.settings(650, 5000, 25, 0));
    }

    /** In the second sample, while it lasts, and back in the second sample without. */
    private static Decision actsAlone(UnaryOperator<Sample.Builder> context, String rule) {
        Tier tier = paper();
        assertThat(tier.feed(context).action()).isEqualTo(Action.HOLD);
        assertThat(tier.feed(PaperTest::quiet).action()).as("one sample is chance").isEqualTo(Action.HOLD);
        assertThat(tier.feed(context).action()).isEqualTo(Action.HOLD);
        Decision decision = tier.feed(context);
        assertThat(decision.action()).isEqualTo(Action.MITIGATE);
        assertThat(decision.scenario()).isEqualTo(Scenario.CONTEXT);
        assertThat(decision.state()).isEqualTo(State.NI2);
        assertThat(decision.rules()).containsExactly(rule);
        assertThat(decision.evidence()).anyMatch(line -> line.startsWith(rule + ": "));
        assertThat(tier.feed(50, context).action()).isEqualTo(Action.HOLD);
        assertThat(tier.running).isEqualTo(decision.desired());
        assertThat(tier.feed(PaperTest::quiet).action()).isEqualTo(Action.HOLD);
        Decision restore = tier.feed(PaperTest::quiet);
        assertThat(restore.action()).isEqualTo(Action.RESTORE);
        assertThat(restore.desired()).isEqualTo(Tier.BASE);
        return decision;
    }

    @Test
    void recurringInterferenceIsHeldLonger() {
        Tier tier = paper();
        tier.until(Action.MITIGATE, 3, PaperTest::paging);
        tier.until(Action.RESTORE, 3, PaperTest::quiet);
        tier.until(Action.MITIGATE, 4, PaperTest::paging);
        Decision held = tier.feed(3, PaperTest::quiet);     // the first saw the change
        assertThat(held.action()).isEqualTo(Action.HOLD);
        assertThat(held.scenario()).isEqualTo(Scenario.COOLING_DOWN);
        assertThat(tier.until(Action.RESTORE, 4, PaperTest::quiet).desired()).isEqualTo(Tier.BASE);
    }

    @Test
    void interferenceComesBeforeAContextAndIsRestoredBeforeIt() {
        Tier tier = paper();
        tier.until(Action.MITIGATE, 2, PaperTest::busy);
        assertThat(tier.running).isEqualTo(Lever.settings(900, 5000, 400, 0));
        Decision decision = tier.until(Action.MITIGATE, 5, PaperTest::noisy);
        assertThat(decision.scenario()).isEqualTo(Scenario.MITIGATION);
        assertThat(decision.desired()).isEqualTo(ALGORITHM_1);
        Decision restore = tier.feed(4, PaperTest::busy);
        assertThat(restore.state()).isEqualTo(State.NI2);
        assertThat(restore.action()).isEqualTo(Action.RESTORE);
        assertThat(restore.desired()).isEqualTo(Tier.BASE);
        assertThat(tier.until(Action.MITIGATE, 4, PaperTest::busy).scenario()).isEqualTo(Scenario.CONTEXT);
    }

    @Test
    void memoryPressureUnderInterferenceIsTheLastRowOfTable2() {
        Tier tier = paper();
        Decision decision = tier.until(Action.MITIGATE, 5, sample -> memory(Tier.noisy(sample), 0.3, 0.05));
        assertThat(decision.desired().get(Lever.PHP_MAX_CHILDREN)).isEqualTo(25);
        Tier later = paper();
        later.feed(2, PaperTest::noisy);
        Decision both = later.feed(sample -> memory(Tier.noisy(sample), 0.3, 0.05));
        assertThat(both.desired()).isEqualTo(ALGORITHM_1.with(Lever.PHP_MAX_CHILDREN, 25));
    }

    @Test
    void theShippedRulesActInInterferenceOnly() {
        Tier tier = settled(Shipped.rules(), Safeguards.ALL);
        tier.feed(10, PaperTest::busy);
        tier.feed(10, PaperTest::pressed);
        tier.feed(10, PaperTest::paging);
        assertThat(tier.actions()).isEmpty();
    }

    @Test
    void aRestartKnowsWhatBeganTheEpisode() {
        Tier tier = paper();
        tier.until(Action.MITIGATE, 2, PaperTest::paging);
        ControlJson json = new ControlJson();
        tier.state = json.readState("state.json", json.write(tier.state));
        assertThat(tier.state.episode().apart()).isTrue();
        assertThat(tier.state.counters().context()).isEqualTo(2);
        assertThat(tier.until(Action.RESTORE, 3, PaperTest::quiet).desired()).isEqualTo(Tier.BASE);
    }
}

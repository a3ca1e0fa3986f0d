// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding.Confidence;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.UserHarm;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Users are harmed, and nobody steals CPU. The recordings are 54 quiet seconds of training/data/evaluation/surge-1, with figures of
 * who asks added, then a dozen of one cause, made up, and 20 quiet ones; {@code overload} is the one that IC2 took for quiet.
 */
class HarmTest {
    private static final int QUIET = 54;
    private static final Settings BASE = Lever.settings(240, 1000, 60, 0);

    private static Policy policy(Cause... acts) {
        return Policy.builder(BASE, new Bounds(Lever.settings(240, 1000, 60, 0), Lever.settings(400, 1000, 60, 4)),
                new Detector.Tree(Shipped.classifier()), Shipped.rules()).levers(Set.of(Lever.MITIGATION)).acts(Set.of(acts)).build();
    }

    private static List<String> lines(String name) throws IOException {
        try (InputStream in = HarmTest.class.getResourceAsStream("harm/" + name + ".csv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static List<Sample> samples(String name) throws IOException {
        return SamplesCsv.read(name, lines(name));
    }

    private static List<Decision> decisions(List<Sample> samples, Policy policy) {
        ControllerState state = ControllerState.initial(policy.baseline());
        List<Decision> decisions = new ArrayList<>();
        for (Sample sample : samples) {
            DecisionResult decided = Controller.decide(state, sample, policy);
            state = decided.state();
            decisions.add(decided.decision());
        }
        return decisions;
    }

    private static List<Decision> decided(String name, Cause... acts) throws IOException {
        return decisions(samples(name), policy(acts));
    }

    @ParameterizedTest
    @CsvSource({"crawlers, CRAWLERS, HIGH", "surge, SURGE, HIGH", "dearer-pages, DEARER_PAGES, MEDIUM", "slow-dependency, SLOW_DEPENDENCY, MEDIUM",
        "limit, LIMIT, HIGH", "own-batch-work, OWN_BATCH_WORK, MEDIUM", "neighbour, NEIGHBOUR, HIGH"})
    void eachCauseIsNamedOnceThreeSamplesConfirmTheHarm(String name, Cause cause, Confidence confidence) throws IOException {
        List<Decision> decisions = decided(name);
        assertThat(decisions.subList(0, QUIET + 2)).allMatch(decision -> decision.harm().isEmpty());
        UserHarm harm = decisions.get(QUIET + 2).harm().orElseThrow();
        assertThat(harm.finding().cause()).as(harm.describe()).isEqualTo(cause);
        for (Decision decision : decisions.subList(QUIET + 5, QUIET + 12)) {
            UserHarm later = decision.harm().orElseThrow();
            assertThat(later.finding().cause()).as(later.describe()).isEqualTo(cause);
            assertThat(later.finding().confidence()).as(later.describe()).isGreaterThanOrEqualTo(confidence);
        }
        assertThat(decisions.get(decisions.size() - 1).harm()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"crawlers", "surge", "dearer-pages", "slow-dependency", "limit", "own-batch-work"})
    void withoutANeighbourItIsSaidAndNothingIsDone(String name) throws IOException {
        List<Decision> decisions = decided(name, Cause.NEIGHBOUR);
        assertThat(decisions).noneMatch(Decision::applies);
        Decision told = decisions.get(QUIET + 8);
        assertThat(told.scenario()).isEqualTo(Scenario.SLOW);
        assertThat(told.reason()).startsWith("slow: response time ").contains("target 0.5 s", "240 workers are busy", "; cause: " + name,
                "confidence ", "; advice: ");
        assertThat(decisions).filteredOn(decision -> decision.scenario() == Scenario.QUICK_AGAIN).singleElement()
                .satisfies(decision -> assertThat(decision.reason()).contains("users are harmed no longer", "the cause was " + name));
    }

    /** Ten minutes of harm are not learned as what is usual: the cause stays known. */
    @ParameterizedTest
    @CsvSource({"crawlers", "surge", "slow-dependency", "limit", "own-batch-work"})
    void aLongHarmKeepsItsCause(String name) throws IOException {
        List<String> lines = lines(name);
        List<String> longer = new ArrayList<>(lines.subList(0, 1 + QUIET + 12));
        double end = Double.parseDouble(longer.get(QUIET + 12).split(",")[0]);
        for (int i = 1; i <= 600; i++) {
            longer.add((end + i) + lines.get(1 + QUIET + 4 + i % 8).replaceFirst("^[^,]*", ""));
        }
        List<Sample> lasting = SamplesCsv.read(name, longer);
        assertThat(decisions(lasting, policy()).subList(QUIET + 12, lasting.size())).allSatisfy(decision ->
                assertThat(decision.harm().orElseThrow().finding().cause().key()).isEqualTo(name));
    }

    @Test
    void withoutHarmNothingIsSaid() throws IOException {
        assertThat(decided("quiet")).noneMatch(decision -> decision.harm().isPresent()).noneMatch(decision ->
                decision.reason().startsWith("slow"));
    }

    /** A tier that is overloaded, of which nobody knows who asks: that is said, and no cause is made up. */
    @Test
    void anOverloadIsNeverTakenForQuiet() throws IOException {
        List<Decision> decisions = decided("overload", Cause.NEIGHBOUR);
        assertThat(decisions.subList(QUIET + 2, QUIET + 30)).allSatisfy(decision -> {
            assertThat(decision.reason()).startsWith("slow: response time ").contains("connections wait", "cause: unknown",
                    "times the usual CPU: dearer pages, crawlers", "who asks is not measured").doesNotContain("confidence");
            assertThat(decision.applies()).isFalse();
        });
    }

    @ParameterizedTest
    @CsvSource({"crawlers, CRAWLERS, 2", "surge, SURGE, 3", "dearer-pages, DEARER_PAGES, 1", "slow-dependency, SLOW_DEPENDENCY, 3"})
    void aCauseThatActNamesGetsItsFirstLevel(String name, Cause cause, int level) throws IOException {
        List<Decision> decisions = decided(name, cause);
        Decision first = decisions.stream().filter(Decision::applies).findFirst().orElseThrow();
        assertThat(first.action()).isEqualTo(Action.MITIGATE);
        assertThat(first.scenario()).isEqualTo(Scenario.CAUSE_MITIGATION);
        assertThat(first.desired()).isEqualTo(BASE.with(Lever.MITIGATION, level));
        assertThat(first.rules()).containsExactly(cause.key());
        assertThat(first.reason()).startsWith("slow: ").contains("cause: " + name, "mitigation 0 -> " + level);
    }

    @Test
    void aNeighbourIsOnlyAdvisedWhereActDoesNotNameIt() throws IOException {
        List<Decision> decisions = decided("neighbour", Cause.SURGE);
        assertThat(decisions).noneMatch(Decision::applies).anySatisfy(decision -> {
            assertThat(decision.scenario()).isEqualTo(Scenario.ONLY_ADVISED);
            assertThat(decision.reason()).startsWith("act does not name neighbour; due: interference confirmed");
        });
        assertThat(decided("neighbour", Cause.NEIGHBOUR)).anyMatch(Decision::applies);
    }

    /** 90 requests a second more than the tier can serve, as it is; from level 3 on it serves them. */
    private static UnaryOperator<Sample.Builder> surge(Tier tier) {
        return sample -> tier.level() >= 3 ? Tier.quiet(sample).set(Metric.THROUGHPUT, 230).set(Metric.REQUESTS, 230)
                .set(Metric.RESPONSE_TIME, 0.05).set(Metric.CPU_UTIL, 0.5)
                : Tier.quiet(sample).set(Metric.THROUGHPUT, 190).set(Metric.REQUESTS, 190).set(Metric.RESPONSE_TIME, 2)
                .set(Metric.CPU_UTIL, 1).set(Metric.ACCEPT_QUEUE, 100).set(Metric.ACCEPT_QUEUE_WAIT, 0.5);
    }

    @Test
    void theLevelStaysWhileTheDemandLastsAndTheBaselineIsRestoredOnceItIsOver() {
        Tier tier = Tier.settled(Tier.policy().levers(Set.of(Lever.MITIGATION)).acts(Set.of(Cause.SURGE)).build());
        tier.until(Action.MITIGATE, 3, surge(tier));
        assertThat(tier.level()).isEqualTo(3);
        tier.feed(300, surge(tier));
        assertThat(tier.level()).as("the demand is hidden by the level, not gone").isEqualTo(3);
        assertThat(tier.actions()).hasSize(1);
        tier.feed(12, Tier::quiet);
        assertThat(tier.level()).as("a cool-down must pass").isEqualTo(3);
        tier.feed(60, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.state.harm().acted()).isNull();
    }

    /** Who is turned away would have to be served at the baseline. */
    @Test
    void theLevelStaysWhileMostWhoAskAreTurnedAway() {
        Tier tier = Tier.settled(Tier.policy().levers(Set.of(Lever.MITIGATION)).acts(Set.of(Cause.SURGE)).build());
        tier.until(Action.MITIGATE, 3, surge(tier));
        tier.feed(300, sample -> Tier.quiet(sample).set(Metric.TURNED_AWAY, 500));
        assertThat(tier.level()).isEqualTo(3);
        assertThat(tier.state.harm().felt()).contains("requests ask for ");
        Decision flooded = tier.feed(1, sample -> Tier.quiet(sample).set(Metric.TURNED_AWAY, 50_000));
        assertThat(flooded.harm().orElseThrow().felt()).as("who is refused at once asks at once").matches("requests ask for 1\\d\\d(\\.\\d+)? % of .*");
        tier.feed(90, sample -> Tier.quiet(sample).set(Metric.TURNED_AWAY, 0));
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    /** Crawlers at 5 times the usual requests, until the wall is up; level 2 alone does not help. */
    static UnaryOperator<Sample.Builder> crawlers(Tier tier) {
        return sample -> (tier.running.get(Wall.FLAG) == Wall.UP ? Tier.quiet(sample).set(Metric.TURNED_AWAY, 500)
                : Tier.quiet(sample).set(Metric.THROUGHPUT, 190).set(Metric.REQUESTS, 190).set(Metric.RESPONSE_TIME, 4)
                .set(Metric.CPU_UTIL, 1).set(Metric.ACCEPT_QUEUE, 100).set(Metric.ACCEPT_QUEUE_WAIT, 0.5).set(Metric.TURNED_AWAY, 0))
                .set(Metric.NEW_ADDRESSES, 0.9).set(Metric.NO_COOKIE, 0.95).set(Metric.PAGES_PER_ADDRESS, 1.2).set(Metric.PAGE_SPREAD, 0.9);
    }

    static Tier settled(Settings base, Settings most, Cause... acts) {
        Tier tier = new Tier(Policy.builder(base, new Bounds(base, most), ByHand.detector(), Shipped.rules())
                .levers(base.only(most.knobs()).has(Wall.FLAG) ? Set.of(Lever.MITIGATION, Wall.FLAG) : Set.of(Lever.MITIGATION))
                .acts(Set.of(acts)).build());
        tier.state = ControllerState.initial(base);
        tier.running = base;
        tier.feed(60, sample -> Tier.quiet(sample).set(Metric.NEW_ADDRESSES, 0.1).set(Metric.NO_COOKIE, 0.2)
                .set(Metric.PAGES_PER_ADDRESS, 1.2).set(Metric.PAGE_SPREAD, 0.1));
        return tier;
    }

    @Test
    void againstCrawlersTheWallGoesUpAfterLevel2AndFallsWhenTheyAreGone() {
        Settings base = Tier.BASE.with(Wall.FLAG, 0);
        Tier tier = settled(base, Tier.BASE.with(Lever.MITIGATION, 4).with(Wall.FLAG, Wall.UP), Cause.CRAWLERS);
        Decision first = tier.until(Action.MITIGATE, 5, crawlers(tier));
        assertThat(first.desired()).as(first.reason()).isEqualTo(base.with(Lever.MITIGATION, 2));
        Decision wall = tier.until(Action.ESCALATE, 20, crawlers(tier));
        assertThat(wall.desired()).isEqualTo(base.with(Lever.MITIGATION, 2).with(Wall.FLAG, Wall.UP));
        assertThat(wall.reason()).contains("cause: crawlers", "wall 0 -> 1");
        tier.feed(300, crawlers(tier));
        assertThat(tier.running).as("it stays while it is what keeps them out").isEqualTo(wall.desired());
        tier.feed(120, Tier::quiet);
        assertThat(tier.running).isEqualTo(base);
    }

    /** The crawlers are gone, and the database is slow: nobody meets the wall for that. */
    @Test
    void theWallFallsWhereACauseFollowsThatIsNotActedOn() {
        Settings base = Tier.BASE.with(Wall.FLAG, 0);
        Tier tier = settled(base, Tier.BASE.with(Lever.MITIGATION, 4).with(Wall.FLAG, Wall.UP), Cause.CRAWLERS);
        tier.until(Action.MITIGATE, 5, crawlers(tier));
        tier.until(Action.ESCALATE, 20, crawlers(tier));
        Decision fall = tier.until(Action.RESTORE, 40, sample -> Tier.quiet(sample).set(Metric.RESPONSE_TIME, 4).set(Metric.CPU_UTIL, 0.3)
                .set(Metric.TURNED_AWAY, 0).set(Metric.NEW_ADDRESSES, 0.1).set(Metric.NO_COOKIE, 0.2).set(Metric.PAGES_PER_ADDRESS, 1.2)
                .set(Metric.PAGE_SPREAD, 0.1));
        assertThat(fall.reason()).contains("cause: slow-dependency", "the wall was against crawlers", "wall 1 -> 0");
        assertThat(fall.desired().get(Wall.FLAG)).isZero();
    }

    @Test
    void withoutAWallTheLevelsGoOnAndItIsSaid() {
        Tier tier = settled(Tier.BASE, Tier.BASE.with(Lever.MITIGATION, 4), Cause.CRAWLERS);
        UnaryOperator<Sample.Builder> harm = sample -> Tier.quiet(sample).set(Metric.THROUGHPUT, 190).set(Metric.REQUESTS, 190)
                .set(Metric.RESPONSE_TIME, 4).set(Metric.CPU_UTIL, 1).set(Metric.ACCEPT_QUEUE, 100).set(Metric.ACCEPT_QUEUE_WAIT, 0.5)
                .set(Metric.NEW_ADDRESSES, 0.9).set(Metric.NO_COOKIE, 0.95).set(Metric.PAGES_PER_ADDRESS, 1.2).set(Metric.PAGE_SPREAD, 0.9);
        Decision first = tier.until(Action.MITIGATE, 5, harm);
        assertThat(first.reason()).contains("there is no wall here (docs/wall.md)");
        assertThat(tier.until(Action.ESCALATE, 20, harm).desired()).isEqualTo(Tier.BASE.with(Lever.MITIGATION, 3));
    }

    @Test
    void aNeighbourWhoComesDuringASurgeTakesOver() {
        Tier tier = Tier.settled(Tier.policy().levers(Set.of(Lever.MITIGATION)).acts(Set.of(Cause.SURGE, Cause.NEIGHBOUR)).build());
        tier.until(Action.MITIGATE, 3, surge(tier));
        Decision next = tier.until(Action.ESCALATE, 20, Tier::noisy);
        assertThat(next.scenario()).isEqualTo(Scenario.ESCALATION);
        assertThat(tier.state.harm().acted()).isNull();
        tier.feed(120, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    /** A neighbour comes and goes while the demand lasts, which the level hides: the level stays, and goes with the demand. */
    @Test
    void theLevelStaysWhereANeighbourPassesThroughASurge() {
        Tier tier = Tier.settled(Tier.policy().levers(Set.of(Lever.MITIGATION)).acts(Set.of(Cause.SURGE, Cause.NEIGHBOUR)).build());
        tier.until(Action.MITIGATE, 3, surge(tier));
        tier.feed(15, Tier::noisy);
        assertThat(tier.state.harm().acted()).isNull();
        assertThat(tier.state.harm().postponed()).isEqualTo(Cause.SURGE);
        assertThat(new ControlJson().readState("state.json", new ControlJson().write(tier.state))).isEqualTo(tier.state);
        tier.feed(300, surge(tier));
        assertThat(tier.level()).as("the demand is still there").isGreaterThanOrEqualTo(3);
        assertThat(tier.decisions).noneMatch(decision -> decision.action() == Action.RESTORE || decision.action() == Action.STEP_DOWN);
        assertThat(tier.state.harm().acted()).isEqualTo(Cause.SURGE);
        tier.feed(120, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        assertThat(tier.state.harm().postponed()).isNull();
    }

    /** Of what a neighbour asked for, what is more than the cause may have goes back once he is gone. */
    @Test
    void afterTheNeighbourOnlyTheOtherCausesLeversStay() {
        Settings base = Tier.BASE;
        Bounds bounds = new Bounds(Tier.BOUNDS.lowest(), Tier.BOUNDS.highest().with(Lever.MITIGATION, 6));
        Tier tier = Tier.settled(Policy.builder(base, bounds, ByHand.detector(), Shipped.rules()).targetResponseTime(0.2)
                .ladderStep(LadderStep.ONE).acts(Set.of(Cause.SURGE, Cause.NEIGHBOUR)).build());
        tier.until(Action.MITIGATE, 3, surge(tier));
        tier.feed(60, Tier::noisy);
        assertThat(tier.running).isEqualTo(Lever.settings(300, 6230, 50, 6));
        tier.feed(60, surge(tier));
        assertThat(tier.running).as("levels 5 and 6 are no lever against a surge").isEqualTo(base.with(Lever.MITIGATION, 4));
        tier.feed(120, Tier::quiet);
        assertThat(tier.running).isEqualTo(base);
    }

    /** The wall clock jumps while a hold runs: it is counted on the controller's clock, as all of them are. */
    @ParameterizedTest
    @CsvSource({"-86400", "-7200", "-30", "30", "7200", "86400"})
    void aJumpingClockDoesNotPreventTheRestore(long seconds) {
        Tier tier = Tier.settled(Tier.policy().levers(Set.of(Lever.MITIGATION)).acts(Set.of(Cause.SURGE)).build());
        tier.until(Action.MITIGATE, 3, surge(tier));
        tier.feed(30, surge(tier));
        tier.feed(4, Tier::quiet);
        tier.time = tier.time.plusSeconds(seconds);
        tier.feed(60, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
        tier.until(Action.MITIGATE, 3, surge(tier));
        tier.time = tier.time.plusSeconds(seconds);
        assertThat(tier.feed(30, surge(tier)).harm()).isPresent();
        assertThat(tier.level()).isEqualTo(3);
    }

    /** Workers are raised only where memory is free, from the baseline and within the bounds. */
    @Test
    void theLimitIsRaisedWhereMemoryIsFree() {
        UnaryOperator<Sample.Builder> limited = sample -> Tier.quiet(sample).set(Metric.BUSY_WORKERS, 300).set(Metric.IDLE_WORKERS, 0)
                .set(Metric.ACCEPT_QUEUE, 60).set(Metric.ACCEPT_QUEUE_WAIT, 0.5).set(Metric.RESPONSE_TIME, 0.54);
        Settings base = Lever.settings(300, 5000, 50, 0);
        Policy policy = Policy.builder(base, new Bounds(base, Lever.settings(400, 5000, 50, 4)), ByHand.detector(), Shipped.rules())
                .targetResponseTime(0.2).levers(Set.of(Lever.MAX_REQUEST_WORKERS)).acts(Set.of(Cause.LIMIT)).build();
        Tier tier = new Tier(policy);
        tier.state = ControllerState.initial(base);
        tier.running = base;
        tier.feed(60, Tier::quiet);
        Decision held = tier.feed(20, sample -> limited.apply(sample).set(Metric.MEMORY_IDLE, 0.1));
        assertThat(held.reason()).contains("cause: limit", "no lever has room left");
        Decision raised = tier.until(Action.MITIGATE, 3, sample -> limited.apply(sample).set(Metric.MEMORY_IDLE, 0.6));
        assertThat(raised.desired()).isEqualTo(base.with(Lever.MAX_REQUEST_WORKERS, 400));
        tier.feed(60, Tier::quiet);
        assertThat(tier.running).isEqualTo(base);
    }

    @Test
    void withoutALeverForTheLimitItsConfigurationLineIsNamed() throws IOException {
        assertThat(decided("limit").get(QUIET + 8).reason()).contains("the line \"MaxRequestWorkers 360\" in httpd's configuration, now 240");
    }

    /** No sample tells any more: after a while nobody says that users are harmed. */
    @Test
    void harmWithoutFurtherSamplesIsForgotten() throws IOException {
        List<Sample> samples = new ArrayList<>(samples("surge").subList(0, QUIET + 12));
        Sample last = samples.get(samples.size() - 1);
        IntStream.rangeClosed(1, 20).forEach(second -> samples.add(Sample.at(last.time().plusSeconds(second)).build()));
        List<Decision> decisions = decisions(samples, policy());
        assertThat(decisions.get(QUIET + 20).harm()).isPresent();
        assertThat(decisions.get(QUIET + 31).harm()).isEmpty();
    }

    /** For as long as makes it forgotten no sample told, and then the demand is there as before: it was never over. */
    @Test
    void aHarmThatGoesOnAfterAGapKeepsItsLevel() {
        Tier tier = Tier.settled(Tier.policy().levers(Set.of(Lever.MITIGATION)).acts(Set.of(Cause.SURGE)).build());
        tier.feed(2000, Tier::quiet);
        tier.until(Action.MITIGATE, 3, surge(tier));
        tier.feed(5, surge(tier));
        long suffered = tier.state.harm().suffered();
        tier.feed(14, sample -> Tier.quiet(sample).set(Metric.RESPONSE_TIME, Double.NaN));
        assertThat(tier.state.harm().confirmed()).isTrue();
        Decision told = tier.feed(1, surge(tier));
        assertThat(told.harm()).as("forgotten").isEmpty();
        assertThat(told.reason()).doesNotContain("after -");
        tier.feed(300, surge(tier));
        assertThat(tier.level()).isEqualTo(3);
        assertThat(tier.actions()).extracting(Decision::action).containsExactly(Action.MITIGATE);
        assertThat(tier.state.harm().suffered()).as("nobody has waited since").isEqualTo(suffered);
        tier.feed(90, Tier::quiet);
        assertThat(tier.running).isEqualTo(Tier.BASE);
    }

    /** Nobody is answered at all, and a queue stands: that is harm, too. */
    @Test
    void aTierThatAnswersNoRequestHarms() throws IOException {
        List<Sample> samples = new ArrayList<>(samples("surge").subList(0, QUIET));
        Sample last = samples.get(samples.size() - 1);
        IntStream.rangeClosed(1, 5).forEach(second -> samples.add(Sample.at(last.time().plusSeconds(second)).set(Metric.REQUESTS, 0)
                .set(Metric.THROUGHPUT, 0).set(Metric.CPU_UTIL, 0.1).set(Metric.ACCEPT_QUEUE, 200).set(Metric.BUSY_WORKERS, 240)
                .set(Metric.IDLE_WORKERS, 0).settings(BASE).build()));
        Decision told = decisions(samples, policy()).get(QUIET + 4);
        assertThat(told.reason()).startsWith("slow: 200 connections wait, all 240 workers are busy; cause: ");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** The wall among the levels: what refuses it does not keep the levels away, and it falls only for what lasts. */
class WallTest {
    private static final Settings BASE = Tier.BASE.with(Wall.FLAG, 0);

    private static Tier settled(Cause... acts) {
        return HarmTest.settled(BASE, Tier.BASE.with(Lever.MITIGATION, 4).with(Wall.FLAG, Wall.UP), acts);
    }

    /** At level 2 against crawlers, the wall next. */
    private static Tier beforeTheWall() {
        Tier tier = settled(Cause.CRAWLERS);
        tier.until(Action.MITIGATE, 5, HarmTest.crawlers(tier));
        return tier;
    }

    private static List<Decision> raised(Tier tier) {
        return tier.actions().stream().filter(decision -> decision.desired().get(Wall.FLAG) == Wall.UP).toList();
    }

    @Test
    void aWallThatDoesNotTakeEffectLeavesTheTurnToTheLevels() {
        Tier tier = beforeTheWall();
        tier.stuck.add(Wall.FLAG);
        assertThat(tier.until(Action.ESCALATE, 20, HarmTest.crawlers(tier)).reason()).contains("wall 0 -> 1");
        Decision third = tier.until(Action.ESCALATE, 60, HarmTest.crawlers(tier));
        assertThat(third.desired()).as(third.reason()).isEqualTo(BASE.with(Lever.MITIGATION, 3));
        assertThat(third.reason()).contains("the wall did not take effect, so it is left out for ", "mitigation 2 -> 3");
        assertThat(tier.until(Action.ESCALATE, 60, HarmTest.crawlers(tier)).desired()).isEqualTo(BASE.with(Lever.MITIGATION, 4));
        assertThat(tier.feed(20, HarmTest.crawlers(tier)).reason()).contains("left out for ", "no lever has room left");
        assertThat(new ControlJson().readState("state.json", new ControlJson().write(tier.state)).harm()).isEqualTo(tier.state.harm());
        tier.stuck.clear();
        tier.until(Action.ESCALATE, 300, HarmTest.crawlers(tier));
        tier.feed(5, HarmTest.crawlers(tier));
        assertThat(tier.running).as("it is tried again later").isEqualTo(BASE.with(Lever.MITIGATION, 4).with(Wall.FLAG, Wall.UP));
    }

    /** Each further refusal is twice as long: an hour's budget is not spent on a wall that cannot go up. */
    @Test
    void aWallThatNeverTakesEffectIsTriedLessAndLessOften() {
        Tier tier = beforeTheWall();
        tier.stuck.add(Wall.FLAG);
        tier.feed(3600, HarmTest.crawlers(tier));
        assertThat(raised(tier)).hasSizeBetween(3, 4);
        assertThat(tier.running).isEqualTo(BASE.with(Lever.MITIGATION, 4));
    }

    /** Behind the wall, with the cause that a sample shows. */
    private static Tier behindTheWall(Cause... acts) {
        Tier tier = settled(acts);
        tier.until(Action.MITIGATE, 5, HarmTest.crawlers(tier));
        tier.until(Action.ESCALATE, 20, HarmTest.crawlers(tier));
        tier.feed(30, HarmTest.crawlers(tier));
        assertThat(tier.running.get(Wall.FLAG)).isEqualTo(Wall.UP);
        return tier;
    }

    private static Sample.Builder usual(Sample.Builder sample) {
        return Tier.quiet(sample).set(Metric.TURNED_AWAY, 0).set(Metric.NEW_ADDRESSES, 0.1).set(Metric.NO_COOKIE, 0.2)
                .set(Metric.PAGES_PER_ADDRESS, 1.2).set(Metric.PAGE_SPREAD, 0.1);
    }

    private static Sample.Builder slowDependency(Sample.Builder sample) {
        return usual(sample).set(Metric.RESPONSE_TIME, 4).set(Metric.CPU_UTIL, 0.3);
    }

    /** Those who wait are served as fast as ever. */
    private static Sample.Builder surge(Sample.Builder sample) {
        return usual(sample).set(Metric.THROUGHPUT, 190).set(Metric.REQUESTS, 190).set(Metric.RESPONSE_TIME, 0.05).set(Metric.CPU_UTIL, 1)
                .set(Metric.ACCEPT_QUEUE, 100).set(Metric.ACCEPT_QUEUE_WAIT, 0.5);
    }

    /** So many samples of another cause, then as many of crawlers, again and again. */
    private static void swing(Tier tier, int samples, UnaryOperator<Sample.Builder> other, Cause named) {
        for (int i = 0; i < 10; i++) {
            tier.feed(samples, other);
            assertThat(tier.state.harm().cause()).isEqualTo(named);
            tier.feed(samples, HarmTest.crawlers(tier));
            assertThat(tier.state.harm().cause()).isEqualTo(Cause.CRAWLERS);
        }
    }

    /** Another cause is the cause after three samples; it has to last as long as anything else for which a step back is taken. */
    @Test
    void aCauseThatSwingsDoesNotLowerTheWall() {
        Tier tier = behindTheWall(Cause.CRAWLERS);
        swing(tier, 8, WallTest::slowDependency, Cause.SLOW_DEPENDENCY);
        assertThat(tier.decisions).as("it never fell").noneMatch(decision -> decision.action() == Action.RESTORE);
        assertThat(tier.running.get(Wall.FLAG)).isEqualTo(Wall.UP);
        assertThat(tier.until(Action.RESTORE, 40, WallTest::slowDependency).reason()).contains("the wall was against crawlers");
    }

    @Test
    void aCauseThatIsActedOnDoesNotLowerTheWallEitherBeforeItLasts() {
        Tier tier = behindTheWall(Cause.CRAWLERS, Cause.SURGE);
        swing(tier, 8, WallTest::surge, Cause.SURGE);
        assertThat(tier.decisions).noneMatch(decision -> decision.action() == Action.RESTORE);
        assertThat(tier.running.get(Wall.FLAG)).isEqualTo(Wall.UP);
        Decision fall = tier.until(Action.RESTORE, 60, WallTest::surge);
        assertThat(fall.reason()).contains("surge asks for no more");
        assertThat(fall.desired().get(Wall.FLAG)).isZero();
    }

    /** Each swing that lowered it after all makes the next one wait twice as long. */
    @Test
    void aWallThatFellTooEarlyIsHeldTwiceAsLong() {
        Tier tier = behindTheWall(Cause.CRAWLERS);
        for (int i = 0; i < 3; i++) {
            tier.until(Action.RESTORE, 13 + 10 * (1 << i), WallTest::slowDependency);
            tier.until(Action.ESCALATE, 60, HarmTest.crawlers(tier));
            tier.feed(100, HarmTest.crawlers(tier));
            tier.feed(10 * (2 << i), WallTest::slowDependency);
            assertThat(tier.running.get(Wall.FLAG)).as("swing " + i).isEqualTo(Wall.UP);
        }
    }

    /** What was not even tried may have a reason that is soon gone: one level has its turn, then the wall again. */
    @Test
    void aWallThatIsRefusedTakesTurnsWithTheLevels() {
        Tier tier = beforeTheWall();
        tier.refusing = true;
        tier.until(Action.ESCALATE, 20, HarmTest.crawlers(tier));
        tier.feed(1, HarmTest.crawlers(tier));
        tier.refusing = false;
        Decision third = tier.until(Action.ESCALATE, 60, HarmTest.crawlers(tier));
        assertThat(third.desired()).as(third.reason()).isEqualTo(BASE.with(Lever.MITIGATION, 3));
        assertThat(third.reason()).contains("the wall was refused, so it is left out for ");
        assertThat(tier.until(Action.ESCALATE, 60, HarmTest.crawlers(tier)).desired())
                .isEqualTo(BASE.with(Lever.MITIGATION, 3).with(Wall.FLAG, Wall.UP));
    }
}

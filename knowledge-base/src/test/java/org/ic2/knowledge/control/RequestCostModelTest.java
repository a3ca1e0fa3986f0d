// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.learn.RequestCostModel;
import org.ic2.knowledge.control.state.ControllerState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a mix of requests costs: tiers whose classes cost what chance says, in seconds whose mixes differ as chance has it. */
class RequestCostModelTest {
    private static final int TIERS = 40;
    private static final int CLASSES = Metric.MIX.size();

    /** A tier on paper: CPU seconds of a request of each class, and the mean requests a second. */
    private static final class Site {
        final Random random;
        final double[] costs = new double[CLASSES];
        final double[] rates = new double[CLASSES];
        final double base;

        Site(long seed) {
            random = new Random(seed);
            for (int i = 0; i < CLASSES; i++) {
                costs[i] = i == 0 ? 0.0002 : i == 1 ? 0.0005 : 0.002 + 0.006 * random.nextDouble();
                rates[i] = i == 1 ? 0 : 3 + 17 * random.nextDouble();
            }
            base = 0.02 * random.nextDouble();
        }

        /** A second with about these rates, in which everything costs so many times what it does in the quiet. */
        Sample second(double[] around, double dearer) {
            Sample.Builder sample = Sample.at(Tier.START);
            double used = base;
            for (int i = 0; i < CLASSES; i++) {
                double requests = Math.max(0, Math.rint(around[i] + Math.sqrt(around[i]) * random.nextGaussian()));
                sample.set(Metric.MIX.get(i), requests);
                used += requests * costs[i];
            }
            return sample.set(Metric.CPU_USED, used * dearer * (1 + 0.03 * random.nextGaussian())).build();
        }

        RequestCostModel learned(int seconds) {
            RequestCostModel mix = RequestCostModel.none();
            for (int i = 0; i < seconds; i++) {
                mix = mix.plus(second(rates, 1));
            }
            return mix;
        }

        /** The median of what a minute of such seconds comes to. */
        double price(RequestCostModel mix, double[] around, double dearer) {
            double[] prices = DoubleStream.generate(() -> priced(mix, second(around, dearer)).get(Metric.COST_PER_MIX))
                    .limit(60).sorted().toArray();
            return (prices[29] + prices[30]) / 2;
        }
    }

    /** By what was learned alone: nothing was seen before. */
    private static Sample priced(RequestCostModel mix, Sample sample) {
        return new MetricBaseline(Map.of(), 0, mix, null, null).priced(sample);
    }

    @Test
    void aDearerRequestIsSeenAndAnotherMixIsNot() {
        for (long seed = 1; seed <= TIERS; seed++) {
            Site site = new Site(seed);
            RequestCostModel mix = site.learned(300);
            assertThat(site.price(mix, site.rates, 1)).as("tier " + seed).isCloseTo(1, within(0.02));
            assertThat(site.price(mix, site.rates, 1.15)).as("tier " + seed).isCloseTo(1.15, within(0.025));
            double[] other = site.rates.clone();
            for (int i = 0; i < CLASSES; i++) {
                other[i] *= 0.3 + 1.7 * site.random.nextDouble();
            }
            assertThat(site.price(mix, other, 1)).as("tier " + seed + ", another mix").isCloseTo(1, within(0.1));
            assertThat(site.price(mix, other, 1.15) / site.price(mix, other, 1)).as("tier " + seed + ", and dearer")
                    .isCloseTo(1.15, within(0.03));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, -0.25})
    void moreMembersAreNoDearerOrCheaperTier(double more) {
        Random random = new Random(1);
        RequestCostModel told = RequestCostModel.none();
        RequestCostModel untold = RequestCostModel.none();
        for (int i = 0; i < 300; i++) {
            Sample second = members(random, 40, 8, more);
            told = told.plus(second);
            untold = untold.plus(without(second));
        }
        Sample crowd = members(random, 40, 30, more);
        assertThat(priced(told, crowd).get(Metric.COST_PER_MIX)).isCloseTo(1, within(0.04));
        assertThat(Math.abs(priced(untold, without(crowd)).get(Metric.COST_PER_MIX) - 1)).as("a log that does not tell them")
                .isGreaterThan(0.08);
        assertThat(priced(told, without(members(random, 40, 8, more))).get(Metric.COST_PER_MIX)).as("a log that tells them no more")
                .isCloseTo(1, within(0.2));
    }

    /** Pages of which a member's costs so much more of a visitor's. */
    private static Sample members(Random random, int pages, int members, double more) {
        double some = Math.max(0, members + Math.rint(Math.sqrt(members) * random.nextGaussian()));
        double all = some + Math.max(0, Math.rint(pages - members + Math.sqrt(pages - members) * random.nextGaussian()));
        return only(Metric.MIX_HOME, all, 0.005).toBuilder().set(Metric.MIX_MEMBERS, some)
                .set(Metric.CPU_USED, 0.005 * (all + more * some)).build();
    }

    private static Sample without(Sample sample) {
        return sample.toBuilder().set(Metric.MIX_MEMBERS, Double.NaN).build();
    }

    @Test
    void filesBesideFewPagesAreNoCheaperTier() {
        Site site = new Site(3);
        RequestCostModel mix = site.learned(300);
        double[] files = new double[CLASSES];
        files[0] = 200;
        files[3] = 5;
        Sample second = site.second(files, 1);
        assertThat(priced(mix, second).get(Metric.COST_PER_MIX)).isCloseTo(1, within(0.25));
        double perRequest = second.get(Metric.CPU_USED) / Metric.MIX.stream().mapToDouble(second::get).sum();
        double usual = site.second(site.rates, 1).get(Metric.CPU_USED) / Arrays.stream(site.rates).sum();
        assertThat(perRequest / usual).as("what one request in the mean costs says otherwise").isLessThan(0.4);
    }

    @Test
    void ofOneClassAloneItsCostIsLearned() {
        RequestCostModel mix = steady();
        assertThat(priced(mix, only(Metric.MIX_HOME, 80, 0.005)).get(Metric.COST_PER_MIX)).isCloseTo(1, within(0.02));
        assertThat(priced(mix, only(Metric.MIX_HOME, 50, 0.006)).get(Metric.COST_PER_MIX)).isCloseTo(1.2, within(0.02));
        assertThat(priced(mix, only(Metric.MIX_WRITES, 50, 0.005)).has(Metric.COST_PER_MIX)).as("never seen").isFalse();
    }

    @Test
    void aClassThatWasNeverSeenDoesNotHideTheOthersWhileItIsSmall() {
        Site site = new Site(5);
        RequestCostModel mix = site.learned(100);
        double[] some = site.rates.clone();
        some[1] = 20;
        assertThat(priced(mix, site.second(some, 1)).get(Metric.COST_PER_MIX)).as("pages from a store").isCloseTo(1, within(0.15));
        some[1] = 3000;
        assertThat(priced(mix, site.second(some, 1)).has(Metric.COST_PER_MIX)).isFalse();
    }

    @Test
    void costsFollowAnApplicationThatHasBecomeDearer() {
        Site site = new Site(7);
        RequestCostModel mix = site.learned(300);
        for (int i = 0; i < 2000; i++) {
            mix = mix.plus(site.second(site.rates, 1.5));
        }
        assertThat(site.price(mix, site.rates, 1.5)).isCloseTo(1, within(0.03));
    }

    @Test
    void untilEnoughIsKnownNothingIsSaid() {
        Site site = new Site(9);
        assertThat(priced(site.learned(MedianWindow.MIN_VALUES - 1), site.second(site.rates, 1)).has(Metric.COST_PER_MIX)).isFalse();
        assertThat(priced(site.learned(MedianWindow.MIN_VALUES), site.second(site.rates, 1)).has(Metric.COST_PER_MIX)).isTrue();
        Sample recorded = site.second(site.rates, 1).toBuilder().set(Metric.COST_PER_MIX, 7).build();
        assertThat(priced(RequestCostModel.none(), recorded).has(Metric.COST_PER_MIX)).as("of who recorded it").isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whateverIsMeasuredCostsStayPossible(long seed) {
        Random random = new Random(seed);
        RequestCostModel mix = RequestCostModel.none();
        double[] odd = {0, 1e-300, 1e-9, 0.5, 1, 40, 1e6, 1e155, 1e300, Double.NaN};
        for (int i = 0; i < 3000; i++) {
            Sample.Builder builder = Sample.at(Tier.START);
            for (Metric metric : Metric.MIX) {
                builder.set(metric, random.nextInt(4) > 0 ? random.nextInt(30) : odd[random.nextInt(i % 3 == 0 ? 10 : 7)]);
            }
            Sample sample = builder.set(Metric.CPU_USED, random.nextInt(4) > 0 ? random.nextDouble()
                    : odd[random.nextInt(odd.length)]).build();
            mix = mix.plus(sample);
            double expected = mix.expected(sample);
            assertThat(Double.isNaN(expected) || expected >= 0).as("%s", sample).isTrue();
            assertThat(priced(mix, sample).get(Metric.COST_PER_MIX)).matches(price -> price.isNaN() || price >= 0);
        }
        assertThat(mix.count()).isPositive();
    }

    @Test
    void samplesWithoutMixOrCpuTeachNothingAndHaveNoPrice() {
        Site site = new Site(11);
        RequestCostModel mix = site.learned(50);
        for (Metric metric : new Metric[] {Metric.MIX_FILES, Metric.MIX_PAGES_6, Metric.CPU_USED}) {
            Sample lacking = site.second(site.rates, 1).toBuilder().set(metric, Double.NaN).build();
            assertThat(mix.plus(lacking)).isSameAs(mix);
            assertThat(priced(mix, lacking)).isSameAs(lacking);
        }
        Sample idle = site.second(new double[CLASSES], 1);
        assertThat(mix.plus(idle)).isSameAs(mix);
        assertThat(priced(mix, idle)).isSameAs(idle);
    }

    @Test
    void costsArePersistedWithTheMediansAndAStateWithoutThemIsRead() {
        Site site = new Site(13);
        MetricBaseline learning = MetricBaseline.none();
        ControlJson json = new ControlJson();
        ControllerState before = ControllerState.initial(Tier.BASE);
        assertThat(json.write(before)).as("as ever").doesNotContain("mix").contains("\"accepted\":0");
        for (int i = 0; i < 200; i++) {
            learning = learning.plus(site.second(site.rates, 1).toBuilder().set(Metric.RESPONSE_TIME, 0.04).build());
        }
        assertThat(learning.mix().count()).isEqualTo(200);
        ControllerState known = new ControllerState(State.NI2, 1, 1, 1, Tier.BASE, learning, before.ledger(), null, null,
                before.backoff(), null, before.counters(), null, null, null, null, null, null);
        String text = json.write(known);
        assertThat(json.readState("x", text)).isEqualTo(known);
        String older = text.replaceFirst(",\"mix\":\\{[^}]*}", "");
        assertThat(json.readState("x", older).learning().mix()).isEqualTo(RequestCostModel.none());
        assertThat(json.readState("x", text.replaceFirst("\"moments\":\\[[^,]*,", "\"moments\":[")).learning().mix())
                .as("of other classes").isEqualTo(RequestCostModel.none());
        assertThatThrownBy(() -> json.readState("x", text.replaceFirst("\"moments\":\\[[^,]*,", "\"moments\":[\"NaN\",")))
                .isInstanceOf(FormatException.class);
    }

    /** From the quiet seconds of a tier that decides, and not from those beside a neighbour. */
    @Test
    void aTierLearnsItInTheQuietAndFreezesItBesideANeighbour() {
        Site site = new Site(17);
        Tier tier = new Tier(Tier.policy().build());
        tier.feed(120, sample -> with(site, Tier.quiet(sample), 1));
        RequestCostModel learned = tier.state.learning().mix();
        assertThat(learned.count()).isGreaterThan(60);
        assertThat(tier.state.medians().get(Metric.COST_PER_MIX)).isCloseTo(1, within(0.05));
        assertThat(Attribute.parse("cost_per_mix_ratio").quantity()).isEqualTo(Metric.COST_PER_MIX);
        tier.feed(1, sample -> with(site, Tier.noisy(sample), 1.2));
        tier.feed(10, sample -> with(site, Tier.noisy(sample), 1.2));
        assertThat(tier.state.state()).isEqualTo(State.I2);
        assertThat(tier.state.learning().mix()).isEqualTo(learned);
        assertThat(tier.decisions.get(tier.decisions.size() - 1).tree()).contains(Label.INTERFERENCE);
        assertThat(tier.running.get(Lever.MITIGATION)).isPositive();
    }

    @Test
    void aFewSecondsTogetherSayMoreThanOne() {
        MetricBaseline learning = new MetricBaseline(Map.of(), 0, steady(), null, null);
        Sample usual = only(Metric.MIX_HOME, 50, 0.005);
        for (int i = 0; i < 30; i++) {
            learning = learning.seen(at(usual, i));
        }
        assertThat(learning.priced(at(only(Metric.MIX_HOME, 50, 0.01), 30)).get(Metric.COST_PER_MIX)).as("one second of chance")
                .isBetween(1.2, 1.4);
        for (int i = 30; i < 40; i++) {
            learning = learning.seen(at(only(Metric.MIX_HOME, 50, 0.01), i));
        }
        assertThat(learning.priced(at(only(Metric.MIX_HOME, 50, 0.01), 40)).get(Metric.COST_PER_MIX)).isCloseTo(2, within(0.05));
        assertThat(learning.priced(at(usual, 4000)).get(Metric.COST_PER_MIX)).as("long ago").isCloseTo(1, within(0.01));
        assertThat(learning.seen(at(usual, 41).toBuilder().set(Metric.MIX_HOME, Double.NaN).build())).isSameAs(learning);
        assertThat(learning.priced(at(usual, 3)).get(Metric.COST_PER_MIX)).as("a clock that goes back").isBetween(1.0, 2.0);
    }

    private static RequestCostModel steady() {
        RequestCostModel mix = RequestCostModel.none();
        for (int i = 0; i < 60; i++) {
            mix = mix.plus(only(Metric.MIX_HOME, 40 + i % 20, 0.005));
        }
        return mix;
    }

    private static Sample at(Sample sample, int second) {
        Sample.Builder builder = Sample.at(Tier.START.plus(Duration.ofSeconds(second))).set(Metric.CPU_USED, sample.get(Metric.CPU_USED));
        Metric.MIX.forEach(metric -> builder.set(metric, sample.get(metric)));
        return builder.build();
    }

    private static Sample.Builder with(Site site, Sample.Builder sample, double dearer) {
        Sample second = site.second(site.rates, dearer);
        Metric.MIX.forEach(metric -> sample.set(metric, second.get(metric)));
        return sample.set(Metric.CPU_USED, second.get(Metric.CPU_USED));
    }

    private static Sample only(Metric metric, double requests, double cost) {
        Sample.Builder sample = Sample.at(Tier.START);
        Metric.MIX.forEach(each -> sample.set(each, 0));
        return sample.set(metric, requests).set(Metric.CPU_USED, requests * cost).build();
    }
}

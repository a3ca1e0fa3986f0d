// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A site of three pages a second, which come by chance, each with ten static files that the access log leaves out
 * ({@code exclude: [static]}): the figures of a sample are those of the pages, and a neighbour is noticed within ten seconds.
 */
class SmallSiteTest {

    private static final double PAGES = 3;
    private static final int LATEST = 10;
    private static final int SITES = 50;

    /** How many of the pages come in a second (Poisson). */
    private static int pages(Random chance) {
        double left = Math.exp(-PAGES);
        double product = chance.nextDouble();
        int pages = 0;
        while (product > left) {
            product *= chance.nextDouble();
            pages++;
        }
        return pages;
    }

    /** A second of pages whose times scatter as those of pages do, with a long tail; the CPU is theirs and a little else's. */
    private static UnaryOperator<Sample.Builder> second(Random chance, double page, double cpu, double steal) {
        return sample -> {
            int pages = pages(chance);
            double sum = 0;
            double longest = 0;
            for (int i = 0; i < pages; i++) {
                double time = page * Math.exp(0.4 * chance.nextGaussian());
                sum += time;
                longest = Math.max(longest, time);
            }
            return sample.set(Metric.REQUESTS, pages).set(Metric.THROUGHPUT, pages)
                    .set(Metric.RESPONSE_TIME, pages == 0 ? Double.NaN : sum / pages)
                    .set(Metric.RESPONSE_TIME_P95, pages == 0 ? Double.NaN : longest)
                    .set(Metric.CPU_UTIL, Math.min(1, 0.02 + pages * cpu)).set(Metric.STEAL, steal)
                    .set(Metric.ERROR_RATE, 0).set(Metric.ACCEPT_QUEUE_WAIT, 0);
        };
    }

    private static Tier settled(Detector tree, Metric felt, int minRequests, Random chance, double steal) {
        Tier tier = new Tier(Policy.builder(Tier.BASE, Tier.BOUNDS, tree, Shipped.rules()).targetResponseTime(0.5)
                .felt(felt).minRequests(minRequests).build());
        tier.feed(600 + chance.nextInt(7), second(chance, 0.10, 0.05, steal));
        assertThat(tier.state.state()).isEqualTo(State.NI2);
        assertThat(tier.actions()).as("without a neighbour").isEmpty();
        return tier;
    }

    @ParameterizedTest
    @EnumSource(value = Metric.class, names = {"RESPONSE_TIME", "RESPONSE_TIME_P95"})
    void withStealDetectionTakesTenSecondsAtMost(Metric felt) {
        Detector tree = new Detector.Tree(Shipped.classifier());
        for (int seed = 0; seed < SITES; seed++) {
            Random chance = new Random(seed);
            settled(tree, felt, 10, chance, 0.01).until(Action.MITIGATE, LATEST, second(chance, 0.70, 0.30, 0.38));
        }
    }

    /** A neighbour takes half of what is asked for, so nothing in a second without a page: such seconds do not say that he has gone. */
    @Test
    void secondsWithoutAPageRestoreNothing() {
        Detector tree = new Detector.Tree(Shipped.classifier());
        for (int seed = 0; seed < SITES; seed++) {
            Random chance = new Random(seed);
            Tier tier = settled(tree, Metric.RESPONSE_TIME, 10, chance, 0.01);
            tier.until(Action.MITIGATE, 3 * LATEST, halved(second(chance, 0.70, 0.07, 0.01)));
            assertThat(tier.feed(300, halved(second(chance, 0.30, 0.04, 0.01))).state()).as("site %d", seed).isEqualTo(State.I2);
            assertThat(tier.actions()).as("site %d", seed).allMatch(decision -> decision.desired().get(Lever.MITIGATION)
                    >= decision.current().get(Lever.MITIGATION));
            tier.feed(120, second(chance, 0.10, 0.05, 0.01));
            assertThat(tier.running).as("site %d", seed).isEqualTo(Tier.BASE);
        }
    }

    private static UnaryOperator<Sample.Builder> halved(UnaryOperator<Sample.Builder> second) {
        return sample -> {
            Sample alone = second.apply(sample).build();
            double used = alone.get(Metric.CPU_UTIL);
            return sample.set(Metric.CPU_UTIL, Math.min(1, 2 * used)).set(Metric.STEAL, Math.min(0.5, used));
        };
    }

    /** There response times must tell, so it is a matter of how many pages come; {@code ic2 check} advises this. */
    @Test
    void withoutStealFewerRequestsMakeASample() {
        Detector tree = new Detector.Tree(Shipped.classifier(Shipped.WITHOUT_STEAL));
        int late = 0;
        for (int seed = 0; seed < SITES; seed++) {
            Random chance = new Random(seed);
            Tier tier = settled(tree, Metric.RESPONSE_TIME, 6, chance, Double.NaN);
            int begun = tier.decisions.size();
            tier.until(Action.MITIGATE, 2 * LATEST, second(chance, 0.70, 0.30, Double.NaN));
            late += tier.decisions.size() - begun > LATEST ? 1 : 0;
        }
        assertThat(late).as("of %d sites that were noticed after %d s", SITES, LATEST).isLessThan(SITES / 10);
    }
}

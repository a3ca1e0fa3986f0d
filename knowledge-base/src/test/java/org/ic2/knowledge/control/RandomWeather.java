// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;

/** Seeded sequences of conditions: steady, oscillating, noisy, missing, absurd, with a clock that steps. */
final class RandomWeather {
    private static final List<UnaryOperator<Sample.Builder>> KINDS = List.of(Tier::quiet, Tier::noisy, Tier::hidden,
            Tier.blind(Tier::quiet), Tier.blind(Tier::noisy), Tier.blind(Tier::hidden), RandomWeather::surge,
            RandomWeather::starving, sample -> sample);

    private final Random random;
    private final double missing;
    private final double garbage;
    private final double noise;
    private final boolean steppingClock;
    private UnaryOperator<Sample.Builder> kind = KINDS.get(0);
    private UnaryOperator<Sample.Builder> other = KINDS.get(0);
    private boolean oscillating;
    private int left = 100;

    RandomWeather(long seed) {
        random = new Random(seed);
        missing = random.nextInt(3) == 0 ? random.nextDouble() * 0.3 : 0;
        garbage = random.nextInt(3) == 0 ? random.nextDouble() * 0.1 : 0;
        noise = random.nextInt(2) * random.nextDouble();
        steppingClock = random.nextInt(3) == 0;
    }

    /** Feeds one interval. */
    void blow(Tier tier) {
        if (left-- == 0) {
            kind = KINDS.get(random.nextInt(KINDS.size()));
            other = KINDS.get(random.nextInt(KINDS.size()));
            oscillating = random.nextInt(3) == 0;
            left = 1 + random.nextInt(1 << random.nextInt(10));
        }
        if (steppingClock && random.nextInt(500) == 0) {
            tier.time = tier.time.plus(Duration.ofMillis((long) (random.nextGaussian() * 1e6)));
        }
        UnaryOperator<Sample.Builder> now = oscillating && random.nextBoolean() ? other : kind;
        tier.feed(sample -> disturbed(now.apply(sample)));
    }

    private Sample.Builder disturbed(Sample.Builder builder) {
        Sample sample = builder.build();
        Sample.Builder disturbed = sample.toBuilder();
        for (Metric metric : Metric.values()) {
            if (!sample.has(metric) || metric.ordinal() >= Metric.MXC.ordinal()) {
                continue;
            }
            double value = sample.get(metric) * Math.exp(noise * random.nextGaussian());
            disturbed.set(metric, random.nextDouble() < missing ? Double.NaN
                    : random.nextDouble() < garbage ? absurd() : value);
        }
        return disturbed;
    }

    private double absurd() {
        double[] values = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.MAX_VALUE, Double.MIN_VALUE, 1e9, 1e-9};
        return values[random.nextInt(values.length)];
    }

    private static Sample.Builder surge(Sample.Builder sample) {
        return Tier.quiet(sample).set(Metric.THROUGHPUT, 180).set(Metric.REQUESTS, 180).set(Metric.CPU_UTIL, 0.95)
                .set(Metric.RESPONSE_TIME, 0.3).set(Metric.CONNECTED_USERS, 400);
    }

    private static Sample.Builder starving(Sample.Builder sample) {
        return Tier.noisy(sample).set(Metric.ACCEPT_QUEUE, 60).set(Metric.ACCEPT_QUEUE_WAIT, 2)
                .set(Metric.CONNECTED_USERS, 700);
    }
}

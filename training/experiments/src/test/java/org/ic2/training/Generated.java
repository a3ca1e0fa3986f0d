// SPDX-License-Identifier: Apache-2.0
package org.ic2.training;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.ic2.training.data.Truth;

/** Runs whose truth is known because they were made up: quiet and loud stretches in turn, with seeded noise. */
public final class Generated {
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    public static final Settings BASELINE = Lever.settings(240, 1000, 60, 0);
    public static final Duration SETTLING = Duration.ofSeconds(10);

    /** A level of response time (s), CPU and throughput, and what only a tenant with a probe sees. */
    public record Level(double responseTime, double cpu, double throughput, double steal, double latency) {
    }

    public static final Level WITHOUT_INTERFERENCE = new Level(0.04, 0.5, 100, 0.01, 20);
    public static final Level UNDER_INTERFERENCE = new Level(0.4, 0.95, 85, 0.4, 120);

    private Generated() {
    }

    /** {@code cycles} times quiet and loud, each for {@code phase} seconds, a sample a second, labelled. */
    public static Run run(String id, int index, int cycles, int phase, double noise) {
        Random random = new Random(index);
        Instant begin = START.plus(Duration.ofHours(index));
        List<Switch> switches = new ArrayList<>();
        List<Sample> samples = new ArrayList<>();
        for (int second = 1; second <= 2 * cycles * phase; second++) {
            boolean loud = (second - 1) / phase % 2 == 1;
            if ((second - 1) % phase == 0 && second > 1) {
                switches.add(new Switch(begin.plusSeconds(second - 1), loud, "dcopy", "same-core"));
            }
            samples.add(sample(begin.plusSeconds(second), loud ? UNDER_INTERFERENCE : WITHOUT_INTERFERENCE, noise, random));
        }
        Run run = new Run(id, Duration.ofSeconds(1), Optional.of(BASELINE), switches, Map.of(Run.KIND, "phase-1"), samples);
        return Truth.ofSwitches(switches, SETTLING).label(run);
    }

    public static Sample sample(Instant time, Level level, double noise, Random random) {
        return Sample.at(time).settings(BASELINE)
                .set(Metric.RESPONSE_TIME, level.responseTime() * factor(noise, random))
                .set(Metric.THROUGHPUT, level.throughput() * factor(noise / 4, random))
                .set(Metric.REQUESTS, level.throughput())
                .set(Metric.CPU_UTIL, Math.min(1, level.cpu() * factor(noise / 4, random)))
                .set(Metric.STEAL, level.steal() * factor(noise, random))
                .set(Metric.RUN_DELAY, level.steal() * factor(noise, random))
                .set(Metric.MEMORY_LATENCY, level.latency() * factor(noise, random)).build();
    }

    private static double factor(double noise, Random random) {
        return Math.exp(noise * random.nextGaussian());
    }

    /** Several runs with the same noise. */
    public static List<Run> runs(int count, double noise) {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(run("run-" + i, i, 3, 60, noise));
        }
        return runs;
    }
}

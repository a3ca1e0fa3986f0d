// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The time of one decision: the goal is at most 10 microseconds. */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DecideBenchmark {
    private static final Settings BASE = Lever.settings(650, 5000, 50, 0);

    private final Policy policy = Policy.builder(BASE,
            new Bounds(Lever.settings(300, 5000, 50, 0), Lever.settings(650, 30_000, 400, 4)),
            new Detector.Tree(Shipped.classifier()), Shipped.rules()).targetResponseTime(0.2).build();
    private final ControllerState normal = learned();
    private final ControllerState suspicious = suspicious();
    private final ControllerState mitigated =
            Controller.decide(suspicious, sample(4000, BASE, true), policy).state();
    private final Sample quiet = sample(3000, BASE, false);
    private final Sample loud = sample(4000, BASE, true);
    private final Sample behind = sample(5000, mitigated.configuration(), true);

    private static Sample sample(int second, Settings running, boolean loud) {
        return Sample.at(Instant.ofEpochSecond(1_767_225_600L + second)).settings(running)
                .set(Metric.RESPONSE_TIME, loud ? 0.45 : 0.04 + second % 7 * 1e-4)
                .set(Metric.THROUGHPUT, loud ? 87 : 115).set(Metric.REQUESTS, 100)
                .set(Metric.CPU_UTIL, loud ? 1 : 0.6).set(Metric.STEAL, loud ? 0.45 : 0.01)
                .set(Metric.RUN_DELAY, loud ? 0.3 : 0.02).set(Metric.MEMORY_LATENCY, loud ? 140 : 90)
                .set(Metric.CONNECTED_USERS, 120).set(Metric.THINK_TIME, 1).set(Metric.ACCEPT_QUEUE, 0)
                .set(Metric.ACCEPT_QUEUE_WAIT, 0).set(Metric.ERROR_RATE, 0).set(Metric.BUSY_WORKERS, 110)
                .set(Metric.IDLE_WORKERS, 540).set(Metric.MEMORY_IDLE, 0.5).set(Metric.MEMORY_ACTIVE, 0.3)
                .set(Metric.PAGE_FAULTS, 0).set(Metric.NETWORK_IN, 1e5).set(Metric.NETWORK_OUT, 1e6)
                .set(Metric.DISK_READ, 0).set(Metric.DISK_WRITE, 1e4).build();
    }

    private ControllerState learned() {
        ControllerState state = ControllerState.initial(BASE);
        for (int second = 0; second < 1000; second++) {
            state = Controller.decide(state, sample(second, BASE, false), policy).state();
        }
        return state;
    }

    private ControllerState suspicious() {
        ControllerState state = learned();
        for (int second = 1000; second < 1002; second++) {
            state = Controller.decide(state, sample(second, BASE, true), policy).state();
        }
        return state;
    }

    /** No interference: classify, learn, hold. */
    @Benchmark
    public DecisionResult quietSecond() {
        return Controller.decide(normal, quiet, policy);
    }

    /** The onset: rules, Algorithm 1, guard, explanation. */
    @Benchmark
    public DecisionResult mitigatingSecond() {
        return Controller.decide(suspicious, loud, policy);
    }

    /** Behind a mitigation. */
    @Benchmark
    public DecisionResult mitigatedSecond() {
        return Controller.decide(mitigated, behind, policy);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.time.Instant;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.RequestCostModel;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the mix of requests adds to a second: what it takes in the quiet, and there the solution of what each class costs. */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RequestCostModelBenchmark {
    private final Random random = new Random(1);
    private final Sample second = second();
    private final RequestCostModel learned = learned(RequestCostModel.none(), 1000);

    /** Pages of all classes, files, none from the store; a request of one class costs ten times what one of the next does. */
    private Sample second() {
        Sample.Builder sample = Sample.at(Instant.ofEpochSecond(1_767_225_600L));
        double used = 0.01;
        for (int i = 0; i < Metric.MIX.size(); i++) {
            double requests = Metric.MIX.get(i) == Metric.MIX_STORED ? 0 : random.nextInt(30);
            sample.set(Metric.MIX.get(i), requests);
            used += requests * (i % 2 == 0 ? 0.0005 : 0.005);
        }
        return sample.set(Metric.CPU_USED, used * (1 + 0.05 * random.nextGaussian())).build();
    }

    private RequestCostModel learned(RequestCostModel before, int seconds) {
        RequestCostModel mix = before;
        for (int i = 0; i < seconds; i++) {
            mix = mix.plus(second());
        }
        return mix;
    }

    /** One more quiet second. */
    @Benchmark
    public RequestCostModel learn() {
        return learned.plus(second);
    }

    /** Every second. */
    @Benchmark
    public double expected() {
        return learned.expected(second);
    }
}

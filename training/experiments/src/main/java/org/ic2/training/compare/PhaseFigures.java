// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.ic2.training.evaluate.Quantiles;

/** What was seen while the neighbour was there, or was not, and nothing of the time before. */
final class PhaseFigures {
    private static final int RECENT_INTERVALS = 3;

    private final String name;
    private final Instant begin;
    private final List<Double> responseTimes = new ArrayList<>();
    private final List<Double> throughputs = new ArrayList<>();

    PhaseFigures(String name, Instant begin) {
        this.name = name;
        this.begin = begin;
    }

    String name() {
        return name;
    }

    Instant begin() {
        return begin;
    }

    /** One of the load's intervals that lies in this phase; NaN where it has none. */
    void add(double responseTime, double throughput) {
        if (Double.isFinite(responseTime)) {
            responseTimes.add(responseTime);
        }
        if (Double.isFinite(throughput)) {
            throughputs.add(throughput);
        }
    }

    /** The median of them all. */
    double responseTime() {
        return median(responseTimes);
    }

    /** The mean of the last few. */
    double responseTimeNow() {
        return responseTimes.subList(Math.max(0, responseTimes.size() - RECENT_INTERVALS), responseTimes.size()).stream()
                .mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    double throughput() {
        return median(throughputs);
    }

    private static double median(List<Double> values) {
        return Quantiles.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;

/**
 * Makes samples of a longer interval (the paper's 5 s) from those of a shorter one (1 s), so that both intervals are
 * judged on the same recording. Response time is weighted by completed requests, counts are added, states (queues,
 * waiting users, configuration) are the last ones, everything else is the mean of what was measured. A percentile
 * cannot be made from percentiles: it is missing.
 */
public final class Resampling {
    private static final Set<Metric> LAST = EnumSet.of(Metric.PENDING_USERS, Metric.OLDEST_WAIT, Metric.ACCEPT_QUEUE,
            Metric.CONNECTED_USERS, Metric.BUSY_WORKERS, Metric.IDLE_WORKERS, Metric.MXC, Metric.KAT, Metric.PHP,
            Metric.MITIGATION);
    private static final Set<Metric> BY_REQUESTS = EnumSet.of(Metric.RESPONSE_TIME, Metric.ACCEPT_QUEUE_WAIT);
    /** A longer interval of which less was measured is left out. */
    private static final double LEAST_SHARE = 0.8;

    private Resampling() {
    }

    /**
     * The run at a longer interval.
     *
     * @throws IllegalArgumentException if the interval is not a multiple of the run's own
     */
    public static Run to(Duration interval, Run run) {
        long own = run.interval().toMillis();
        long wanted = interval.toMillis();
        if (wanted == own) {
            return run;
        }
        if (wanted < own || wanted % own != 0) {
            throw new IllegalArgumentException("run " + run.id() + ": expected a multiple of its interval of " + own
                    + " ms, got " + wanted + " ms");
        }
        List<Sample> result = new ArrayList<>();
        List<Sample> window = new ArrayList<>();
        Instant end = run.samples().isEmpty() ? Instant.EPOCH
                : run.samples().get(0).time().minusMillis(own).plusMillis(wanted);
        for (Sample sample : run.samples()) {
            while (sample.time().isAfter(end.plusMillis(own / 2))) {
                close(window, end, wanted / own, result);
                end = end.plusMillis(wanted);
            }
            window.add(sample);
        }
        close(window, end, wanted / own, result);
        return new Run(run.id(), interval, run.baseline(), run.switches(), run.facts(), result);
    }

    private static void close(List<Sample> window, Instant end, long full, List<Sample> result) {
        if (window.size() >= LEAST_SHARE * full) {
            result.add(merged(window, end));
        }
        window.clear();
    }

    private static Sample merged(List<Sample> window, Instant end) {
        Sample last = window.get(window.size() - 1);
        Sample.Builder builder = Sample.at(end).member(last.member()).label(label(window));
        epochs(builder, window);
        for (Metric metric : Metric.values()) {
            if (metric == Metric.REQUESTS) {
                builder.set(metric, window.stream().mapToDouble(s -> s.get(metric)).sum());
            } else if (LAST.contains(metric)) {
                builder.set(metric, last.get(metric));
            } else if (metric != Metric.RESPONSE_TIME_P95) {
                builder.set(metric, mean(window, metric));
            }
        }
        return builder.build();
    }

    /** A change anywhere in the window counts, also one by hand, after which the epoch is the same again. */
    private static void epochs(Sample.Builder builder, List<Sample> window) {
        long begin = window.get(0).epoch();
        long end = window.get(window.size() - 1).epochEnd();
        boolean hidden = begin == end && window.stream().anyMatch(Sample::straddlesEpochs);
        builder.epochs(begin, hidden ? end + 1 : end);
    }

    private static double mean(List<Sample> window, Metric metric) {
        double sum = 0;
        double weights = 0;
        for (Sample sample : window) {
            double weight = BY_REQUESTS.contains(metric) ? sample.get(Metric.THROUGHPUT) : 1;
            if (sample.has(metric) && weight > 0) {
                sum += weight * sample.get(metric);
                weights += weight;
            }
        }
        return weights > 0 ? sum / weights : Double.NaN;
    }

    private static Label label(List<Sample> window) {
        Label first = window.get(0).label().orElse(null);
        if (window.stream().anyMatch(sample -> sample.label().isEmpty())) {
            return null;
        }
        return window.stream().allMatch(sample -> sample.label().orElseThrow() == first) ? first : Label.TRANSIENT;
    }
}

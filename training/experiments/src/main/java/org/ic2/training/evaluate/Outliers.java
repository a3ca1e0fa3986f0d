// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;

/**
 * Interference found without labels (paper, section 2, equation 1): a sample is an outlier if it lies further from the
 * median than C times the median absolute deviation. An episode is a stretch of outliers above the median.
 *
 * @param metric    what was looked at
 * @param median    its median
 * @param deviation its median absolute deviation
 * @param limit     above it a sample is a high outlier
 * @param samples   samples that had a value
 * @param outliers  those that equation 1 names, on either side
 * @param episodes  stretches of high ones, in order of time
 */
public record Outliers(Metric metric, double median, double deviation, double limit, int samples, int outliers,
        List<Episode> episodes) {
    /**
     * A stretch of outliers above the median.
     *
     * @param run   the recording
     * @param from  its begin
     * @param to    its end
     * @param worst the greatest value
     */
    public record Episode(String run, Instant from, Instant to, double worst) {
        /** How long it lasted. */
        public Duration length() {
            return Duration.between(from, to);
        }
    }

    /**
     * The outliers of recordings of one deployment, all measured against their common median.
     *
     * @param factor C; the paper gives no value. 5 is about 3.4 standard deviations of a normal distribution
     * @param gap    normal samples that do not end an episode
     * @throws IllegalArgumentException if no sample has the metric
     */
    public static Outliers of(List<Run> runs, Metric metric, double factor, int gap) {
        double[] values = runs.stream().flatMap(run -> run.samples().stream()).filter(sample -> sample.has(metric))
                .mapToDouble(sample -> sample.get(metric)).toArray();
        if (values.length == 0) {
            throw new IllegalArgumentException("outliers: no sample has a value of " + metric.column());
        }
        double median = Quantiles.median(values);
        double[] distances = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            distances[i] = Math.abs(values[i] - median);
        }
        double deviation = Quantiles.median(distances);
        int outliers = 0;
        for (double distance : distances) {
            outliers += distance > factor * deviation ? 1 : 0;
        }
        double limit = median + factor * deviation;
        List<Episode> episodes = new ArrayList<>();
        runs.forEach(run -> episodes.addAll(episodes(run, metric, limit, gap)));
        return new Outliers(metric, median, deviation, limit, values.length, outliers, episodes);
    }

    private static List<Episode> episodes(Run run, Metric metric, double limit, int gap) {
        List<Episode> episodes = new ArrayList<>();
        Duration most = run.interval().multipliedBy(gap + 1).plus(run.interval().dividedBy(2));
        for (Sample sample : run.samples()) {
            if (!(sample.get(metric) > limit)) {
                continue;
            }
            Episode last = episodes.isEmpty() ? null : episodes.get(episodes.size() - 1);
            if (last != null && Duration.between(last.to(), sample.time()).compareTo(most) <= 0) {
                episodes.set(episodes.size() - 1, new Episode(run.id(), last.from(), sample.time(),
                        Math.max(last.worst(), sample.get(metric))));
            } else {
                episodes.add(new Episode(run.id(), sample.time().minus(run.interval()), sample.time(),
                        sample.get(metric)));
            }
        }
        return episodes;
    }
}

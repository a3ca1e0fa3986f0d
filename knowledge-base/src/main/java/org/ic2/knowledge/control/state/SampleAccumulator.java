// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;

/**
 * Few requests make no response time that can be judged, so those of several intervals are added up until there are
 * enough. Each request counts for one judgement only: two judgements of the same slow request would confirm each other.
 *
 * @param epoch   the configuration epoch of all of them
 * @param heard   when a request was completed last, ms on the controller's clock
 * @param seconds how long the intervals that are added up lasted
 * @param sums    over these intervals: REQUESTS; RESPONSE_TIME, all requests' seconds; CPU_UTIL, CPU_USED and STEAL,
 *                CPU seconds; ERROR_RATE, failures; RESPONSE_TIME_P95, the longest of them; of each class of the mix, its
 *                requests. What was not measured in all is absent
 * @param latest  the figures of the latest sample of enough requests, in the units of a sample
 */
public record SampleAccumulator(long epoch, long heard, double seconds, Map<Metric, Double> sums,
        Map<Metric, Double> latest) {
    /** Those of an interval count without requests, too. */
    public static final Set<Metric> CPU_METRICS = Collections.unmodifiableSet(EnumSet.of(Metric.CPU_UTIL, Metric.CPU_USED, Metric.STEAL));

    public SampleAccumulator(long epoch, long heard, double seconds, Map<Metric, Double> sums, Map<Metric, Double> latest) {
        this.epoch = epoch;
        this.heard = heard;
        this.seconds = seconds;
        this.sums = Collections.unmodifiableMap(copy(sums));
        this.latest = Collections.unmodifiableMap(copy(latest));
    }

    private static EnumMap<Metric, Double> copy(Map<Metric, Double> values) {
        EnumMap<Metric, Double> copy = new EnumMap<>(Metric.class);
        copy.putAll(values);
        return copy;
    }

    /** The same with one more interval. */
    public SampleAccumulator plus(Sample sample, long now, double elapsed) {
        double requests = sample.get(Metric.REQUESTS);
        double lasted = requests > 0 && sample.get(Metric.THROUGHPUT) > 0 ? requests / sample.get(Metric.THROUGHPUT)
                : elapsed;
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.put(Metric.REQUESTS, requests);
        more.put(Metric.RESPONSE_TIME, requests > 0 ? sample.get(Metric.RESPONSE_TIME) * requests : 0);
        more.put(Metric.RESPONSE_TIME_P95, requests > 0 ? sample.get(Metric.RESPONSE_TIME_P95) : 0);
        CPU_METRICS.forEach(metric -> more.put(metric, sample.get(metric) * lasted));
        more.put(Metric.ERROR_RATE, sample.get(Metric.ERROR_RATE) * lasted);
        Metric.MIX.forEach(metric -> more.put(metric, sample.get(metric) * lasted));
        more.put(Metric.MIX_MEMBERS, sample.get(Metric.MIX_MEMBERS) * lasted);
        boolean first = sums.isEmpty();
        EnumMap<Metric, Double> total = new EnumMap<>(Metric.class);
        more.forEach((metric, value) -> {
            DoubleBinaryOperator with = metric == Metric.RESPONSE_TIME_P95 ? Math::max : Double::sum;
            double sum = with.applyAsDouble(first ? 0 : sums.getOrDefault(metric, Double.NaN), value);
            if (!Double.isNaN(sum)) {
                total.put(metric, sum);
            }
        });
        return new SampleAccumulator(epoch, requests > 0 ? now : heard, seconds + lasted, total, latest);
    }

    /** The figures that the sums come to. */
    public Map<Metric, Double> whole() {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        double requests = sums.get(Metric.REQUESTS);
        sums.forEach((metric, sum) -> figures.put(metric, switch (metric) {
            case RESPONSE_TIME -> sum / requests;
            case REQUESTS, RESPONSE_TIME_P95 -> sum;
            default -> sum / seconds;
        }));
        figures.put(Metric.THROUGHPUT, requests / seconds);
        return figures;
    }
}

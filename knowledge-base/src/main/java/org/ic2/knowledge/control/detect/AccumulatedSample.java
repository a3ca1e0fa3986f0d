// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.SampleAccumulator;

/**
 * An interval, and what can be said at its end.
 *
 * @param interval what was measured
 * @param judged   the same, with the figures of enough requests, or with none
 * @param acted    the same, with the latest figures of enough requests there were
 * @param few      why there are no figures, in words; null if there are
 * @param between  true if it is a part of an interval, and the interval is still to end
 * @param next     what goes on
 */
public record AccumulatedSample(Sample interval, Sample judged, Sample acted, String few, boolean between, SampleAccumulator next) {
    /** What requests tell, and the CPU that they got and did not get. */
    private static final List<Metric> FIGURES = Stream.concat(Stream.of(Metric.REQUESTS, Metric.THROUGHPUT,
            Metric.RESPONSE_TIME, Metric.RESPONSE_TIME_P95, Metric.ERROR_RATE, Metric.CPU_UTIL, Metric.CPU_USED, Metric.STEAL,
            Metric.MIX_MEMBERS), Metric.MIX.stream()).toList();

    /** After so many times the requests that are enough, the next interval has enough of its own. */
    private static final int OWN_REQUESTS_FACTOR = 4;

    /** Adds an interval to what was remembered, which may be null. */
    public static AccumulatedSample of(ControllerState before, Sample sample, Policy policy) {
        if (before.between(sample.time(), policy)) {
            return part(before, sample, before.watch().filled(sample), policy);
        }
        return sample.straddlesEpochs() || !counted(sample) ? new AccumulatedSample(sample, sample, sample, null, false, null)
                : add(before, sample, false, Map.of(), policy);
    }

    private static boolean counted(Sample sample) {
        return sample.has(Metric.THROUGHPUT) && sample.has(Metric.REQUESTS);
    }

    /** A part of an interval: what it knows of requests goes on from what is known of the whole ones. */
    private static AccumulatedSample part(ControllerState before, Sample sample, Sample filled, Policy policy) {
        Sample whole = before.watch().whole();
        SampleAccumulator known = before.gathering();
        Map<Metric, Double> latest = known != null && known.epoch() == sample.epoch() ? known.latest()
                : whole.epochEnd() == sample.epoch() && whole.has(Metric.RESPONSE_TIME) ? figures(whole) : Map.of();
        AccumulatedSample all = sample.straddlesEpochs() ? new AccumulatedSample(sample, sample, sample, null, true, null)
                : counted(sample) ? add(before, filled, true, latest, policy)
                : new AccumulatedSample(sample, with(filled, Map.of()), with(filled, latest),
                "no requests were counted since the last sample", true, known);
        return new AccumulatedSample(sample, all.judged, all.acted, all.few, true, all.next);
    }

    private static AccumulatedSample add(ControllerState before, Sample sample, boolean between, Map<Metric, Double> latest,
            Policy policy) {
        double requests = sample.get(Metric.REQUESTS);
        int enough = policy.sharing() == null ? policy.minRequests()
                : policy.sharing().enough(policy.minRequests(), before.configuration(), sample, policy.baseline());
        if (requests >= OWN_REQUESTS_FACTOR * enough) {
            return new AccumulatedSample(sample, sample, sample, null, between, null);
        }
        long now = before.clockAt(sample.time());
        if (requests >= enough) {
            return new AccumulatedSample(sample, sample, sample, null, between, new SampleAccumulator(sample.epoch(), now, 0, Map.of(),
                    figures(sample)));
        }
        SampleAccumulator known = before.gathering();
        boolean stale = known == null || known.epoch() != sample.epoch()
                || now - known.heard() >= policy.staleAfter().toMillis();
        SampleAccumulator sum = (stale ? new SampleAccumulator(sample.epoch(), now, 0, Map.of(), latest) : known)
                .plus(sample, now, (now - before.now()) / 1000.0);
        if (sum.sums().get(Metric.REQUESTS) >= enough) {
            Sample whole = with(sample, sum.whole());
            return new AccumulatedSample(sample, whole, whole, null, between,
                    new SampleAccumulator(sample.epoch(), now, 0, Map.of(), sum.whole()));
        }
        String few = "only " + Math.round(sum.sums().get(Metric.REQUESTS)) + " of the " + enough
                + " requests of a sample in " + Math.round(sum.seconds()) + "s";
        return new AccumulatedSample(sample, with(sample, Map.of()), with(sample, sum.latest()), few, between, sum);
    }

    private static Map<Metric, Double> figures(Sample sample) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        for (Metric metric : FIGURES) {
            if (sample.has(metric)) {
                figures.put(metric, sample.get(metric));
            }
        }
        return figures;
    }

    /** The sample with these figures of requests and no others. */
    private static Sample with(Sample sample, Map<Metric, Double> figures) {
        Sample.Builder builder = sample.toBuilder();
        for (Metric metric : FIGURES) {
            if (!SampleAccumulator.CPU_METRICS.contains(metric) || figures.containsKey(metric)) {
                builder.set(metric, figures.getOrDefault(metric, Double.NaN));
            }
        }
        return builder.build();
    }

    /** True if it is a sample of its own right: a whole interval with the figures of enough requests. */
    public boolean teaches() {
        return few == null && !between;
    }

    /** True if the interval itself is no sign of life: nobody asked, or nobody was answered. */
    public boolean silent() {
        return few != null && !(interval.get(Metric.REQUESTS) > 0);
    }

    /** The same with what the mix of requests cost, against what it costs in the quiet. */
    public AccumulatedSample priced(MetricBaseline known) {
        Sample now = known.priced(judged);
        Sample latest = acted == judged ? now : known.priced(acted);
        return now == judged && latest == acted ? this : new AccumulatedSample(interval, now, latest, few, between, next);
    }
}

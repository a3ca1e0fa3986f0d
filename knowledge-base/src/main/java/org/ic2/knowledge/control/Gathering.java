// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Stream;
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
public record Gathering(long epoch, long heard, double seconds, Map<Metric, Double> sums,
        Map<Metric, Double> latest) {
    /** What requests tell, and the CPU that they got and did not get. */
    private static final List<Metric> FIGURES = Stream.concat(Stream.of(Metric.REQUESTS, Metric.THROUGHPUT,
            Metric.RESPONSE_TIME, Metric.RESPONSE_TIME_P95, Metric.ERROR_RATE, Metric.CPU_UTIL, Metric.CPU_USED, Metric.STEAL,
            Metric.MIX_MEMBERS), Metric.MIX.stream()).toList();

    /** Those of an interval count without requests, too. */
    private static final Set<Metric> CPU = EnumSet.of(Metric.CPU_UTIL, Metric.CPU_USED, Metric.STEAL);

    /** After so many times the requests that are enough, the next interval has enough of its own. */
    private static final int PLENTY = 4;

    public Gathering(long epoch, long heard, double seconds, Map<Metric, Double> sums, Map<Metric, Double> latest) {
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
    record Gathered(Sample interval, Sample judged, Sample acted, String few, boolean between, Gathering next) {
        /** True if it is a sample of its own right: a whole interval with the figures of enough requests. */
        boolean teaches() {
            return few == null && !between;
        }

        /** True if the interval itself is no sign of life: nobody asked, or nobody was answered. */
        boolean silent() {
            return few != null && !(interval.get(Metric.REQUESTS) > 0);
        }

        /** The same with what the mix of requests cost, against what it costs in the quiet. */
        Gathered priced(Learning known) {
            Sample now = known.priced(judged);
            Sample latest = acted == judged ? now : known.priced(acted);
            return now == judged && latest == acted ? this : new Gathered(interval, now, latest, few, between, next);
        }
    }

    /** Adds an interval to what was remembered, which may be null. */
    static Gathered add(ControllerState before, Sample sample, Policy policy) {
        if (before.between(sample.time(), policy)) {
            return part(before, sample, before.watch().filled(sample), policy);
        }
        return sample.straddlesEpochs() || !counted(sample) ? new Gathered(sample, sample, sample, null, false, null)
                : add(before, sample, false, Map.of(), policy);
    }

    private static boolean counted(Sample sample) {
        return sample.has(Metric.THROUGHPUT) && sample.has(Metric.REQUESTS);
    }

    /** A part of an interval: what it knows of requests goes on from what is known of the whole ones. */
    private static Gathered part(ControllerState before, Sample sample, Sample filled, Policy policy) {
        Sample whole = before.watch().whole();
        Gathering known = before.gathering();
        Map<Metric, Double> latest = known != null && known.epoch == sample.epoch() ? known.latest
                : whole.epochEnd() == sample.epoch() && whole.has(Metric.RESPONSE_TIME) ? figures(whole) : Map.of();
        Gathered all = sample.straddlesEpochs() ? new Gathered(sample, sample, sample, null, true, null)
                : counted(sample) ? add(before, filled, true, latest, policy)
                : new Gathered(sample, with(filled, Map.of()), with(filled, latest),
                "no requests were counted since the last sample", true, known);
        return new Gathered(sample, all.judged, all.acted, all.few, true, all.next);
    }

    private static Gathered add(ControllerState before, Sample sample, boolean between, Map<Metric, Double> latest,
            Policy policy) {
        double requests = sample.get(Metric.REQUESTS);
        int enough = policy.sharing() == null ? policy.minRequests() : policy.sharing().enough(before.configuration(), sample, policy);
        if (requests >= PLENTY * enough) {
            return new Gathered(sample, sample, sample, null, between, null);
        }
        long now = before.clockAt(sample.time());
        if (requests >= enough) {
            return new Gathered(sample, sample, sample, null, between, new Gathering(sample.epoch(), now, 0, Map.of(),
                    figures(sample)));
        }
        Gathering known = before.gathering();
        boolean stale = known == null || known.epoch != sample.epoch()
                || now - known.heard >= policy.staleAfter().toMillis();
        Gathering sum = (stale ? new Gathering(sample.epoch(), now, 0, Map.of(), latest) : known)
                .plus(sample, now, (now - before.now()) / 1000.0);
        if (sum.sums.get(Metric.REQUESTS) >= enough) {
            Sample whole = with(sample, sum.whole());
            return new Gathered(sample, whole, whole, null, between,
                    new Gathering(sample.epoch(), now, 0, Map.of(), sum.whole()));
        }
        String few = "only " + Math.round(sum.sums.get(Metric.REQUESTS)) + " of the " + enough
                + " requests of a sample in " + Math.round(sum.seconds) + "s";
        return new Gathered(sample, with(sample, Map.of()), with(sample, sum.latest), few, between, sum);
    }

    private Gathering plus(Sample sample, long now, double elapsed) {
        double requests = sample.get(Metric.REQUESTS);
        double lasted = requests > 0 && sample.get(Metric.THROUGHPUT) > 0 ? requests / sample.get(Metric.THROUGHPUT)
                : elapsed;
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.put(Metric.REQUESTS, requests);
        more.put(Metric.RESPONSE_TIME, requests > 0 ? sample.get(Metric.RESPONSE_TIME) * requests : 0);
        more.put(Metric.RESPONSE_TIME_P95, requests > 0 ? sample.get(Metric.RESPONSE_TIME_P95) : 0);
        CPU.forEach(metric -> more.put(metric, sample.get(metric) * lasted));
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
        return new Gathering(epoch, requests > 0 ? now : heard, seconds + lasted, total, latest);
    }

    /** The figures that the sums come to. */
    private Map<Metric, Double> whole() {
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
            if (!CPU.contains(metric) || figures.containsKey(metric)) {
                builder.set(metric, figures.getOrDefault(metric, Double.NaN));
            }
        }
        return builder.build();
    }
}

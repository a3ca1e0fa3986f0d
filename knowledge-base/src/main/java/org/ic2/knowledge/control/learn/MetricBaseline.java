// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Quantity;

/**
 * What is normal: windows of the samples without interference, from which the medians come. Immutable; plain numbers
 * in JSON. A full window takes only every {@value #STRIDE}th sample, so that it reaches further back and one slow
 * onset cannot become normal. And what requests of each class cost.
 */
public final class MetricBaseline {
    private static final int STRIDE = 5;
    private static final Set<Metric> REQUEST_METRICS = Set.of(Metric.RESPONSE_TIME, Metric.RESPONSE_TIME_P95, Metric.THROUGHPUT,
            Metric.LOAD_PER_OPERATION, Metric.LOAD_PER_OPERATION_USED, Metric.WORK_DONE);

    private final Map<Metric, MedianWindow> windows;
    private final long accepted;
    private final String requests;
    private final Medians medians;
    private final RequestCostModel mix;
    private final RecentCost recent;
    private final Unrest unrest;

    /** What was persisted; there may be no mix, no recent cost and nothing of whose requests they are. */
    public MetricBaseline(Map<Metric, MedianWindow> windows, long accepted, RequestCostModel mix, RecentCost recent, String requests) {
        this(windows, accepted, mix, recent, requests, Unrest.none());
    }

    /** The same of a host that may never be quiet. */
    public MetricBaseline(Map<Metric, MedianWindow> windows, long accepted, RequestCostModel mix, RecentCost recent, String requests,
            Unrest unrest) {
        this.unrest = unrest;
        EnumMap<Metric, MedianWindow> copy = new EnumMap<>(Metric.class);
        copy.putAll(windows);
        this.windows = Collections.unmodifiableMap(copy);
        this.accepted = accepted;
        this.requests = requests;
        EnumMap<Metric, Double> values = new EnumMap<>(Metric.class);
        copy.forEach((metric, window) -> values.put(metric, window.median()));
        this.medians = new Medians(values, size(Metric.RESPONSE_TIME));
        this.mix = mix == null ? RequestCostModel.none() : mix;
        this.recent = recent == null ? RecentCost.none() : recent;
    }

    /** Nothing learned. */
    public static MetricBaseline none() {
        return new MetricBaseline(Map.of(), 0, RequestCostModel.none(), RecentCost.none(), null);
    }

    /** How quiet the host is. */
    public Unrest unrest() {
        return unrest;
    }

    /**
     * The same after a sample without interference that is or is not what cannot be normal. A host on which it nearly always is,
     * is never quiet: what is there is learned all the same, and forgotten once there is something better.
     */
    public MetricBaseline noted(boolean doubtful) {
        Unrest next = unrest.after(doubtful, ready());
        return next == unrest ? this : unrest.always() && !next.always()
                ? new MetricBaseline(Map.of(), 0, RequestCostModel.none(), RecentCost.none(), requests)
                : new MetricBaseline(this, accepted, mix, recent, next);
    }

    /** The windows by metric. */
    public Map<Metric, MedianWindow> windows() {
        return windows;
    }

    /** How many samples were offered. */
    public long accepted() {
        return accepted;
    }

    /** What requests cost. */
    public RequestCostModel mix() {
        return mix;
    }

    /** The same as it is persisted, where there is something. */
    public RequestCostModel persisted() {
        return mix.count() == 0 ? null : mix;
    }

    /** The same. */
    public RecentCost recent() {
        return recent.expected() > 0 ? recent : null;
    }

    /** The sample with its COST_PER_MIX, or without one where that is not known. */
    public Sample priced(Sample sample) {
        double taken = mix.expected(sample);
        RecentCost with = recent.plus(sample, taken);
        double price = taken > 0 && sample.has(Metric.CPU_USED) ? with.used() / with.expected() : Double.NaN;
        return Double.isNaN(price) && !sample.has(Metric.COST_PER_MIX) ? sample
                : sample.toBuilder().set(Metric.COST_PER_MIX, price).build();
    }

    /** The same after a sample of whatever kind: what was used of late, from which nothing is learned as normal. */
    public MetricBaseline seen(Sample sample) {
        RecentCost next = recent.plus(sample, mix.expected(sample));
        return next == recent ? this : new MetricBaseline(this, accepted, mix, next);
    }

    /** Whose requests taught it; null if that was never said. */
    public String requests() {
        return requests;
    }

    /**
     * The same, if it was learned from these requests. What was learned from others is forgotten as far as it depends on
     * them: a client's response times are no measure of a server's.
     *
     * @param whose in words; empty if nobody knows
     */
    public MetricBaseline of(String whose) {
        if (whose.isEmpty() || whose.equals(requests)) {
            return this;
        }
        EnumMap<Metric, MedianWindow> rest = new EnumMap<>(Metric.class);
        rest.putAll(windows);
        if (requests != null) {
            rest.keySet().removeAll(REQUEST_METRICS);
        }
        return new MetricBaseline(rest, accepted, mix, recent, whose, unrest);
    }

    /** The medians. */
    public Medians medians() {
        return medians;
    }

    /** True if the medians of LPO and RT, which Algorithm 1 needs, can be used. */
    public boolean ready() {
        return size(Metric.RESPONSE_TIME) >= MedianWindow.MIN_VALUES && size(Metric.LOAD_PER_OPERATION) >= MedianWindow.MIN_VALUES;
    }

    /** True if an attribute needs no median, or its median comes from enough samples. */
    public boolean knows(Attribute attribute) {
        return !attribute.relative() || size(attribute.quantity()) >= MedianWindow.MIN_VALUES;
    }

    /** How many samples are behind the median of a quantity. */
    public int size(Quantity quantity) {
        MedianWindow window = windows.get(quantity);
        return window == null ? 0 : window.size();
    }

    /**
     * The same after a sample: only what is certainly normal teaches what is normal.
     *
     * @param late metrics that were first measured long after the others
     */
    public MetricBaseline after(Sample sample, boolean normal, Collection<Metric> late) {
        MetricBaseline known = seen(sample);
        return normal ? known.plus(sample, late) : known;
    }

    /** The same with one more sample without interference. */
    public MetricBaseline plus(Sample sample) {
        return plus(sample, List.of());
    }

    /** The same, where some metrics were first measured long after the others and take every sample. */
    public MetricBaseline plus(Sample sample, Collection<Metric> late) {
        boolean full = size(Metric.RESPONSE_TIME) == MedianWindow.SIZE;
        Collection<Metric> taken = full && accepted % STRIDE != 0 ? late : Attribute.LEARNED;
        if (taken.isEmpty()) {
            return new MetricBaseline(this, accepted + 1, mix.plus(sample), recent);
        }
        EnumMap<Metric, MedianWindow> next = new EnumMap<>(Metric.class);
        next.putAll(windows);
        for (Metric metric : taken) {
            if (sample.has(metric)) {
                next.put(metric, next.getOrDefault(metric, MedianWindow.of()).plus(sample.get(metric)));
            }
        }
        return new MetricBaseline(next, accepted + 1, mix.plus(sample), recent, requests, unrest);
    }

    private MetricBaseline(MetricBaseline same, long accepted, RequestCostModel mix, RecentCost recent) {
        this(same, accepted, mix, recent, same.unrest);
    }

    private MetricBaseline(MetricBaseline same, long accepted, RequestCostModel mix, RecentCost recent, Unrest unrest) {
        this.unrest = unrest;
        this.mix = mix;
        this.recent = recent;
        this.windows = same.windows;
        this.medians = same.medians;
        this.accepted = accepted;
        this.requests = same.requests;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MetricBaseline that && accepted == that.accepted && windows.equals(that.windows)
                && mix.equals(that.mix) && recent.equals(that.recent) && unrest.equals(that.unrest)
                && Objects.equals(requests, that.requests);
    }

    @Override
    public int hashCode() {
        return Objects.hash(windows, accepted, mix, recent, requests);
    }

    @Override
    public String toString() {
        return "MetricBaseline[" + accepted + " samples, " + medians.values() + "]";
    }
}

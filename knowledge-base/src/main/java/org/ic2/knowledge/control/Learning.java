// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Quantity;

/**
 * What is normal: windows of the samples without interference, from which the medians come. Immutable; plain numbers
 * in JSON. A full window takes only every {@value #EVERY}th sample, so that it reaches further back and one slow
 * onset cannot become normal. And what requests of each class cost.
 */
public final class Learning {
    /** So many samples make the medians usable. */
    public static final int ENOUGH = 20;

    private static final int EVERY = 5;

    private final Map<Metric, MedianWindow> windows;
    private final long accepted;
    private final Medians medians;
    private final MixCosts mix;
    private final RecentCost recent;

    /** What was persisted; earlier versions had no mix and no recent cost. */
    @JsonCreator
    public Learning(@JsonProperty("windows") Map<Metric, MedianWindow> windows,
            @JsonProperty("accepted") long accepted, @JsonProperty("mix") MixCosts mix,
            @JsonProperty("recent") RecentCost recent) {
        EnumMap<Metric, MedianWindow> copy = new EnumMap<>(Metric.class);
        copy.putAll(windows);
        this.windows = Collections.unmodifiableMap(copy);
        this.accepted = accepted;
        EnumMap<Metric, Double> values = new EnumMap<>(Metric.class);
        copy.forEach((metric, window) -> values.put(metric, window.median()));
        this.medians = new Medians(values, size(Metric.RESPONSE_TIME));
        this.mix = mix == null ? MixCosts.none() : mix;
        this.recent = recent == null ? RecentCost.none() : recent;
    }

    /** Nothing learned. */
    public static Learning none() {
        return new Learning(Map.of(), 0, MixCosts.none(), RecentCost.none());
    }

    /** The windows by metric. */
    @JsonProperty("windows")
    public Map<Metric, MedianWindow> windows() {
        return windows;
    }

    /** How many samples were offered. */
    @JsonProperty("accepted")
    public long accepted() {
        return accepted;
    }

    /** What requests cost. */
    public MixCosts mix() {
        return mix;
    }

    /** The same as it is persisted, where there is something. */
    @JsonProperty("mix")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    MixCosts persisted() {
        return mix.count() == 0 ? null : mix;
    }

    /** The same. */
    @JsonProperty("recent")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    RecentCost recent() {
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
    public Learning seen(Sample sample) {
        RecentCost next = recent.plus(sample, mix.expected(sample));
        return next == recent ? this : new Learning(this, accepted, mix, next);
    }

    /** The medians. */
    public Medians medians() {
        return medians;
    }

    /** True if the medians of LPO and RT, which Algorithm 1 needs, can be used. */
    public boolean ready() {
        return size(Metric.RESPONSE_TIME) >= ENOUGH && size(Metric.LOAD_PER_OPERATION) >= ENOUGH;
    }

    /** True if an attribute needs no median, or its median comes from enough samples. */
    boolean knows(Attribute attribute) {
        return !attribute.relative() || size(attribute.quantity()) >= ENOUGH;
    }

    /** How many samples are behind the median of a quantity. */
    public int size(Quantity quantity) {
        MedianWindow window = windows.get(quantity);
        return window == null ? 0 : window.size();
    }

    /** The same with one more sample without interference. */
    public Learning plus(Sample sample) {
        return plus(sample, List.of());
    }

    /** The same, where some metrics were first measured long after the others and take every sample. */
    Learning plus(Sample sample, Collection<Metric> late) {
        boolean full = size(Metric.RESPONSE_TIME) == MedianWindow.SIZE;
        Collection<Metric> taken = full && accepted % EVERY != 0 ? late : Attribute.LEARNED;
        if (taken.isEmpty()) {
            return new Learning(this, accepted + 1, mix.plus(sample), recent);
        }
        EnumMap<Metric, MedianWindow> next = new EnumMap<>(Metric.class);
        next.putAll(windows);
        for (Metric metric : taken) {
            if (sample.has(metric)) {
                next.put(metric, next.getOrDefault(metric, MedianWindow.of()).plus(sample.get(metric)));
            }
        }
        return new Learning(next, accepted + 1, mix.plus(sample), recent);
    }

    private Learning(Learning same, long accepted, MixCosts mix, RecentCost recent) {
        this.mix = mix;
        this.recent = recent;
        this.windows = same.windows;
        this.medians = same.medians;
        this.accepted = accepted;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Learning that && accepted == that.accepted && windows.equals(that.windows)
                && mix.equals(that.mix) && recent.equals(that.recent);
    }

    @Override
    public int hashCode() {
        return Objects.hash(windows, accepted, mix, recent);
    }

    @Override
    public String toString() {
        return "Learning[" + accepted + " samples, " + medians.values() + "]";
    }
}

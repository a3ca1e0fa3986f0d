// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Settings;

/**
 * Everything measured on one member of the application group in one interval, with the configuration that was in
 * force. Immutable.
 *
 * <p>A value that is missing is {@link Double#NaN}, never 0: a comparison with it is false, which is what a rule
 * wants. A sensor's value that cannot be (not finite, negative) is missing too.
 *
 * <p>CPU_USED is what a sensor says, else CPU_UTIL less STEAL where both are known, as in recordings that are older than it.
 */
public final class Sample {
    /** The member that samples describe when nothing else is said. */
    public static final String WEB = "web";

    private static final Pattern MEMBER_NAME = Pattern.compile("[A-Za-z0-9._-]+");

    private final Instant time;
    private final String member;
    private final long epoch;
    private final long epochEnd;
    private final Label label;
    private final double[] values;
    private final Map<String, Double> others;
    private final boolean usedFollows;

    private Sample(Builder builder) {
        time = builder.time;
        member = builder.member;
        epoch = builder.epoch;
        epochEnd = Math.max(builder.epoch, builder.epochEnd);
        label = builder.label;
        values = builder.values.clone();
        others = builder.others.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(builder.others));
        double throughput = values[Metric.THROUGHPUT.ordinal()];
        double cpu = values[Metric.CPU_UTIL.ordinal()];
        usedFollows = Double.isNaN(values[Metric.CPU_USED.ordinal()]);
        if (usedFollows) {
            values[Metric.CPU_USED.ordinal()] = Math.max(0, cpu - values[Metric.STEAL.ordinal()]);
        }
        double used = values[Metric.CPU_USED.ordinal()];
        double steal = values[Metric.STEAL.ordinal()];
        values[Metric.LOAD_PER_OPERATION.ordinal()] = per(cpu, throughput);
        values[Metric.LOAD_PER_OPERATION_USED.ordinal()] = per(used, throughput);
        values[Metric.STEAL_OF_DEMAND.ordinal()] = per(steal, used + steal);
        values[Metric.WORK_DONE.ordinal()] =
                measurable(values[Metric.RESPONSE_TIME.ordinal()] * throughput * cpu);
    }

    private static double per(double value, double unit) {
        return unit > 0 ? measurable(value / unit) : Double.NaN;
    }

    /** The value if it is one that a quantity can have (0 or more, finite), else NaN. */
    private static double measurable(double value) {
        return value >= 0 && value < Double.POSITIVE_INFINITY ? value + 0.0 : Double.NaN;
    }

    /** Starts a sample of the web tier with nothing measured, in epoch 0. */
    public static Builder at(Instant time) {
        return new Builder(time);
    }

    /** The end of the interval, in whole milliseconds. */
    public Instant time() {
        return time;
    }

    /** The member of the application group that was measured. */
    public String member() {
        return member;
    }

    /** The configuration epoch in which the interval began. */
    public long epoch() {
        return epoch;
    }

    /** The configuration epoch in which it ended. */
    public long epochEnd() {
        return epochEnd;
    }

    /** True if a reconfiguration fell into the interval; such a sample trains nothing. */
    public boolean straddlesEpochs() {
        return epochEnd != epoch;
    }

    /** What is known about the truth, in training data. */
    public Optional<Label> label() {
        return Optional.ofNullable(label);
    }

    /** The value in the metric's unit, NaN if missing. */
    public double get(Metric metric) {
        return values[metric.ordinal()];
    }

    /** True if the value is not missing. */
    public boolean has(Metric metric) {
        return !Double.isNaN(values[metric.ordinal()]);
    }

    /** The value in the quantity's unit, NaN if missing. */
    public double get(Quantity quantity) {
        if (carried(quantity) instanceof Metric metric) {
            return get(metric);
        }
        return others.isEmpty() ? Double.NaN : others.getOrDefault(quantity.column(), Double.NaN);
    }

    private static Quantity carried(Quantity quantity) {
        return quantity instanceof Knob knob ? knob.quantity() : quantity;
    }

    /** True if the value is not missing. */
    public boolean has(Quantity quantity) {
        return !Double.isNaN(get(quantity));
    }

    /** What is measured of quantities that are no {@link Metric}, by column in alphabetical order. */
    public Map<String, Double> others() {
        return others;
    }

    /** The values that were in force, of the knobs of {@code otherwise}; what the sample does not carry is of there. */
    public Settings settings(Settings otherwise) {
        Settings result = otherwise;
        for (Knob knob : otherwise.knobs()) {
            double value = get(knob.quantity()) * knob.unitsPerColumn();
            if (value >= 0 && value <= Integer.MAX_VALUE) {
                int units = (int) Math.rint(value);
                result = units >= knob.least() ? result.with(knob, units) : result;
            }
        }
        return result;
    }

    /** A builder with everything that this sample carries. */
    public Builder toBuilder() {
        Builder builder = new Builder(time).member(member).epochs(epoch, epochEnd).label(label);
        System.arraycopy(values, 0, builder.values, 0, values.length);
        if (usedFollows) {
            builder.values[Metric.CPU_USED.ordinal()] = Double.NaN;
        }
        builder.others.putAll(others);
        return builder;
    }

    /** Whether this can be a member's name: letters, digits, '-', '_' and '.'. */
    static boolean isMember(String name) {
        return MEMBER_NAME.matcher(name).matches();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sample that && time.equals(that.time) && member.equals(that.member)
                && epoch == that.epoch && epochEnd == that.epochEnd && label == that.label
                && Arrays.equals(values, that.values) && others.equals(that.others);
    }

    @Override
    public int hashCode() {
        return Objects.hash(time, member, epoch, epochEnd, label, Arrays.hashCode(values), others);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Sample[").append(time).append(' ').append(member)
                .append(" epoch ").append(epoch);
        if (straddlesEpochs()) {
            text.append("..").append(epochEnd);
        }
        for (Metric metric : Metric.values()) {
            if (has(metric)) {
                text.append(' ').append(metric.column()).append('=').append(get(metric));
            }
        }
        others.forEach((column, value) -> text.append(' ').append(column).append('=').append(value));
        return label == null ? text.append(']').toString() : text.append(' ').append(label).append(']').toString();
    }

    /** Collects the values of one interval. Not for use by more than one thread. */
    public static final class Builder {
        private final Instant time;
        private final double[] values = new double[Metric.values().length];
        private final Map<String, Double> others = new TreeMap<>();
        private String member = WEB;
        private long epoch;
        private long epochEnd;
        private Label label;

        private Builder(Instant time) {
            this.time = time.truncatedTo(ChronoUnit.MILLIS);
            Arrays.fill(values, Double.NaN);
        }

        /** Sets the member, a {@linkplain Sample#isMember name}; default {@link Sample#WEB}. */
        public Builder member(String name) {
            if (!isMember(name)) {
                throw new IllegalArgumentException("member: expected letters, digits, '-', '_', '.', got '" + name
                        + "'");
            }
            this.member = name;
            return this;
        }

        /** Sets a measured value. Not finite or negative means missing. A derived metric is computed, never set. */
        public Builder set(Quantity quantity, double value) {
            double measured = measurable(value);
            if (carried(quantity) instanceof Metric metric) {
                values[metric.ordinal()] = metric.derived() ? values[metric.ordinal()] : measured;
            } else if (Double.isNaN(measured)) {
                others.remove(quantity.column());
            } else {
                others.put(quantity.column(), measured);
            }
            return this;
        }

        /** Takes what is missing of quantities that are no {@link Metric} from an earlier sample. */
        public Builder othersOf(Sample earlier) {
            earlier.others.forEach(others::putIfAbsent);
            return this;
        }

        /** Sets the values that were in force. */
        public Builder settings(Settings settings) {
            settings.values().forEach((knob, value) ->
                    set(knob.quantity(), (double) value / knob.unitsPerColumn()));
            return this;
        }

        /** Sets the configuration epoch of the whole interval. */
        public Builder epoch(long whole) {
            return epochs(whole, whole);
        }

        /** Sets the epochs in which the interval began and ended; a sample whose epochs differ trains nothing. */
        public Builder epochs(long first, long last) {
            this.epoch = first;
            this.epochEnd = last;
            return this;
        }

        /** Sets the known truth; null means unknown. */
        public Builder label(Label truth) {
            this.label = truth;
            return this;
        }

        /** The sample, with the derived metrics computed. */
        public Sample build() {
            return new Sample(this);
        }
    }
}

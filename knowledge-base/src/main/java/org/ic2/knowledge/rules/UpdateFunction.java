// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;

/**
 * By how much a knob moves from its baseline (paper, Algorithm 1). The amount is in the unit of the knob's
 * {@link org.ic2.runtime.knob.Knob#quantity()} (seconds for KAT), 0 or more, NaN if a number it needs is missing. The
 * row gives the direction, the bounds the limits.
 */
public sealed interface UpdateFunction {
    /** The amount of change from {@code base}, before bounding. */
    double change(double base, Features features);

    /** The name in {@code rules.yaml}. */
    String name();

    /** The formula for people. */
    String formula();

    /** Algorithm 1, line 2: base x (LPO - LPO_ni) / LPO, so that the CPU demand falls by what the neighbour adds. */
    record LoadPerOperation() implements UpdateFunction {
        @Override
        public double change(double base, Features features) {
            double now = features.loadPerOperation();
            double normal = features.medians().get(Metric.LOAD_PER_OPERATION);
            return now > 0 && normal > 0 ? atLeastZero(base * (now - normal) / now) : Double.NaN;
        }

        @Override
        public String name() {
            return "load-per-operation";
        }

        @Override
        public String formula() {
            return "base x (LPO - LPO_ni) / LPO";
        }
    }

    /**
     * Algorithm 1, line 4: factor x (RT - RT_ni), so that a connection lives through the longer cycle.
     *
     * @param factor the paper's C_KAT, 3
     */
    record ResponseTime(double factor) implements UpdateFunction {
        @Override
        public double change(double base, Features features) {
            return atLeastZero(factor * (features.responseTime() - features.medians().get(Metric.RESPONSE_TIME)));
        }

        @Override
        public String name() {
            return "response-time";
        }

        @Override
        public String formula() {
            return Rounded.of(factor) + " x (RT - RT_ni)";
        }
    }

    /** base x (THPT - THPT_ni) / THPT_ni: in proportion to the workload (Table 3, row 1). */
    record Throughput() implements UpdateFunction {
        @Override
        public double change(double base, Features features) {
            double now = features.sample().get(Metric.THROUGHPUT);
            double normal = features.medians().get(Metric.THROUGHPUT);
            return normal > 0 ? atLeastZero(base * (now - normal) / normal) : Double.NaN;
        }

        @Override
        public String name() {
            return "throughput";
        }

        @Override
        public String formula() {
            return "base x (THPT - THPT_ni) / THPT_ni";
        }
    }

    /**
     * factor x base: by a share of the baseline, whatever was measured.
     *
     * @param factor the share
     */
    record Share(double factor) implements UpdateFunction {
        @Override
        public double change(double base, Features features) {
            return factor * base;
        }

        @Override
        public String name() {
            return "share";
        }

        @Override
        public String formula() {
            return Rounded.of(factor) + " x base";
        }
    }

    /**
     * Algorithm 1, line 6: to one fixed value (the paper's 400 for PHP).
     *
     * @param value the value during interference, in the unit of the knob's quantity
     */
    record Constant(double value) implements UpdateFunction {
        @Override
        public double change(double base, Features features) {
            return Math.abs(value - base);
        }

        @Override
        public String name() {
            return "constant";
        }

        @Override
        public String formula() {
            return "to " + Rounded.of(value);
        }
    }

    private static double atLeastZero(double change) {
        return Double.isFinite(change) ? Math.max(0, change) : Double.NaN;
    }
}

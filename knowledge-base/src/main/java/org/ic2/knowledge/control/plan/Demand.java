// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.function.DoublePredicate;
import java.util.function.IntToDoubleFunction;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.control.detect.HarmLabel;
import org.ic2.knowledge.control.policy.Ladder;

/**
 * What the users ask of the tier's CPU, and what there is of it. All that the length of a step is computed from.
 *
 * @param quiet   operations a second, as many as are completed in the quiet or just now, whichever is more
 * @param waiting operations that wait
 * @param cost    CPU seconds of one operation at the baseline, beside the neighbour, as a share of the tier's CPU
 * @param left    the share of its CPU that the tier can have
 */
record Demand(double quiet, double waiting, double cost, double left) {
    /**
     * The share of what is left that a level may need. At 0.8 of its capacity a server's queue is about four requests
     * long (M/M/1), and grows without bound from there to 1; and the figures are those of a second or a few. On our
     * testbed the response time at 0.85 was twice that at 0.65 (docs/results.md, "At 80 % load").
     */
    static final double MAX_UTILISATION = HarmLabel.MAX_UTILISATION;
    /** What waits is to be served within so many seconds: the default cool-down, after which the step is judged. */
    static final double DRAIN_TIME = 10;

    /** Operations a second that are to be served: those that come, and of those that wait at most as many again. */
    double wanted() {
        return quiet + Math.min(quiet, waiting / DRAIN_TIME);
    }

    /** The share of the CPU that the tier would need. */
    double need(double relief) {
        return wanted() * cost * relief;
    }

    /** The share of the CPU that it may need. */
    double limit() {
        return MAX_UTILISATION * left;
    }

    boolean carries(double relief) {
        return need(relief) <= limit();
    }

    /** True if all of it is known and possible. */
    boolean known() {
        return quiet > 0 && quiet < Double.POSITIVE_INFINITY && waiting >= 0 && cost > 0
                && need(1) < Double.POSITIVE_INFINITY && left > 0 && left <= 1;
    }

    /**
     * What a response time comes to where an operation costs less, as a share of the present one: the work itself, and the
     * wait for the others' (M/M/1: s / (1 - rho)). 0 where the baseline is overloaded: what has queued there tells nothing
     * of a level that carries the demand.
     */
    double response(double relief) {
        return need(1) >= left ? 0 : need(relief) >= left ? Double.POSITIVE_INFINITY
                : relief * (left - need(1)) / (left - need(relief));
    }

    /**
     * The least level that carries it and is quick enough; where none is, the least that carries it; where none does, the
     * least of those that need least. Levels of which nothing is known are passed over.
     *
     * @param highest the highest level
     * @param reliefs what an operation costs at a level, as a share of the baseline's; NaN if unknown
     * @param quick   whether a relief makes users wait no longer than they should
     */
    int least(int highest, IntToDoubleFunction reliefs, DoublePredicate quick) {
        int best = 0;
        double lowest = 1;
        int carrying = -1;
        for (int level = 0; level <= Math.min(highest, Ladder.MAX_LEVELS); level++) {
            double relief = level == 0 ? 1 : reliefs.applyAsDouble(level);
            if (relief > 0 && carries(relief)) {
                if (quick.test(relief)) {
                    return level;
                }
                carrying = carrying < 0 ? level : carrying;
            }
            if (relief > 0 && relief < lowest) {
                lowest = relief;
                best = level;
            }
        }
        return carrying < 0 ? best : carrying;
    }

    /** For people: {@code 115/s wanted x 6.3ms of CPU = 0.73 of the CPU at the baseline; 0.55 is left, ...}. */
    String describe() {
        return Rounded.of(wanted()) + "/s wanted" + (waiting / DRAIN_TIME < 1 ? "" : " (" + Rounded.of(waiting)
                + " wait)") + " x " + Rounded.of(1000 * cost) + "ms of CPU = " + Rounded.of(need(1))
                + " of the CPU at the baseline; " + Rounded.of(left) + " is left, " + Rounded.of(limit())
                + " of it may be needed";
    }
}

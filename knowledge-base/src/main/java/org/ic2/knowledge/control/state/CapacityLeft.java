// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;

/**
 * What a server can do beside a neighbour, of what it can do in the quiet: (1 - s) / (1 - s_ni) x LPO_ni / LPO. Of s, the
 * share of the CPU that was asked for and not got, and LPO, the CPU of an operation without what was stolen, neither
 * falls because fewer requests come. Sums over the latest samples, in which one counts 1/e after {@value #DECAY_TIME} ms.
 *
 * @param stolen     CPU that was asked for and not got, s; NaN where nobody tells
 * @param used       CPU that was used, s
 * @param worked     the part of it in samples whose operations were counted
 * @param operations those
 * @param price      what the mix of requests cost of late against the quiet; NaN where that is not known
 * @param seconds    how long the samples lasted
 * @param at         the latest, ms on the controller's clock
 */
public record CapacityLeft(double stolen, double used, double worked, double operations, double price, double seconds, long at) {
    private static final double DECAY_TIME = 10_000;
    private static final double MAX_INTERVAL = 5;

    /** Nothing seen. */
    public static CapacityLeft none() {
        return new CapacityLeft(0, 0, 0, 0, Double.NaN, 0, 0);
    }

    /** The same with a sample; one that does not tell steal, where others did, is left out. */
    public CapacityLeft plus(Sample sample, long before, long now) {
        double cpu = sample.get(sample.has(Metric.CPU_USED) ? Metric.CPU_USED : Metric.CPU_UTIL);
        double lasted = Math.min(MAX_INTERVAL, (now - before) / 1000.0);
        boolean told = sample.has(Metric.STEAL);
        boolean wanting = seconds > 0 && !Double.isNaN(stolen) && !told;
        if (Double.isNaN(cpu) || lasted <= 0 || wanting) {
            return this;
        }
        boolean anew = seconds == 0 || Double.isNaN(stolen) && told;
        double kept = anew ? 0 : Math.exp(-(now - at) / DECAY_TIME);
        boolean counted = sample.has(Metric.THROUGHPUT);
        return new CapacityLeft((anew ? 0 : kept * stolen) + lasted * sample.get(Metric.STEAL), kept * used + lasted * cpu,
                kept * worked + (counted ? lasted * cpu : 0),
                kept * operations + (counted ? lasted * sample.get(Metric.THROUGHPUT) : 0),
                sample.has(Metric.COST_PER_MIX) ? sample.get(Metric.COST_PER_MIX) : anew ? Double.NaN : price,
                kept * seconds + lasted, now);
    }

    /** The share of the CPU that was asked for and not got; NaN if unknown. */
    double lost() {
        return used + stolen > 0 ? stolen / (used + stolen) : Double.NaN;
    }

    /** What is got of the CPU, of that in the quiet; 1 at most, NaN if unknown. */
    private double got(Medians normal) {
        double quiet = normal.get(Metric.STEAL_OF_DEMAND);
        return atMostOne((1 - lost()) / (1 - quiet));
    }

    /** What an operation costs in the quiet, of what it costs now; 1 at most, NaN if unknown. */
    private double cheap(Medians normal) {
        double usual = normal.get(Metric.COST_PER_MIX);
        if (usual > 0 && price > 0) {
            return atMostOne(usual / price);
        }
        return operations > 0 && worked > 0 ? atMostOne(quietCost(normal) / (worked / operations)) : Double.NaN;
    }

    private double quietCost(Medians normal) {
        return normal.get(Double.isNaN(stolen) ? Metric.LOAD_PER_OPERATION : Metric.LOAD_PER_OPERATION_USED);
    }

    private static double atMostOne(double ratio) {
        return ratio >= 0 ? Math.min(1, ratio) : Double.NaN;
    }

    /** The part of the capacity that is left, 0..1, by whichever of both is known; NaN if neither is. */
    public double left(Medians normal) {
        double got = got(normal);
        double cheap = cheap(normal);
        return Double.isNaN(got) ? cheap : Double.isNaN(cheap) ? got : got * cheap;
    }

    /** Requests a second, of those in the quiet; NaN if unknown. */
    public double served(Medians normal) {
        return seconds > 0 && operations > 0 ? operations / seconds / normal.get(Metric.THROUGHPUT) : Double.NaN;
    }

    /** CPU that is got, of that which the requests of the quiet take; NaN if unknown. A cheaper page does not change it for whoever wants all that there is. */
    public double work(Medians normal) {
        return seconds > 0 ? used / seconds / (quietCost(normal) * normal.get(Metric.THROUGHPUT)) : Double.NaN;
    }

    /** For people. */
    public String describe(Medians normal) {
        if (seconds == 0) {
            return "nothing is known of its capacity";
        }
        double got = got(normal);
        double cheap = cheap(normal);
        return (Double.isNaN(got) ? "steal is not known" : Rounded.of(100 * lost()) + " % of the CPU asked for is steal time (without interference "
                + Rounded.of(100 * normal.get(Metric.STEAL_OF_DEMAND)) + " %)")
                + (Double.isNaN(cheap) ? ", what an operation costs is not known"
                : ", an operation costs " + Rounded.of(1 / cheap) + " times the CPU without interference")
                + (Double.isNaN(left(normal)) ? "" : ": " + Rounded.of(100 * left(normal)) + " % of the capacity is left");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * What the machine did besides the experiment in a stretch of time.
 *
 * @param seconds  how long it was
 * @param others   share of all CPUs' time that other programs had than the testbed's; NaN if it was not measured
 * @param steal    share that the hypervisor gave to others; likewise
 * @param runnable threads that ran or waited for a CPU, the mean, those of the testbed too
 * @param lag      how late the load began an operation at worst, seconds; NaN without a load
 */
public record Disturbance(double seconds, double others, double steal, double runnable, double lag) {
    /** The rule: more of all CPUs' time than this went elsewhere ... */
    public static final double MOST_ELSEWHERE = 0.10;
    /** ... or the load was later than this, seconds. It was fixed before any figure that it rules was measured. */
    public static final double MOST_LAG = 0.5;

    private static final double PERCENT = 100;
    /** Two readings of whole ticks that are nearer than this say nothing. */
    private static final double MIN_SECONDS = 0.5;

    /** The disturbance in a window, by the readings and the load's lines in it. */
    public static Disturbance of(List<MachineUse> uses, List<Intervals> client, Instant from, Instant to) {
        Disturbance machine = of(uses.stream().filter(use -> inside(use.time(), from, to)).toList());
        double lag = client.stream().filter(line -> inside(line.time(), from, to)).mapToDouble(line -> line.get("generator_lag"))
                .filter(Double::isFinite).max().orElse(Double.NaN);
        return new Disturbance(machine.seconds, machine.others, machine.steal, machine.runnable, lag);
    }

    private static boolean inside(double seconds, Instant from, Instant to) {
        long millis = Math.round(seconds * 1000);
        return millis >= from.toEpochMilli() && millis <= to.toEpochMilli();
    }

    /** The disturbance from the first of these readings to the last. */
    public static Disturbance of(List<MachineUse> uses) {
        if (uses.size() < 2) {
            return new Disturbance(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        }
        MachineUse first = uses.get(0);
        MachineUse last = uses.get(uses.size() - 1);
        double all = last.idle() - first.idle() + last.busy() - first.busy() + last.steal() - first.steal();
        double others = Math.max(0, last.busy() - first.busy() - (last.own() - first.own()));
        double seconds = last.time() - first.time();
        boolean known = seconds >= MIN_SECONDS && all > 0;
        return new Disturbance(seconds, known ? others / all : Double.NaN, known ? (last.steal() - first.steal()) / all : Double.NaN,
                uses.stream().mapToDouble(MachineUse::runnable).average().orElse(Double.NaN), Double.NaN);
    }

    /** The share of all CPUs' time that went elsewhere; an unmeasured part counts as 0. */
    public double elsewhere() {
        return (Double.isFinite(others) ? others : 0) + (Double.isFinite(steal) ? steal : 0);
    }

    /** True if it was more than the rule bears. */
    public boolean disturbed() {
        return elsewhere() > MOST_ELSEWHERE || lag > MOST_LAG;
    }

    /** {@code 34 % of the CPU went elsewhere (other programs 31 %, steal 3 %)}, with the load's lateness if it breaks the rule. */
    public String text() {
        return percent(elsewhere()) + " of the CPU went elsewhere (other programs " + percent(others) + ", steal " + percent(steal) + ")"
                + (lag > MOST_LAG ? String.format(Locale.ROOT, ", and the load was up to %.1f s late", lag) : "");
    }

    private static String percent(double share) {
        return Double.isFinite(share) ? String.format(Locale.ROOT, "%.0f %%", PERCENT * share) : "unknown";
    }
}

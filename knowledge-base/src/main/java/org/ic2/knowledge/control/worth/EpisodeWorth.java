// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.worth;

import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.Rounded;

/**
 * What a time away from the baseline was worth, and what users paid: a pure sum over its intervals. With {@code t} seconds,
 * {@code n} requests, response time {@code r}, {@code p} stored pages a second beyond those that the baseline has, too, {@code c} CPU of a
 * page that is built, {@code d} demand over the CPU that was there, {@code s} service time, and {@code o} the response time just before
 * the first action:
 *
 * <pre>
 * CPU saved         sum of t x p x c x (1 - x), x from 0 to 0.2: a stored page takes at most a fifth of a built one
 * demand            mean of d, weighted with t, and its largest value. Beside a neighbour a page costs more than usual, so it is the least
 * waiting avoided   sum of n x (w - r), w from the smaller to the larger of o and q
 *                   q = s / (1 - d), 10 s at most, and 10 s from d = 1 on: a queue in which users give up after 10 s
 * age               sum of t x p at level 3 (60 s at most), and from level 4 on or behind the wall (300 s at most); all stored pages
 *                   where the baseline has younger ones
 * parts             sum of t, and of n, at level 6 and above, unless the baseline is there, too
 * </pre>
 *
 * <p>CPU seconds are of the tier's whole CPU: one of two CPUs that is busy for two seconds makes one. Each sum is over the intervals in
 * which all of its terms were measured, and tells their seconds. Without {@code o} no waiting is told; with users who had waited longer
 * behind the level it is below 0.
 *
 * @param seconds     how long it lasted
 * @param saved       CPU seconds that were not used
 * @param demand      sum of {@code t x d}
 * @param peak        the largest {@code d}
 * @param waiting     seconds that users waited less
 * @param pages       from the store at most 60 s old
 * @param older       from the store at most 300 s old
 * @param partSeconds without optional parts
 * @param partRequests in that time
 */
public record EpisodeWorth(double seconds, Amount saved, Amount demand, double peak, Amount waiting, Amount pages, Amount older,
        double partSeconds, double partRequests) {
    /** A stored page takes at most this share of the CPU of one that is built. */
    static final double STORED_SHARE = 0.2;
    /** Users do not wait longer, s. */
    static final double PATIENCE = 10;
    private static final String NOT_MEASURED = "not measured";

    /** Nothing yet. */
    public static EpisodeWorth none() {
        return new EpisodeWorth(0, Amount.NONE, Amount.NONE, 0, Amount.NONE, Amount.NONE, Amount.NONE, 0, 0);
    }

    /**
     * The same with an interval.
     *
     * @param onset the response time just before the first action, s; NaN if it was not measured
     */
    public EpisodeWorth plus(WorthInterval interval, double onset) {
        double time = interval.seconds();
        if (time == 0) {
            return this;
        }
        double built = time * interval.stored() * interval.page();
        double stored = time * interval.aged();
        double young = interval.level() == WorthInterval.STORED_LEVEL ? stored : 0 * stored;
        double old = interval.level() >= WorthInterval.OLDER_LEVEL ? stored : 0 * stored;
        boolean parts = interval.level() >= WorthInterval.PARTS_LEVEL;
        double queue = interval.demand() < 1 ? Math.min(PATIENCE, interval.service() / (1 - interval.demand()))
                : interval.demand() + interval.service() >= 0 ? PATIENCE : Double.NaN;
        double number = interval.requests();
        return new EpisodeWorth(seconds + time, saved.plus((1 - STORED_SHARE) * built, built, time),
                demand.plus(time * interval.demand(), time * interval.demand(), time), Math.max(peak, interval.demand() >= 0 ? interval.demand() : 0),
                waiting.plus(number * (queue - interval.responseTime()), number * (onset - interval.responseTime()), time),
                pages.plus(young, young, time), older.plus(old, old, time),
                parts ? partSeconds + time : partSeconds, parts && number > 0 ? partRequests + number : partRequests);
    }

    /** Two together. */
    public EpisodeWorth plus(EpisodeWorth other) {
        return new EpisodeWorth(seconds + other.seconds, saved.plus(other.saved), demand.plus(other.demand), Math.max(peak, other.peak),
                waiting.plus(other.waiting), pages.plus(other.pages), older.plus(other.older), partSeconds + other.partSeconds,
                partRequests + other.partRequests);
    }

    /** The mean of the demand over the CPU that was there; NaN if it was not measured. */
    public double meanDemand() {
        return demand.measured() ? demand.low() / demand.seconds() : Double.NaN;
    }

    /** The line for people; what was not measured is said. */
    public String describe() {
        List<String> parts = new ArrayList<>();
        parts.add(Rounded.of(seconds) + " s away from the baseline");
        parts.add("CPU saved " + range(saved, "s of the whole CPU (stored pages x the cost of building them)"));
        parts.add("demand without mitigation " + (demand.measured() ? "at least " + Rounded.of(meanDemand()) + " times the CPU that was there, "
                + Rounded.of(peak) + " at most in an interval" + partly(demand) : NOT_MEASURED));
        parts.add("users' waiting avoided " + range(waiting, "s (as just before the first action, and as in a queue in which nobody waits longer"
                + " than " + Rounded.of(PATIENCE) + " s)"));
        parts.add("users got " + (pages.measured() ? Rounded.of(pages.low()) + " stored pages at most 60 s old, " + Rounded.of(older.low())
                + " at most 300 s old" + partly(pages) : "stored pages: " + NOT_MEASURED));
        parts.add("without optional parts " + Rounded.of(partSeconds) + " s, " + Rounded.of(partRequests) + " requests");
        return String.join("; ", parts);
    }

    private String range(Amount amount, String unit) {
        return amount.measured() ? Rounded.of(amount.low()) + " to " + Rounded.of(amount.high()) + " " + unit + partly(amount) : NOT_MEASURED;
    }

    private String partly(Amount amount) {
        return amount.seconds() < seconds - 0.5 ? ", measured for " + Rounded.of(amount.seconds()) + " s" : "";
    }
}

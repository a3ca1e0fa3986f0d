// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.worth;

import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.runtime.knob.Settings;

/**
 * What an interval away from the baseline says of its worth. What is not measured, or impossible, is NaN.
 *
 * @param seconds      its length; 0 where it is impossible
 * @param level        of mitigation in force, as far as users notice it: from the wall's on while it is up, and below that at which
 *                     parts are left out if they are at the baseline, too
 * @param requests     that were completed
 * @param responseTime of these, s
 * @param stored       pages from the store, a second, beyond those of the baseline
 * @param aged         pages from the store, a second, that are older than at the baseline, or are not from the store there
 * @param page         CPU of a page that is built, as a share of the tier's for one a second
 * @param demand       the CPU that the requests would take if every page were built, at its usual cost, over the CPU that was there
 * @param service      time of a request that nobody else's delays, s: the usual response time x (1 - the usual use of the CPU)
 */
public record WorthInterval(double seconds, int level, double requests, double responseTime, double stored, double aged, double page,
        double demand, double service) {
    static final int STORED_LEVEL = 3;
    static final int OLDER_LEVEL = 4;
    static final int PARTS_LEVEL = 6;
    /** An interval that lasts longer is a clock that jumped. */
    private static final double LONGEST = 3600;
    private static final double IMPOSSIBLE = 1e12;

    public WorthInterval {
        seconds = seconds > 0 && seconds <= LONGEST ? seconds : 0;
        requests = possible(requests);
        responseTime = possible(responseTime);
        stored = possible(stored);
        aged = possible(aged);
        page = possible(page);
        demand = possible(demand);
        service = possible(service);
    }

    /**
     * What a sample says.
     *
     * @param seconds  since the last one
     * @param running  what was in force
     * @param baseline what is without mitigation
     * @param known    what is normal
     */
    public static WorthInterval of(Sample sample, double seconds, Settings running, Settings baseline, MetricBaseline known) {
        Medians usual = known.medians();
        int level = level(running);
        int before = level(baseline);
        double stored = sample.get(Metric.MIX_STORED);
        double same = known.mix().known() ? Math.min(stored, known.mix().usuallyStored(sample)) : age(before) > 0 ? Double.NaN : 0;
        double page = known.mix().page();
        double need = !known.mix().known() ? sample.get(Metric.THROUGHPUT) * usual.get(Metric.LOAD_PER_OPERATION_USED)
                : known.mix().built(sample) - (same > 0 ? same * page : 0);
        double left = 1 - (sample.has(Metric.STEAL) ? sample.get(Metric.STEAL) : 0);
        return new WorthInterval(seconds, before >= PARTS_LEVEL ? Math.min(level, PARTS_LEVEL - 1) : level,
                sample.get(Metric.REQUESTS), sample.get(Metric.RESPONSE_TIME), stored - same, age(before) > 0 && age(level) > age(before) ? stored : stored - same,
                page, left > 0 && left <= 1 ? need / left : Double.NaN, usual.get(Metric.RESPONSE_TIME) * (1 - usual.get(Metric.CPU_USED)));
    }

    /** The level by which pages age: the wall gives those of the oldest age that there is. */
    private static int level(Settings settings) {
        int level = settings.has(Lever.MITIGATION) ? settings.get(Lever.MITIGATION) : 0;
        return settings.has(Wall.FLAG) && settings.get(Wall.FLAG) == Wall.UP ? Math.max(level, OLDER_LEVEL) : level;
    }

    /** 0: no stored pages, 1: young ones, 2: old ones. */
    private static int age(int level) {
        return level >= OLDER_LEVEL ? 2 : level == STORED_LEVEL ? 1 : 0;
    }

    private static double possible(double value) {
        return value >= 0 && value < IMPOSSIBLE ? value : Double.NaN;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.ic2.knowledge.Metric;

/**
 * A tenant's own medians, and how a recorded value becomes one of its own: as many times its median as it was of the recording's,
 * so that what a neighbour does stays what it was. Shares, such as steal, stay what they were, and so does the configuration.
 */
final class TenantScale {
    private static final Set<Metric> LOAD = EnumSet.of(Metric.THROUGHPUT, Metric.REQUESTS, Metric.ERROR_RATE, Metric.ACCEPT_QUEUE,
            Metric.CONNECTED_USERS, Metric.BUSY_WORKERS, Metric.PENDING_USERS, Metric.NETWORK_IN, Metric.NETWORK_OUT, Metric.DISK_READ,
            Metric.DISK_WRITE, Metric.MIX_FILES, Metric.MIX_STORED, Metric.MIX_WRITES, Metric.MIX_HOME, Metric.MIX_PAGES_1,
            Metric.MIX_PAGES_2, Metric.MIX_PAGES_3, Metric.MIX_PAGES_4, Metric.MIX_PAGES_5, Metric.MIX_PAGES_6, Metric.MIX_MEMBERS);
    private static final Set<Metric> TIME = EnumSet.of(Metric.RESPONSE_TIME, Metric.RESPONSE_TIME_P95, Metric.ACCEPT_QUEUE_WAIT,
            Metric.OLDEST_WAIT, Metric.INTERACTIVE_RESPONSE_TIME);
    private static final Set<Metric> MACHINE = EnumSet.of(Metric.CPU_UTIL, Metric.MEMORY_LATENCY, Metric.CPI, Metric.PAGE_FAULTS);
    private static final Set<Metric> WHOLE = EnumSet.of(Metric.REQUESTS, Metric.ACCEPT_QUEUE, Metric.CONNECTED_USERS,
            Metric.BUSY_WORKERS, Metric.IDLE_WORKERS, Metric.PENDING_USERS);
    private static final Set<Metric> SHARE = EnumSet.of(Metric.CPU_UTIL, Metric.STEAL, Metric.RUN_DELAY, Metric.CMR, Metric.MEMORY_IDLE,
            Metric.MEMORY_ACTIVE, Metric.MEMORY_PRESSURE, Metric.HOST_MEMORY_PRESSURE, Metric.IO_PRESSURE);
    private static final Set<Metric> SETTINGS = EnumSet.of(Metric.MXC, Metric.KAT, Metric.PHP, Metric.MITIGATION);
    /** Follow from others, or are the agent's own conclusions. */
    private static final Set<Metric> NOT_MEASURED = EnumSet.of(Metric.CPU_USED, Metric.COST_PER_MIX);
    /** Without these a sample says nothing. */
    private static final Set<Metric> ALWAYS = EnumSet.of(Metric.RESPONSE_TIME, Metric.THROUGHPUT, Metric.REQUESTS, Metric.CPU_UTIL);
    private static final Metric[] METRICS = Metric.values();
    private static final double RESOLUTION = 1e5;
    private static final int DAY = 86400;
    private static final long DRIFT = 11;

    private final Blueprint fleet;
    private final double[] factor = new double[METRICS.length];
    private final double[] own = new double[METRICS.length];
    private final boolean[] lacks = new boolean[METRICS.length];
    private final double[] drift;
    private final double peak;

    TenantScale(Blueprint fleet, int tenant, double[] template, SplittableRandom chance) {
        this.fleet = fleet;
        double load = Math.exp(fleet.shape().scale() * HostDiary.normal(chance));
        double time = Math.exp(fleet.shape().scale() * HostDiary.normal(chance));
        double machine = Math.exp(fleet.shape().scale() / 4 * HostDiary.normal(chance));
        peak = 2 * Math.PI * chance.nextDouble();
        for (Metric metric : METRICS) {
            int i = metric.ordinal();
            factor[i] = LOAD.contains(metric) ? load : TIME.contains(metric) ? time : MACHINE.contains(metric) ? machine : 1;
            boolean follows = factor[i] != 1 || LOAD.contains(metric) || TIME.contains(metric) || MACHINE.contains(metric);
            own[i] = follows && template[i] > 0 ? template[i] * factor[i] : Double.NaN;
            lacks[i] = !ALWAYS.contains(metric) && !SETTINGS.contains(metric) && chance.nextDouble() < fleet.shape().missing();
        }
        drift = new double[fleet.days() + 1];
        SplittableRandom walk = fleet.chance(DRIFT, tenant);
        for (int day = 1; day < drift.length; day++) {
            drift[day] = drift[day - 1] + fleet.shape().drift() * HostDiary.normal(walk);
        }
    }

    /** What this time of the day does to the load. */
    double daily(int second) {
        return 1 + fleet.shape().daily() * Math.sin(2 * Math.PI * second / DAY + peak);
    }

    /** How far the medians have moved. */
    double drifted(int day, int second) {
        double part = second / (double) DAY;
        return Math.exp(drift[day] * (1 - part) + drift[day + 1] * part);
    }

    /**
     * The tenant's values for a recorded sample.
     *
     * @param daily   {@link #daily}
     * @param drifted {@link #drifted}
     */
    void apply(double[] recorded, double[] usual, double daily, double drifted, SplittableRandom chance, double[] result) {
        double noise = fleet.shape().noise();
        double busier = daily * (1 + noise * HostDiary.roughNormal(chance));
        for (Metric metric : METRICS) {
            int i = metric.ordinal();
            double value = recorded[i];
            if (Double.isNaN(value) || lacks[i] || metric.derived() || NOT_MEASURED.contains(metric)) {
                result[i] = Double.NaN;
                continue;
            }
            if (SETTINGS.contains(metric)) {
                result[i] = value;
                continue;
            }
            value = own[i] > 0 && usual[i] > 0 ? value / usual[i] * own[i] : value * factor[i];
            value *= LOAD.contains(metric) ? busier : 1 + noise * HostDiary.roughNormal(chance);
            value *= TIME.contains(metric) ? drifted : metric == Metric.CPU_UTIL ? daily : 1;
            value = Math.max(0, SHARE.contains(metric) ? Math.min(1, value) : value);
            result[i] = WHOLE.contains(metric) ? Math.rint(value) : Math.rint(value * RESOLUTION) / RESOLUTION;
        }
        double least = result[Metric.STEAL.ordinal()];
        result[Metric.CPU_UTIL.ordinal()] = least > result[Metric.CPU_UTIL.ordinal()] ? least : result[Metric.CPU_UTIL.ordinal()];
        if (chance.nextDouble() < fleet.shape().gaps()) {
            result[chance.nextInt(METRICS.length)] = Double.NaN;
        }
    }
}

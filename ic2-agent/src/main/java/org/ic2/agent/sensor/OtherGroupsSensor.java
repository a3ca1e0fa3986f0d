// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CgroupCpus;
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.ProcFiles;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Work beside the tier on its own machine, such as a backup: the CPU of the busiest other group of a slice, with its name among the
 * {@link Reading#extras}. For control groups of version 2, as systemd makes one for each unit.
 */
final class OtherGroupsSensor implements Sensor {

    /** The name of the extra begins so, and ends with that of the group. */
    static final String EXTRA = "other_cpu.";

    private static final double MICROS = 1e6;
    private static final double NANOS = 1e9;
    /** A machine with more is looked at in part. */
    private static final int MOST_GROUPS = 300;
    /** New groups are looked for so often, s. */
    private static final double LIST_SECONDS = 5;

    private final Host host;
    private final String root;
    private final String slice;
    private final List<String> tier;
    private final LongSupplier nanoClock;
    private final CounterRates growth = new CounterRates();
    private List<String> groups = List.of();
    private long listed;
    private double cpus = Double.NaN;

    /** @param tier groups that are the tier's own */
    OtherGroupsSensor(Host host, String root, String slice, List<String> tier, LongSupplier nanoClock) {
        this.host = host;
        this.root = root;
        this.slice = slice;
        this.tier = List.copyOf(tier);
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "other groups of " + slice + " on " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        long now = nanoClock.getAsLong();
        boolean first = Double.isNaN(cpus);
        growth.begin(now);
        if (Double.isNaN(cpus)) {
            cpus = new CgroupCpus(host, new CgroupFiles(host, root, slice)).count();
        }
        if (groups.isEmpty() || (now - listed) / NANOS >= LIST_SECONDS) {
            groups = host.list(root + slice).stream().filter(name -> name.endsWith("/")).map(name -> name.substring(0, name.length() - 1))
                    .filter(name -> !tier.contains(name)).limit(MOST_GROUPS).toList();
            listed = now;
        }
        double most = Double.NaN;
        String busiest = "";
        for (String group : groups) {
            double share = growth.rate(group, micros(group)) / MICROS / cpus;
            if (share > most || Double.isNaN(most)) {
                most = share;
                busiest = group;
            }
        }
        if (Double.isNaN(most)) {
            return Reading.missing(first ? "first reading: rates need a second one" : "no group of " + root + slice
                    + " but the tier's tells its CPU");
        }
        Reading.Builder reading = Reading.builder().put(Metric.OTHER_CPU, Math.min(1, most));
        return most > 0 ? reading.extra(EXTRA + busiest, most).build() : reading.build();
    }

    /** CPU time of a group, µs; NaN of one that has ended, or tells something else. */
    private double micros(String group) throws InterruptedException {
        try {
            return ProcFiles.field(host.read(root + slice + "/" + group + "/cpu.stat"), "usage_usec").orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}

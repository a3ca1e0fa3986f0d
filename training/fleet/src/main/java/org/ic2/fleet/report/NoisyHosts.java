// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.report;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.ic2.fleet.label.HostHours;

/**
 * Hosts, hours of the day and hours of hosts, the noisiest first.
 *
 * @param hosts    one for each host
 * @param daytimes one for each hour of the day, UTC, in the order of the day
 * @param hours    the noisiest hours of hosts
 * @param until    the end of the last hour
 */
public record NoisyHosts(List<Noise> hosts, List<Noise> daytimes, List<Noise> hours, Instant until) {
    private static final int HOURS_KEPT = 50;
    private static final int HOURS_A_DAY = 24;

    /**
     * How noisy something was.
     *
     * @param name     the host, the hour of the day, or a host and the begin of an hour
     * @param tenants  most tenants that were measured in an hour
     * @param judged   seconds in which enough tenants were measured
     * @param agreed   those in which enough were slow together
     * @param measured seconds for which tenants were measured, added
     * @param slow     those in which they were slow, not by their own load
     * @param worst    the largest response time of a sample, in medians
     */
    public record Noise(String name, int tenants, long judged, long agreed, long measured, long slow, double worst) {
        private static Noise of(String name, Row row) {
            return new Noise(name, row.<Integer>getAs(HostHours.TENANTS), row.<Long>getAs(HostHours.JUDGED), row.<Long>getAs(HostHours.AGREED),
                    row.<Long>getAs(HostHours.MEASURED), row.<Long>getAs(HostHours.SLOW), row.<Double>getAs(HostHours.WORST));
        }

        private Noise plus(Noise other) {
            return new Noise(name, Math.max(tenants, other.tenants), judged + other.judged, agreed + other.agreed, measured + other.measured,
                    slow + other.slow, Math.max(worst, other.worst));
        }

        /** The share of time with interference on which tenants agree, NaN if nothing could be judged. */
        public double agreedShare() {
            return judged == 0 ? Double.NaN : (double) agreed / judged;
        }

        /** The share of its tenants' time in which they were slow, not by their own load. */
        public double slowShare() {
            return measured == 0 ? Double.NaN : (double) slow / measured;
        }
    }

    private static final Comparator<Noise> NOISIEST = Comparator.comparingLong(Noise::agreed).thenComparingLong(Noise::slow).reversed()
            .thenComparing(Noise::name);

    /** From rows of {@link HostHours}: one pass, in which hosts alone are kept. */
    public static NoisyHosts of(Dataset<Row> hostHours) {
        Map<String, Noise> hosts = new TreeMap<>();
        Map<String, Noise> daytimes = new TreeMap<>();
        List<Noise> hours = new ArrayList<>();
        Instant until = Instant.EPOCH;
        for (var rows = hostHours.toLocalIterator(); rows.hasNext();) {
            Row row = rows.next();
            String host = row.getAs(HostHours.HOST);
            Instant hour = row.<Timestamp>getAs(HostHours.HOUR).toInstant();
            hosts.merge(host, Noise.of(host, row), Noise::plus);
            String daytime = String.format("%02d", hour.atOffset(ZoneOffset.UTC).getHour());
            daytimes.merge(daytime, Noise.of(daytime, row), Noise::plus);
            hours.add(Noise.of(host + ", " + hour, row));
            if (hours.size() > 2 * HOURS_KEPT + HOURS_A_DAY) {
                hours.sort(NOISIEST);
                hours.subList(HOURS_KEPT, hours.size()).clear();
            }
            until = hour.plusSeconds(3600).isAfter(until) ? hour.plusSeconds(3600) : until;
        }
        hours.sort(NOISIEST);
        return new NoisyHosts(hosts.values().stream().sorted(NOISIEST).toList(), List.copyOf(daytimes.values()),
                List.copyOf(hours.subList(0, Math.min(HOURS_KEPT, hours.size()))), until);
    }
}

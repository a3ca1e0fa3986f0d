// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.apache.spark.api.java.function.FlatMapGroupsFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** How noisy each host was in each hour: a row for each, without needing labels. */
public final class HostHours {
    /** The host. */
    public static final String HOST = "host";
    /** The begin of the hour. */
    public static final String HOUR = "hour";
    /** Tenants that were measured in it. */
    public static final String TENANTS = "tenants";
    /** Seconds in which enough tenants were measured for one to vouch for another. */
    public static final String JUDGED = "judged_seconds";
    /** Those on which at least k agree that a neighbour slows them down. */
    public static final String AGREED = "agreed_seconds";
    /** Seconds for which tenants were measured, added over the tenants. */
    public static final String MEASURED = "tenant_seconds";
    /** Those in which they were slow, not by their own load. */
    public static final String SLOW = "slow_tenant_seconds";
    /** The largest response time of a sample, in medians of its tenant's day. */
    public static final String WORST = "worst_ratio";
    private static final StructType SCHEMA = new StructType().add(HOST, DataTypes.StringType).add(HOUR, DataTypes.TimestampType)
            .add(TENANTS, DataTypes.IntegerType).add(JUDGED, DataTypes.LongType).add(AGREED, DataTypes.LongType)
            .add(MEASURED, DataTypes.LongType).add(SLOW, DataTypes.LongType).add(WORST, DataTypes.DoubleType);
    private static final int SECONDS = 3600;
    private static final int WORST_CELL = 8;

    private HostHours() {
    }

    /** Of the samples that the agreement is about. */
    public static Dataset<Row> of(HostAgreement agreement, AgreementRule rule) {
        return agreement.windows().groupByKey((MapFunction<Row, String>) row -> row.getString(0) + "\n" + row.getString(1), Encoders.STRING())
                .flatMapGroups((FlatMapGroupsFunction<String, Row, Row>) (key, rows) -> hours(rule, key, rows), Encoders.row(SCHEMA))
                .sort(HOST, HOUR);
    }

    private static final class Hour {
        private final Set<String> tenants = new TreeSet<>();
        private double worst;
        private long judged;
        private long agreed;
        private long measured;
        private long slow;
    }

    private static Iterator<Row> hours(AgreementRule rule, String key, Iterator<Row> rows) {
        String host = key.substring(0, key.indexOf('\n'));
        long first = HostAgreement.firstWindow(key.substring(host.length() + 1), rule.window());
        TreeMap<Long, Hour> hours = new TreeMap<>();
        Iterable<Row> once = () -> rows;
        HostDay day = HostAgreement.of(rule, first, StreamSupport.stream(once.spliterator(), false).peek(row -> {
            Hour hour = hours.computeIfAbsent(hour(row.getLong(3), rule), any -> new Hour());
            hour.tenants.add(row.getString(2));
            hour.worst = Math.max(hour.worst, row.isNullAt(WORST_CELL) ? 0 : row.getDouble(WORST_CELL));
        }).iterator());
        boolean[] agreed = day.agreed();
        for (int w = 0; w < agreed.length; w++) {
            int measured = day.measured(w);
            if (measured > 0) {
                Hour hour = hours.get(hour(first + w, rule));
                hour.judged += measured >= rule.tenants() ? rule.window() : 0;
                hour.agreed += agreed[w] ? rule.window() : 0;
                hour.measured += (long) measured * rule.window();
                hour.slow += (long) day.slow(w) * rule.window();
            }
        }
        List<Row> result = new ArrayList<>();
        hours.forEach((hour, of) -> result.add(RowFactory.create(host, new Timestamp(1000 * SECONDS * hour), of.tenants.size(), of.judged,
                of.agreed, of.measured, of.slow, of.worst)));
        return result.iterator();
    }

    private static long hour(long window, AgreementRule rule) {
        return Math.floorDiv(window * rule.window(), SECONDS);
    }
}

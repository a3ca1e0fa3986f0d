// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.ic2.knowledge.Metric;

/**
 * The columns of a fleet's samples, one row a sample. What a sensor says stands in a column of its {@link Metric}'s name, null
 * where it said nothing; derived metrics are computed when read and have none. Sorted by tenant and time within a file.
 */
public final class FleetSchema {
    /** Of the columns below; raised when one changes its meaning or goes. */
    public static final int VERSION = 1;

    /** Whose web tier it is: what is normal is learned for each tenant. Never null. */
    public static final String TENANT = "tenant";
    /** The physical host that the tenant ran on; null if unknown. */
    public static final String HOST = "host";
    /** The end of the interval, as {@link org.ic2.knowledge.Sample#time}. Never null. */
    public static final String TIME = "time";
    /** The name of the recording. Never null. */
    public static final String RUN = "run";
    /** What is known about the recording: its {@code run.json} without what no reader needs; null if it had none. */
    public static final String FACTS = "facts";
    /** The member of the application group. */
    public static final String MEMBER = "member";
    /** The configuration epoch in which the interval began. */
    public static final String EPOCH = "epoch";
    /** The configuration epoch in which it ended. */
    public static final String EPOCH_END = "epoch_end";
    /** A {@link org.ic2.knowledge.Label}'s name; null if unknown. */
    public static final String LABEL = "label";
    /** Partition: the web application. */
    public static final String APPLICATION = "application";
    /** Partition: the day of {@link #TIME} in UTC, {@code 2026-05-07}. */
    public static final String DAY = "day";
    /** The columns by which folders are parted, in their order. */
    public static final List<String> PARTITIONS = List.of(APPLICATION, DAY);

    /** The metrics that have a column, in the order of their columns. */
    public static final List<Metric> MEASURED = Arrays.stream(Metric.values()).filter(metric -> !metric.derived()).toList();

    private FleetSchema() {
    }

    /** The whole schema. */
    public static StructType samples() {
        List<StructField> fields = new ArrayList<>(List.of(text(TENANT, false), text(HOST, true),
                field(TIME, DataTypes.TimestampType, false), text(RUN, false), text(FACTS, true), text(MEMBER, false),
                field(EPOCH, DataTypes.LongType, false), field(EPOCH_END, DataTypes.LongType, false)));
        MEASURED.forEach(metric -> fields.add(field(metric.column(), DataTypes.DoubleType, true)));
        fields.addAll(List.of(text(LABEL, true), text(APPLICATION, false), text(DAY, false)));
        return new StructType(fields.toArray(StructField[]::new));
    }

    private static StructField text(String name, boolean nullable) {
        return field(name, DataTypes.StringType, nullable);
    }

    private static StructField field(String name, org.apache.spark.sql.types.DataType type, boolean nullable) {
        return new StructField(name, type, nullable, Metadata.empty());
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.udf;
import static org.apache.spark.sql.functions.when;

import java.io.Serializable;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapGroupsFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Metric;

/**
 * Labels without ground truth: {@link HostDay} for each host and day, on Spark. Two passes over the samples find what is usual for
 * each tenant and day and how its windows were; what is said of them is small and goes to every task of the third one, which labels.
 */
public final class HostAgreement {
    /** How finely quantiles are found: to a thousandth of the rank. */
    private static final int ACCURACY = 1000;
    private static final int SECONDS_A_DAY = 86400;
    private static final String WINDOW = "window";
    private static final StructType STRETCH = new StructType().add("tenant", DataTypes.StringType).add("from", DataTypes.LongType)
            .add("to", DataTypes.LongType).add("verdict", DataTypes.StringType).add("samples", DataTypes.LongType);

    private final SparkSession spark;
    private final Dataset<Row> samples;
    private final AgreementRule rule;

    /**
     * About these samples.
     *
     * @throws FleetException if one has no host, so that its neighbours are unknown
     */
    public HostAgreement(SparkSession spark, Dataset<Row> samples, AgreementRule rule) {
        this.spark = spark;
        this.samples = samples;
        this.rule = rule;
        Row lacking = samples.filter(col(FleetSchema.HOST).isNull()).agg(count(lit(1)), expr("count(DISTINCT tenant)"),
                expr("min(struct(tenant, run))")).first();
        if (lacking.getLong(0) > 0) {
            throw new FleetException(lacking.getLong(0) + " samples of " + lacking.getLong(1) + " tenants have no host id (such as tenant "
                    + lacking.getStruct(2).getString(0) + ", recording " + lacking.getStruct(2).getString(1)
                    + "); tenants of one host vouch for each other, so say at ingest which host each ran on, or label by ranges");
        }
    }

    /** For each host, day, tenant and window: samples, those with a response time, those that are slow, those of a busier tenant. */
    public Dataset<Row> windows() {
        Dataset<Row> web = samples.select(col(FleetSchema.HOST), col(FleetSchema.DAY), col(FleetSchema.TENANT),
                col(FleetSchema.TIME), column(Metric.RESPONSE_TIME).as("rt"), column(Metric.THROUGHPUT).as("x"));
        Dataset<Row> usual = web.groupBy(FleetSchema.TENANT, FleetSchema.DAY).agg(quartiles("rt").as("rts"), quartiles("x").as("xs"));
        AgreementRule limits = rule;
        Column slowAbove = udf((Double low, Double median) -> low == null ? null : limits.slowAbove(median, low), DataTypes.DoubleType)
                .apply(col("rts").getItem(0), col("rts").getItem(1));
        Column busyAbove = udf((Double low, Double median) -> low == null ? null : limits.busyAbove(median, low), DataTypes.DoubleType)
                .apply(col("xs").getItem(0), col("xs").getItem(1));
        usual = usual.select(col(FleetSchema.TENANT).as("t"), col(FleetSchema.DAY).as("d"), slowAbove.as("slow_above"),
                busyAbove.as("busy_above"), col("rts").getItem(1).as("median"));
        return web.join(broadcast(usual), col(FleetSchema.TENANT).equalTo(col("t")).and(col(FleetSchema.DAY).equalTo(col("d"))))
                .groupBy(col(FleetSchema.HOST), col(FleetSchema.DAY), col(FleetSchema.TENANT),
                        expr("cast(floor(unix_millis(time) / " + 1000L * rule.window() + ") as long)").as(WINDOW))
                .agg(count(lit(1)).cast("int").as("samples"), count("rt").cast("int").as("measured"),
                        sum(when(col("rt").gt(col("slow_above")), 1).otherwise(0)).cast("int").as("slow"),
                        sum(when(col("x").gt(col("busy_above")), 1).otherwise(0)).cast("int").as("busy"),
                        expr("max(rt / median)").as("worst"));
    }

    private static Column column(Metric metric) {
        return col(metric.column());
    }

    private static Column quartiles(String name) {
        return expr("percentile_approx(" + name + ", array(0.25D, 0.5D), " + ACCURACY + ")");
    }

    /** What is said of each tenant: the stretches of all hosts and days. */
    public Said said() {
        Encoder<Row> stretches = Encoders.row(STRETCH);
        AgreementRule ours = rule;
        Dataset<Row> found = windows().groupByKey((MapFunction<Row, String>) row -> row.getString(0) + "\n" + row.getString(1),
                Encoders.STRING()).flatMapGroups((FlatMapGroupsFunction<String, Row, Row>) (key, rows) -> day(ours, key, rows), stretches);
        return new Said(rule.window(), found.collectAsList());
    }

    private static Iterator<Row> day(AgreementRule rule, String key, Iterator<Row> rows) {
        long first = firstWindow(key.substring(key.indexOf('\n') + 1), rule.window());
        HostDay host = of(rule, first, rows);
        List<Row> stretches = new ArrayList<>();
        for (HostDay.Stretch one : host.stretches()) {
            stretches.add(RowFactory.create(one.tenant(), first + one.from(), first + one.to(), one.verdict().name(), one.samples()));
        }
        return stretches.iterator();
    }

    /** The number of a day's first window. */
    static long firstWindow(String day, int window) {
        return Math.floorDiv(LocalDate.parse(day).atStartOfDay(ZoneOffset.UTC).toEpochSecond(), window);
    }

    /** A host's day from rows of {@link #windows}. */
    static HostDay of(AgreementRule rule, long first, Iterator<Row> rows) {
        // one more: a window may begin before midnight
        HostDay host = new HostDay(rule, SECONDS_A_DAY / rule.window() + 2);
        rows.forEachRemaining(row -> host.seen(row.getString(2), (int) (row.getLong(3) - first), row.getInt(4), row.getInt(5),
                row.getInt(6), row.getInt(7)));
        return host;
    }

    /** The samples with the labels that agreement gives; those of which nothing can be told have none. */
    public Dataset<Row> labelled(Said said) {
        return samples.withColumn(FleetSchema.LABEL, given(said));
    }

    /** How the labels that agreement gives compare with those that the samples have: truth, given, and how many samples. */
    public Recovery against(Said said) {
        return new Recovery(samples.select(col(FleetSchema.LABEL).as("truth"), given(said).as("given")).groupBy("truth", "given").count()
                .collectAsList());
    }

    private Column given(Said said) {
        Broadcast<Said> everywhere = JavaSparkContext.fromSparkContext(spark.sparkContext()).broadcast(said);
        UDF2<String, Timestamp, String> label = (tenant, time) -> everywhere.value().label(tenant, time.toInstant().toEpochMilli());
        return udf(label, DataTypes.StringType).apply(col(FleetSchema.TENANT), col(FleetSchema.TIME));
    }

    /** What is said of all tenants, to be asked by tenant and time. */
    public static final class Said implements Serializable {
        private static final long serialVersionUID = 1;
        private final long window;
        /** By tenant: three numbers for each stretch, from, to and verdict, in order. Stretches that are calm are not there. */
        private final HashMap<String, long[]> stretches = new HashMap<>();
        private final EnumMap<Vouching, Long> counts = new EnumMap<>(Vouching.class);

        Said(int seconds, List<Row> rows) {
            window = 1000L * seconds;
            Map<String, List<long[]>> byTenant = new TreeMap<>();
            for (Row row : rows) {
                Vouching verdict = Vouching.valueOf(row.getString(3));
                counts.merge(verdict, row.getLong(4), Long::sum);
                if (verdict != Vouching.CALM) {
                    byTenant.computeIfAbsent(row.getString(0), name -> new ArrayList<>())
                            .add(new long[] {row.getLong(1), row.getLong(2), verdict.ordinal()});
                }
            }
            byTenant.forEach((tenant, list) -> {
                list.sort((a, b) -> Long.compare(a[0], b[0]));
                stretches.put(tenant, list.stream().flatMapToLong(Arrays::stream).toArray());
            });
        }

        /** How many samples each verdict is about. */
        public Map<Vouching, Long> counts() {
            return new EnumMap<>(counts);
        }

        /** The label of a tenant's sample, null if it has none. */
        String label(String tenant, long millis) {
            long at = Math.floorDiv(millis, window);
            long[] mine = stretches.get(tenant);
            int low = 0;
            int high = mine == null ? 0 : mine.length / 3;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (mine[3 * middle + 1] <= at) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            boolean inside = mine != null && 3 * low < mine.length && mine[3 * low] <= at;
            Vouching verdict = inside ? Vouching.values()[(int) mine[3 * low + 2]] : Vouching.CALM;
            return verdict.label().map(Enum::name).orElse(null);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.RowMaker;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;

/**
 * All rows of a fleet. Each tenant's samples come to one task, in the order of time (the only shuffle that there is), and go
 * through {@link RowMaker} one by one: medians, windows and missing values are those of a running agent.
 */
public final class TenantRows {
    private static final String MILLIS = "millis";
    /** Of a recording that says nothing of itself; it only matters where requests were not counted. */
    private static final Duration USUAL = Duration.ofSeconds(1);

    private TenantRows() {
    }

    /** What becomes of a task's rows; it runs where the task does. */
    public interface Step extends Serializable {
        /** The results for these rows, which come tenant by tenant in the order of time. */
        Iterator<Row> of(Iterator<TenantRow> rows);
    }

    /**
     * Takes each row of each tenant one step further.
     *
     * @param samples    of {@link FleetSchema}
     * @param attributes those that the step asks for: other columns are not read
     * @param member     the member of the application group that is judged
     */
    public static Dataset<Row> each(Dataset<Row> samples, List<Attribute> attributes, String member, Encoder<Row> results, Step step) {
        List<Metric> metrics = Inputs.of(attributes);
        List<Column> columns = new ArrayList<>();
        for (String name : List.of(FleetSchema.TENANT, FleetSchema.HOST, FleetSchema.APPLICATION, FleetSchema.DAY, FleetSchema.RUN,
                FleetSchema.FACTS, FleetSchema.EPOCH, FleetSchema.EPOCH_END, FleetSchema.LABEL)) {
            columns.add(functions.col(name));
        }
        columns.add(functions.unix_millis(functions.col(FleetSchema.TIME)).as(MILLIS));
        metrics.forEach(metric -> columns.add(functions.col(metric.column())));
        int first = columns.size() - metrics.size();
        Metric[] measured = metrics.toArray(Metric[]::new);
        MapPartitionsFunction<Row, Row> task = rows -> step.of(new Reading(rows, member, measured, first));
        return samples.filter(functions.col(FleetSchema.MEMBER).equalTo(member)).select(columns.toArray(Column[]::new))
                .repartition(functions.col(FleetSchema.TENANT)).sortWithinPartitions(FleetSchema.TENANT, MILLIS, FleetSchema.RUN)
                .mapPartitions(task, results);
    }

    /** From sorted columns to rows. */
    private static final class Reading implements Iterator<TenantRow> {
        private final Iterator<Row> rows;
        private final String member;
        private final Metric[] metrics;
        private final int first;
        private String tenant;
        private String run;
        private RowMaker maker;

        Reading(Iterator<Row> rows, String member, Metric[] metrics, int first) {
            this.rows = rows;
            this.member = member;
            this.metrics = metrics;
            this.first = first;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public TenantRow next() {
            Row row = rows.next();
            if (!row.getString(0).equals(tenant)) {
                tenant = row.getString(0);
                maker = new RowMaker();
                run = null;
            }
            if (!Objects.equals(run, row.getString(4))) {
                run = row.getString(4);
                maker.begin(about(run, row.getString(5)));
            }
            return new TenantRow(tenant, row.getString(1), row.getString(2), row.getString(3), maker.row(sample(row)));
        }

        private static Run about(String name, String facts) {
            return facts == null ? new Run(name, USUAL, Optional.empty(), List.of(), Map.of(), List.of())
                    : RunFolder.of(name, facts, List.of());
        }

        private Sample sample(Row row) {
            Sample.Builder sample = Sample.at(Instant.ofEpochMilli(row.getLong(9))).member(member).epochs(row.getLong(6), row.getLong(7));
            for (int i = 0; i < metrics.length; i++) {
                if (!row.isNullAt(first + i)) {
                    sample.set(metrics[i], row.getDouble(first + i));
                }
            }
            return sample.label(row.isNullAt(8) ? null : Label.valueOf(row.getString(8))).build();
        }
    }
}

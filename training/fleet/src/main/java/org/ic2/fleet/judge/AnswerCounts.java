// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.judge;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.ic2.fleet.store.FleetSchema;

/**
 * Counts answers where they are given: of each tenant, host and day how often a truth got an answer, and another tree's answer beside
 * it. What leaves the task is small however many rows there are.
 */
public final class AnswerCounts implements Iterator<Row> {
    /** Columns, beside tenant, host and day: labels by their place. */
    public static final String TRUTH = "truth";
    /** What the tree said. */
    public static final String ANSWER = "answer";
    /** What the other tree said. */
    public static final String OTHER = "other";
    /** How many rows. */
    public static final String ROWS = "rows";
    /** Rows whose best two classes are equal. */
    public static final String TIES = "ties";
    /** Rows on which the tree and its source do not agree. */
    public static final String DIFFERENT = "different";
    private static final List<String> KEYS = List.of(FleetSchema.TENANT, FleetSchema.HOST, FleetSchema.DAY, TRUTH, ANSWER, OTHER);
    private static final List<String> SUMS = List.of(ROWS, TIES, DIFFERENT);
    /** The columns. */
    public static final StructType SCHEMA = schema();

    private final Iterator<Answered> answers;
    private final Map<Key, long[]> counts = new HashMap<>();
    private final Deque<Row> ready = new ArrayDeque<>();
    private String tenant;

    /** Counts these, which come tenant by tenant. */
    public AnswerCounts(Iterator<Answered> answers) {
        this.answers = answers;
    }

    /**
     * One row's answers.
     *
     * @param tenant    whose
     * @param host      may be null
     * @param day       UTC
     * @param truth     the place of the label
     * @param answer    what the tree said
     * @param other     what another tree said
     * @param tie       true if its best two classes are equal
     * @param different true if the tree and its source do not agree
     */
    public record Answered(String tenant, String host, String day, int truth, int answer, int other, boolean tie, boolean different) {
    }

    private record Key(String tenant, String host, String day, int truth, int answer, int other) {
    }

    private static StructType schema() {
        List<StructField> fields = KEYS.stream().map(name -> new StructField(name, List.of(TRUTH, ANSWER, OTHER).contains(name)
                ? DataTypes.IntegerType : DataTypes.StringType, true, Metadata.empty())).toList();
        List<StructField> sums = SUMS.stream().map(name -> new StructField(name, DataTypes.LongType, false, Metadata.empty())).toList();
        return new StructType(java.util.stream.Stream.concat(fields.stream(), sums.stream()).toArray(StructField[]::new));
    }

    /** The counts of all tasks together. */
    public static Dataset<Row> sum(Dataset<Row> counts) {
        Column[] sums = SUMS.stream().map(name -> functions.sum(name).as(name)).toArray(Column[]::new);
        return counts.groupBy(KEYS.stream().map(functions::col).toArray(Column[]::new))
                .agg(sums[0], Arrays.copyOfRange(sums, 1, sums.length));
    }

    @Override
    public boolean hasNext() {
        while (ready.isEmpty() && answers.hasNext()) {
            Answered next = answers.next();
            if (!next.tenant().equals(tenant)) {
                flush();
                tenant = next.tenant();
            }
            long[] sums = counts.computeIfAbsent(new Key(next.tenant(), next.host(), next.day(), next.truth(), next.answer(), next.other()),
                    key -> new long[SUMS.size()]);
            sums[0]++;
            sums[1] += next.tie() ? 1 : 0;
            sums[2] += next.different() ? 1 : 0;
        }
        if (ready.isEmpty()) {
            flush();
        }
        return !ready.isEmpty();
    }

    private void flush() {
        counts.forEach((key, sums) -> ready.add(RowFactory.create(key.tenant(), key.host(), key.day(), key.truth(), key.answer(), key.other(),
                sums[0], sums[1], sums[2])));
        counts.clear();
    }

    @Override
    public Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.poll();
    }
}

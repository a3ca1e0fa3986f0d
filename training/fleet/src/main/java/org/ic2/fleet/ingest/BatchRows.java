// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.ic2.fleet.store.FleetSchema;

/**
 * What one pass over the recordings writes: samples, lines that were not understood, and files, told apart by {@link #KIND}, each
 * with the columns of all. The columns that are empty take no room.
 */
final class BatchRows {
    /** Which of the three. */
    static final String KIND = "kind";
    static final String SAMPLE = "sample";
    static final String BROKEN = "broken";
    static final String FILE = "file";

    static final String PATH = "path";
    static final String LINE = "line";
    static final String REASON = "reason";
    static final String TEXT = "text";
    static final String SIZE = "size";
    static final String MODIFIED = "modified";
    static final String CHECKSUM = "checksum";
    static final String ROWS = "rows";
    static final String BROKEN_ROWS = "broken_rows";
    /** The columns of what is broken. */
    static final List<String> OF_BROKEN = List.of(PATH, LINE, REASON, TEXT);
    /** The columns of files. */
    static final List<String> OF_FILE = List.of(PATH, SIZE, MODIFIED, CHECKSUM, ROWS, BROKEN_ROWS);

    static final StructType SCHEMA = schema();
    private static final Map<String, Integer> PLACES = IntStream.range(0, SCHEMA.size()).boxed()
            .collect(Collectors.toUnmodifiableMap(i -> SCHEMA.fieldNames()[i], Function.identity()));
    private static final String NONE = "-";

    private BatchRows() {
    }

    private static StructType schema() {
        List<StructField> fields = new ArrayList<>();
        Arrays.stream(FleetSchema.samples().fields()).forEach(field -> fields.add(nullable(field.name(), field.dataType())));
        for (String text : List.of(KIND, PATH, REASON, TEXT, CHECKSUM)) {
            fields.add(nullable(text, DataTypes.StringType));
        }
        for (String number : List.of(LINE, SIZE, MODIFIED, ROWS, BROKEN_ROWS)) {
            fields.add(nullable(number, DataTypes.LongType));
        }
        return new StructType(fields.toArray(StructField[]::new));
    }

    private static StructField nullable(String name, org.apache.spark.sql.types.DataType type) {
        return new StructField(name, type, true, Metadata.empty());
    }

    /** A row of a kind with these cells. */
    static Row of(String kind, Map<String, Object> cells) {
        Object[] row = new Object[SCHEMA.size()];
        row[PLACES.get(KIND)] = kind;
        row[PLACES.get(FleetSchema.APPLICATION)] = NONE;
        row[PLACES.get(FleetSchema.DAY)] = NONE;
        cells.forEach((name, value) -> row[PLACES.get(name)] = value);
        return RowFactory.create(row);
    }

    /** An empty row of a sample; {@link #put} fills it. */
    static Object[] sample() {
        Object[] row = new Object[SCHEMA.size()];
        row[PLACES.get(KIND)] = SAMPLE;
        return row;
    }

    /** Sets a cell. */
    static void put(Object[] row, String column, Object value) {
        row[PLACES.get(column)] = value;
    }
}

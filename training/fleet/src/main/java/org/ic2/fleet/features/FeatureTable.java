// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Attribute;

/**
 * The rows that can teach and judge, as columns: {@code tenant}, {@code host}, {@code application}, {@code day}, {@code truth} (the
 * label's place, 0 to 2), then one column an attribute, null where it is missing.
 */
public final class FeatureTable {
    /** Column: the place of the label in {@link org.ic2.knowledge.Label}. */
    public static final String TRUTH = "truth";
    /** Where the attributes begin. */
    public static final int FIRST = 5;

    private FeatureTable() {
    }

    /** The columns. */
    public static StructType schema(List<Attribute> attributes) {
        List<StructField> fields = new ArrayList<>();
        for (String name : List.of(FleetSchema.TENANT, FleetSchema.HOST, FleetSchema.APPLICATION, FleetSchema.DAY)) {
            fields.add(new StructField(name, DataTypes.StringType, true, Metadata.empty()));
        }
        fields.add(new StructField(TRUTH, DataTypes.IntegerType, false, Metadata.empty()));
        attributes.forEach(attribute -> fields.add(new StructField(attribute.name(), DataTypes.DoubleType, true, Metadata.empty())));
        return new StructType(fields.toArray(StructField[]::new));
    }

    /**
     * The labelled rows of these samples.
     *
     * @param reasons counts those that are left out, when the table is written
     */
    public static Dataset<Row> of(Dataset<Row> samples, List<Attribute> attributes, String member, Reasons reasons) {
        List<String> names = attributes.stream().map(Attribute::name).toList();
        return TenantRows.each(samples, attributes, member, Encoders.row(schema(attributes)), rows -> {
            List<Attribute> parsed = names.stream().map(Attribute::parse).toList();
            return new LabelledRows<>(rows, row -> cells(row, parsed), reasons);
        });
    }

    private static Row cells(TenantRow of, List<Attribute> attributes) {
        Object[] cells = new Object[FIRST + attributes.size()];
        cells[0] = of.tenant();
        cells[1] = of.host();
        cells[2] = of.application();
        cells[3] = of.day();
        cells[4] = of.row().truth().orElseThrow().ordinal();
        for (int i = 0; i < attributes.size(); i++) {
            double value = of.row().get(attributes.get(i));
            cells[FIRST + i] = Double.isNaN(value) ? null : value;
        }
        return RowFactory.create(cells);
    }
}

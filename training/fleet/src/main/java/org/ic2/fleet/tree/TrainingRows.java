// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.ic2.fleet.features.FeatureTable;
import org.ic2.fleet.store.FleetException;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.CostMatrix;

/**
 * Rows in the form that MLlib trains on.
 *
 * <p><b>Missing values.</b> MLlib knows none: it would bin NaN as the largest value, while the agent asks both sides of a test whose
 * attribute is missing, in proportion to the training weight below them, as C4.5 does. C4.5 trains alike, a row that misses a value
 * going to both sides in parts. So here: a row that misses a value becomes {@value #PARTS} rows of a part of its weight each, with
 * values from all over the attribute's distribution. Such rows say nothing about the attribute, all about the others, and the weights
 * in the tree are those by which the agent bridges.
 *
 * @param offered   the attributes of which there is any value, in the order of the vector
 * @param rows      how many there are of each class
 * @param missing   how many miss a value of them
 * @param vectors   the data: features, label and weight
 */
record TrainingRows(List<Attribute> offered, long[] rows, long missing, Dataset<Row> vectors) {
    static final String FEATURES = "features";
    static final String LABEL = "label";
    static final String WEIGHT = "weight";
    /** A prime, so that the parts of two missing values are not the same. */
    static final int PARTS = 5;
    private static final double QUANTILE_ERROR = 0.002;
    private static final StructType SCHEMA = new StructType(new StructField[] {
        new StructField(FEATURES, SQLDataTypes.VectorType(), false, Metadata.empty()),
        new StructField(LABEL, DataTypes.DoubleType, false, Metadata.empty()),
        new StructField(WEIGHT, DataTypes.DoubleType, false, Metadata.empty())});

    /**
     * Of a {@link FeatureTable}.
     *
     * @throws FleetException if there are no rows of one of the two sides, or no values
     */
    static TrainingRows of(Dataset<Row> table, List<Attribute> attributes, CostMatrix costs) {
        List<Column> counts = new ArrayList<>();
        for (Label label : Label.values()) {
            counts.add(functions.count_if(functions.col(FeatureTable.TRUTH).equalTo(label.ordinal())));
        }
        attributes.forEach(attribute -> counts.add(functions.count(functions.col(attribute.name()))));
        Row row = table.agg(counts.get(0), counts.subList(1, counts.size()).toArray(Column[]::new)).first();
        long[] classes = IntStream.range(0, Label.values().length).mapToLong(row::getLong).toArray();
        require(classes);
        long all = Arrays.stream(classes).sum();
        List<Attribute> offered = IntStream.range(0, attributes.size()).filter(i -> row.getLong(classes.length + i) > 0)
                .mapToObj(attributes::get).toList();
        if (offered.isEmpty()) {
            throw new FleetException("training data: none of the " + all + " rows has a value of " + attributes);
        }
        String[] gaps = IntStream.range(0, attributes.size())
                .filter(i -> row.getLong(classes.length + i) > 0 && row.getLong(classes.length + i) < all)
                .mapToObj(i -> attributes.get(i).name()).toArray(String[]::new);
        double[][] quantiles = quantiles(table, offered, gaps);
        long missing = gaps.length == 0 ? 0 : table.filter(Arrays.stream(gaps).map(name -> functions.col(name).isNull())
                .reduce(Column::or).orElseThrow()).count();
        return new TrainingRows(offered, classes, missing, vectors(table, offered, quantiles, ClassWeights.of(costs, classes)));
    }

    private static void require(long[] classes) {
        for (Label side : List.of(Label.NO_INTERFERENCE, Label.INTERFERENCE)) {
            if (classes[side.ordinal()] == 0) {
                throw new FleetException("training data: expected rows with and without interference, got "
                        + Arrays.stream(classes).sum() + " rows and none labelled " + side);
            }
        }
    }

    /** For each attribute the middle of each part of its distribution; empty if no row misses it. */
    private static double[][] quantiles(Dataset<Row> table, List<Attribute> offered, String[] gaps) {
        double[] middles = IntStream.range(0, PARTS).mapToDouble(part -> (part + 0.5) / PARTS).toArray();
        double[][] found = gaps.length == 0 ? new double[0][] : table.stat().approxQuantile(gaps, middles, QUANTILE_ERROR);
        double[][] all = new double[offered.size()][];
        for (int i = 0; i < all.length; i++) {
            int gap = Arrays.asList(gaps).indexOf(offered.get(i).name());
            all[i] = gap < 0 ? new double[0] : found[gap];
        }
        return all;
    }

    private static Dataset<Row> vectors(Dataset<Row> table, List<Attribute> offered, double[][] quantiles, double[] weights) {
        List<Column> columns = new ArrayList<>(List.of(functions.col(FeatureTable.TRUTH)));
        offered.forEach(attribute -> columns.add(functions.col(attribute.name())));
        FlatMapFunction<Row, Row> parts = row -> parts(row, quantiles, weights[row.getInt(0)]);
        MapPartitionsFunction<Row, Row> task = rows -> new Flat(rows, parts);
        Metadata classes = NominalAttribute.defaultAttr().withName(LABEL)
                .withValues(Arrays.stream(Label.values()).map(Label::name).toArray(String[]::new)).toMetadata();
        return table.select(columns.toArray(Column[]::new)).mapPartitions(task, Encoders.row(SCHEMA))
                .select(functions.col(FEATURES), functions.col(LABEL).as(LABEL, classes), functions.col(WEIGHT));
    }

    private static Iterator<Row> parts(Row row, double[][] quantiles, double weight) {
        double[] values = new double[quantiles.length];
        boolean whole = true;
        for (int i = 0; i < values.length; i++) {
            whole &= !row.isNullAt(1 + i);
            values[i] = row.isNullAt(1 + i) ? Double.NaN : finite(row.getDouble(1 + i));
        }
        double label = row.getInt(0);
        if (whole) {
            return Collections.singleton(RowFactory.create(Vectors.dense(values), label, weight)).iterator();
        }
        List<Row> parts = new ArrayList<>(PARTS);
        for (int part = 0; part < PARTS; part++) {
            double[] filled = values.clone();
            for (int i = 0; i < filled.length; i++) {
                filled[i] = Double.isNaN(filled[i]) ? quantiles[i][part * (1 + i % (PARTS - 1)) % PARTS] : filled[i];
            }
            parts.add(RowFactory.create(Vectors.dense(filled), label, weight / PARTS));
        }
        return parts.iterator();
    }

    /** Of two values a threshold is the middle, which must be a number. */
    private static double finite(double value) {
        return Math.max(-Double.MAX_VALUE / 4, Math.min(Double.MAX_VALUE / 4, value));
    }

    /** The parts of all rows, one after the other. */
    private static final class Flat implements Iterator<Row> {
        private final Iterator<Row> rows;
        private final FlatMapFunction<Row, Row> parts;
        private Iterator<Row> current = Collections.emptyIterator();

        Flat(Iterator<Row> rows, FlatMapFunction<Row, Row> parts) {
            this.rows = rows;
            this.parts = parts;
        }

        @Override
        public boolean hasNext() {
            while (!current.hasNext() && rows.hasNext()) {
                try {
                    current = parts.call(rows.next());
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            return current.hasNext();
        }

        @Override
        public Row next() {
            return current.next();
        }
    }
}

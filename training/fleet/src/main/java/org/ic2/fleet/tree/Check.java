// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.ic2.fleet.features.FeatureTable;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.AnswerCounts.Answered;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.tree.Classification;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.DecisionTree;

/**
 * Puts each row to the tree as the agent reads it from its file, and to Spark's. Both are counted, and so is whether they agree; the
 * figures are those of what the agent believes.
 */
public final class Check {
    private Check() {
    }

    /**
     * The {@link AnswerCounts} of a {@link FeatureTable}; the other answer is that of the tree before it was pruned, as the agent
     * would read it.
     *
     * @param pruned   the text of the classifier's file
     * @param unpruned the same before it was pruned
     */
    public static Dataset<Row> counts(Dataset<Row> table, TreeFit fit, String pruned, String unpruned) {
        List<Column> columns = new ArrayList<>();
        for (String name : List.of(FleetSchema.TENANT, FleetSchema.HOST, FleetSchema.DAY, FeatureTable.TRUTH)) {
            columns.add(functions.col(name));
        }
        List<String> names = fit.offered().stream().map(Attribute::name).toList();
        names.forEach(name -> columns.add(functions.col(name)));
        SparkTree spark = fit.pruned();
        MapPartitionsFunction<Row, Row> task = rows -> new AnswerCounts(new Answering(rows, names, spark, pruned, unpruned));
        return AnswerCounts.sum(table.select(columns.toArray(Column[]::new)).mapPartitions(task, Encoders.row(AnswerCounts.SCHEMA)));
    }

    /** From rows to answers. */
    private static final class Answering implements Iterator<Answered> {
        private static final int FIRST = 4;

        private final Iterator<Row> rows;
        private final Map<Attribute, Integer> places = new HashMap<>();
        private final SparkTree spark;
        private final DecisionTree pruned;
        private final DecisionTree unpruned;
        private final double[] values;

        Answering(Iterator<Row> rows, List<String> names, SparkTree spark, String pruned, String unpruned) {
            this.rows = rows;
            this.spark = spark;
            this.pruned = ClassifierJson.read("the exported tree", pruned).tree();
            this.unpruned = ClassifierJson.read("the exported tree before pruning", unpruned).tree();
            values = new double[names.size()];
            names.forEach(name -> places.put(Attribute.parse(name), places.size()));
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public Answered next() {
            Row row = rows.next();
            for (int i = 0; i < values.length; i++) {
                values[i] = row.isNullAt(FIRST + i) ? Double.NaN : row.getDouble(FIRST + i);
            }
            ToDoubleFunction<Attribute> asked = attribute -> values[places.get(attribute)];
            Classification ours = pruned.classify(asked);
            boolean[] best = spark.best(values);
            int ties = 0;
            for (boolean one : best) {
                ties += one ? 1 : 0;
            }
            return new Answered(row.getString(0), row.getString(1), row.getString(2), row.getInt(3), ours.believed().ordinal(),
                    unpruned.classify(asked).believed().ordinal(), ties > 1, !best[ours.label().ordinal()]);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import java.util.List;
import org.apache.spark.ml.classification.DecisionTreeClassifier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.ic2.fleet.features.FeatureTable;
import org.ic2.knowledge.Attribute;

/**
 * A tree that Spark has trained, and the same made small.
 *
 * @param offered  the attributes that it may test
 * @param rows     how many taught it, by class
 * @param missing  how many of them missed a value
 * @param unpruned as Spark trained it
 * @param pruned   what is kept of it
 */
public record TreeFit(List<Attribute> offered, long[] rows, long missing, SparkTree unpruned, SparkTree pruned) {
    /**
     * Trains on a {@link FeatureTable}.
     *
     * @throws org.ic2.fleet.store.FleetException if one of the two sides has no rows
     */
    public static TreeFit of(Dataset<Row> table, List<Attribute> attributes, TreeSettings settings) {
        TrainingRows training = TrainingRows.of(table, attributes, settings.costs());
        DecisionTreeClassifier classifier = new DecisionTreeClassifier().setFeaturesCol(TrainingRows.FEATURES)
                .setLabelCol(TrainingRows.LABEL).setWeightCol(TrainingRows.WEIGHT).setImpurity("entropy").setMaxDepth(settings.depth())
                .setMaxBins(settings.bins()).setMinWeightFractionPerNode(settings.leastLeaf()).setSeed(settings.seed());
        SparkTree unpruned = new SparkTree(classifier.fit(training.vectors()));
        return new TreeFit(training.offered(), training.rows(), training.missing(), unpruned,
                unpruned.with(Pruning.of(unpruned.root(), settings.leaves(), settings.saves())));
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.List;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.training.data.Row;
import weka.classifiers.Classifier;

/**
 * What a fit gives: Weka's classifier and the exported tree, which agree (see {@link Agreement}).
 *
 * @param attributes what the training offered
 * @param settings   how it was trained
 * @param rows       how many rows it was trained on
 * @param tree       the tree that the agent reads
 * @param weka       the same as Weka holds it
 * @param schema     how Weka sees a row
 */
public record Fitted(List<Attribute> attributes, Trainer.Settings settings, int rows, DecisionTree tree,
        Classifier weka, WekaRowsView schema) {
    /** The tree's label of a row. */
    public Label label(Row row) {
        return tree.classify(row::get).label();
    }

    /** The label that the agent would believe: TRANSIENT if what is missing leaves the tree unsure. */
    public Label believed(Row row) {
        return tree.classify(row::get).believed();
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.List;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.training.data.Row;
import weka.classifiers.meta.CostSensitiveClassifier;

/**
 * Trains the paper's classifier (section 4): J48 in CostSensitiveClassifier, which weighs the training rows by their
 * costs. Deterministic.
 */
public final class Trainer {
    private static final List<Label> SIDES = List.of(Label.NO_INTERFERENCE, Label.INTERFERENCE);

    private Trainer() {
    }

    /**
     * Trains a tree.
     *
     * @param rows labelled rows
     * @throws IllegalArgumentException if there are no rows, or none of one of the two sides
     */
    public static Fitted fit(List<Row> rows, List<Attribute> attributes, Fitted.Settings settings) {
        if (!trainable(rows)) {
            throw new IllegalArgumentException(lack(rows));
        }
        WekaRows schema = new WekaRows(attributes);
        OpenJ48 tree = new OpenJ48();
        tree.setConfidenceFactor((float) settings.confidence());
        tree.setMinNumObj(settings.leaf(rows.size()));
        tree.setDoNotMakeSplitPointActualValue(true);
        CostSensitiveClassifier classifier = new CostSensitiveClassifier();
        classifier.setClassifier(tree);
        classifier.setCostMatrix(matrix(settings.costs()));
        try {
            classifier.buildClassifier(schema.of(rows));
        } catch (Exception e) {
            throw new IllegalStateException("Weka could not train on " + rows.size() + " rows: " + e.getMessage(), e);
        }
        return new Fitted(schema.attributes(), settings, rows.size(), new TreeExport(attributes).export(tree.root()),
                classifier, schema::instance);
    }

    /** True if there are rows of both sides. */
    static boolean trainable(List<Row> rows) {
        return SIDES.stream().allMatch(side -> has(rows, side));
    }

    /** What is missing to train on these rows, in words. */
    static String lack(List<Row> rows) {
        Label side = has(rows, Label.NO_INTERFERENCE) ? Label.INTERFERENCE : Label.NO_INTERFERENCE;
        return "training data: expected samples with and without interference, got " + rows.size() + " rows and none labelled "
                + side + (side == Label.INTERFERENCE
                ? "; record a neighbour that harms, or let lesser ones teach too (--least-harm)" : "");
    }

    private static boolean has(List<Row> rows, Label side) {
        return rows.stream().anyMatch(row -> row.truth().orElseThrow() == side);
    }

    private static weka.classifiers.CostMatrix matrix(CostMatrix costs) {
        weka.classifiers.CostMatrix matrix = new weka.classifiers.CostMatrix(Label.values().length);
        for (Label truth : Label.values()) {
            for (Label answer : Label.values()) {
                matrix.setElement(truth.ordinal(), answer.ordinal(), costs.cost(truth, answer));
            }
        }
        return matrix;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import java.io.Serializable;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.ml.classification.DecisionTreeClassificationModel;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.tree.ContinuousSplit;
import org.apache.spark.ml.tree.InternalNode;
import org.apache.spark.ml.tree.Node;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.knowledge.tree.TreeNode;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;

/**
 * A tree as Spark has it. A row with all values that are asked for gets Spark's own answer; where one is missing, of which Spark
 * knows nothing, both sides are asked by the weights that Spark's nodes hold. The agent's form of it is made by {@link #exported};
 * the two have no code in common.
 */
public final class SparkTree implements Serializable {
    private static final long serialVersionUID = 1;
    /** Two classes whose shares differ by less are equal: the order of additions would decide. */
    private static final double TIE = 1e-9;

    private final DecisionTreeClassificationModel model;

    SparkTree(DecisionTreeClassificationModel model) {
        this.model = model;
    }

    /** The same model with other nodes. */
    SparkTree with(Node root) {
        return new SparkTree(new DecisionTreeClassificationModel(model.uid(), root, model.numFeatures(), model.numClasses()));
    }

    Node root() {
        return model.rootNode();
    }

    /** How many leaves it has. */
    public int leaves() {
        return Pruning.leaves(root());
    }

    /** How many tests lie above its deepest leaf. */
    public int depth() {
        return model.depth();
    }

    /** The share of the training weight that it labels wrongly, 0..1. */
    public double wrong() {
        return Pruning.wrongBelow(root()) / root().impurityStats().count();
    }

    /** What the tree says of a row whose missing values are NaN, by the place of the label; of a tie all that are best. */
    boolean[] best(double[] values) {
        boolean[] best = new boolean[Label.values().length];
        if (whole(root(), values)) {
            best[(int) model.predict(Vectors.dense(values))] = true;
            return best;
        }
        double[] votes = new double[best.length];
        vote(root(), values, 1, votes);
        double most = 0;
        for (double vote : votes) {
            most = Math.max(most, vote);
        }
        for (int i = 0; i < best.length; i++) {
            best[i] = most - votes[i] < TIE;
        }
        return best;
    }

    private static boolean whole(Node node, double[] values) {
        Node at = node;
        while (at instanceof InternalNode test) {
            ContinuousSplit split = (ContinuousSplit) test.split();
            double value = values[split.featureIndex()];
            if (Double.isNaN(value)) {
                return false;
            }
            at = value <= split.threshold() ? test.leftChild() : test.rightChild();
        }
        return true;
    }

    private static void vote(Node node, double[] values, double share, double[] votes) {
        if (node instanceof InternalNode test) {
            ContinuousSplit split = (ContinuousSplit) test.split();
            double value = values[split.featureIndex()];
            double left = test.leftChild().impurityStats().count() / test.impurityStats().count();
            double toLeft = Double.isNaN(value) ? left : value <= split.threshold() ? 1 : 0;
            if (toLeft > 0) {
                vote(test.leftChild(), values, share * toLeft, votes);
            }
            if (toLeft < 1) {
                vote(test.rightChild(), values, share * (1 - toLeft), votes);
            }
            return;
        }
        for (int i = 0; i < votes.length; i++) {
            votes[i] += share * node.impurityStats().stats()[i] / node.impurityStats().count();
        }
    }

    /** The same tests and weights in the form that the agent reads. */
    public DecisionTree exported(List<Attribute> attributes) {
        return new DecisionTree(exported(root(), attributes));
    }

    private static TreeNode exported(Node node, List<Attribute> attributes) {
        if (node instanceof InternalNode test) {
            ContinuousSplit split = (ContinuousSplit) test.split();
            return new Split(attributes.get(split.featureIndex()), split.threshold(), exported(test.leftChild(), attributes),
                    exported(test.rightChild(), attributes));
        }
        Map<Label, Double> counts = new EnumMap<>(Label.class);
        for (Label label : Label.values()) {
            double count = node.impurityStats().stats()[label.ordinal()];
            if (count > 0) {
                counts.put(label, count);
            }
        }
        return new Leaf(Label.values()[(int) node.prediction()], counts);
    }
}

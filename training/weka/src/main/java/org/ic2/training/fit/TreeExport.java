// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.knowledge.tree.TreeNode;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;
import weka.classifiers.trees.j48.C45Split;
import weka.classifiers.trees.j48.ClassifierSplitModel;
import weka.classifiers.trees.j48.ClassifierTree;
import weka.classifiers.trees.j48.Distribution;

/** Weka's tree in the form that the agent reads: the same tests, the same weights at the leaves. */
final class TreeExport {
    private final List<Attribute> attributes;

    TreeExport(List<Attribute> attributes) {
        this.attributes = attributes;
    }

    DecisionTree export(ClassifierTree root) {
        return new DecisionTree(node(root, root.getLocalModel().distribution()));
    }

    private TreeNode node(ClassifierTree node, Distribution above) {
        ClassifierSplitModel model = node.getLocalModel();
        if (node.isLeaf()) {
            return leaf(model.distribution(), above);
        }
        if (!(model instanceof C45Split split)) {
            throw new IllegalStateException("expected a numeric split of J48, got " + model.getClass().getName());
        }
        Attribute attribute = attributes.get(split.attIndex());
        return new Split(attribute, split.splitPoint() / WekaRows.factor(attribute),
                node(node.getSons()[0], split.distribution()), node(node.getSons()[1], split.distribution()));
    }

    /** An empty leaf answers as the node above it, and has no vote where a missing value is bridged. */
    private static Leaf leaf(Distribution weights, Distribution above) {
        boolean empty = !(weights.total() > 0);
        Label most = most(empty ? above : weights);
        if (empty) {
            return new Leaf(most, Map.of(most, 0.0));
        }
        Map<Label, Double> counts = new EnumMap<>(Label.class);
        for (Label label : Label.values()) {
            if (weights.perClass(label.ordinal()) > 0) {
                counts.put(label, weights.perClass(label.ordinal()));
            }
        }
        return new Leaf(most, counts);
    }

    private static Label most(Distribution weights) {
        Label most = Label.NO_INTERFERENCE;
        for (Label label : Label.values()) {
            most = weights.perClass(label.ordinal()) > weights.perClass(most.ordinal()) ? label : most;
        }
        return most;
    }
}

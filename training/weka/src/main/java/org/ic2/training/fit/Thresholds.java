// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.knowledge.tree.TreeNode;
import org.ic2.knowledge.tree.TreeNode.Split;

/** The numbers that a tree compares one attribute with. */
final class Thresholds {
    private Thresholds() {
    }

    static DoubleStream of(TreeNode node, Attribute attribute) {
        if (!(node instanceof Split split)) {
            return DoubleStream.empty();
        }
        DoubleStream own = split.attribute().equals(attribute) ? DoubleStream.of(split.threshold())
                : DoubleStream.empty();
        return DoubleStream.concat(own, DoubleStream.concat(of(split.le(), attribute), of(split.gt(), attribute)));
    }

    /** These values and, as often as all of them together, the thresholds. */
    static double[] and(double[] values, DecisionTree tree, Attribute attribute) {
        double[] own = of(tree.root(), attribute).toArray();
        if (own.length == 0) {
            return values;
        }
        int times = Math.max(1, values.length / own.length);
        double[] all = Arrays.copyOf(values, values.length + times * own.length);
        for (int i = 0; i < times * own.length; i++) {
            all[values.length + i] = own[i % own.length];
        }
        return all;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;

/** A node of a {@link DecisionTree}. */
public sealed interface TreeNode {
    /** The training weight below this node; 1 for each leaf without counts. */
    double weight();

    /**
     * A test on one attribute.
     *
     * @param attribute what is tested
     * @param threshold a value not above it goes to {@code le}, one above it to {@code gt}
     * @param le        where the value is less or equal
     * @param gt        where it is greater
     * @param weight    the sum of both sides
     */
    record Split(Attribute attribute, double threshold, TreeNode le, TreeNode gt, double weight) implements TreeNode {
        public Split {
            if (!Double.isFinite(threshold)) {
                throw new IllegalArgumentException("threshold: expected a finite number, got " + threshold);
            }
        }

        /** A test whose weight is the sum of its sides. */
        public Split(Attribute attribute, double threshold, TreeNode le, TreeNode gt) {
            this(attribute, threshold, le, gt, le.weight() + gt.weight());
        }
    }

    /**
     * An answer.
     *
     * @param label  the class
     * @param counts training weight of each class at this leaf; empty if nothing is known about it
     */
    record Leaf(Label label, Map<Label, Double> counts) implements TreeNode {
        public Leaf {
            EnumMap<Label, Double> copy = new EnumMap<>(Label.class);
            copy.putAll(counts);
            copy.values().forEach(count -> {
                if (!(count >= 0 && count < Double.POSITIVE_INFINITY)) {
                    throw new IllegalArgumentException("counts: expected numbers of 0 or more, got " + count);
                }
            });
            counts = Collections.unmodifiableMap(copy);
        }

        @Override
        public double weight() {
            double sum = counts.isEmpty() ? 1 : 0;
            for (double count : counts.values()) {
                sum += count;
            }
            return sum;
        }

        /**
         * The share of a class among the training data here. A leaf whose label is not its most frequent class (an
         * administrator's edit, or a tree built for expected cost) counts wholly for its label.
         */
        public double share(Label of) {
            double total = weight();
            double own = counts.getOrDefault(label, 0.0);
            boolean plain = total > 0 && counts.values().stream().allMatch(count -> count <= own);
            if (counts.isEmpty() || !plain) {
                return of == label ? 1 : 0;
            }
            return counts.getOrDefault(of, 0.0) / total;
        }
    }
}

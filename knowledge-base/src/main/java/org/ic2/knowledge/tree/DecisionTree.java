// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;

/**
 * The paper's classifier (section 4): a finite set of tests that a person can read and edit.
 *
 * <p><b>Missing attributes.</b> A test whose attribute is missing is bridged as C4.5 does it: both sides are asked
 * and their answers are mixed in proportion to the training weight below them; at a leaf, every class counts by its
 * share. The class with the largest sum wins; of equals, the first in the order of {@link Label}. So a sensor that
 * fails makes the tree less sure ({@link Classification#confidence}), not silent.
 *
 * @param root the first test, or the only answer
 */
public record DecisionTree(TreeNode root) {
    /** The class of a sample. */
    public Classification classify(ToDoubleFunction<Attribute> values) {
        TreeNode node = root;
        while (node instanceof Split split) {
            double value = values.applyAsDouble(split.attribute());
            if (Double.isNaN(value)) {
                return mixed(split, values);
            }
            node = value <= split.threshold() ? split.le() : split.gt();
        }
        Leaf leaf = (Leaf) node;
        return new Classification(leaf.label(), leaf.share(leaf.label()), false);
    }

    private static Classification mixed(TreeNode start, ToDoubleFunction<Attribute> values) {
        double[] votes = new double[Label.values().length];
        vote(start, values, 1, votes);
        int best = 0;
        for (int i = 1; i < votes.length; i++) {
            best = votes[i] > votes[best] ? i : best;
        }
        return new Classification(Label.values()[best], votes[best], true);
    }

    private static void vote(TreeNode node, ToDoubleFunction<Attribute> values, double share, double[] votes) {
        if (node instanceof Split split) {
            double value = values.applyAsDouble(split.attribute());
            if (Double.isNaN(value)) {
                double left = split.weight() > 0 ? split.le().weight() / split.weight() : 0.5;
                vote(split.le(), values, share * left, votes);
                vote(split.gt(), values, share * (1 - left), votes);
            } else {
                vote(value <= split.threshold() ? split.le() : split.gt(), values, share, votes);
            }
        } else if (node instanceof Leaf leaf) {
            for (Label label : Label.values()) {
                votes[label.ordinal()] += share * leaf.share(label);
            }
        }
    }

    /** Every attribute that is tested, in the order of the text form. */
    public Set<Attribute> attributes() {
        Set<Attribute> found = new LinkedHashSet<>();
        collect(root, found);
        return found;
    }

    private static void collect(TreeNode node, Set<Attribute> found) {
        if (node instanceof Split split) {
            found.add(split.attribute());
            collect(split.le(), found);
            collect(split.gt(), found);
        }
    }

    /**
     * The tests that led to the answer, for explanations: {@code load_per_operation_ratio 1.31 > 1.25, ...}. A
     * bridged test ends the list.
     */
    public String path(ToDoubleFunction<Attribute> values) {
        StringBuilder path = new StringBuilder();
        TreeNode node = root;
        while (node instanceof Split split) {
            double value = values.applyAsDouble(split.attribute());
            path.append(path.isEmpty() ? "" : ", ").append(split.attribute().name());
            if (Double.isNaN(value)) {
                return path.append(" missing").toString();
            }
            boolean low = value <= split.threshold();
            path.append(' ').append(Rounded.of(value)).append(low ? " <= " : " > ")
                    .append(SamplesCsv.number(split.threshold()));
            node = low ? split.le() : split.gt();
        }
        return path.toString();
    }

    /** The tree as indented text, one test or answer a line. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        if (root instanceof Leaf leaf) {
            text.append(answer(leaf)).append('\n');
        } else {
            print((Split) root, 0, text);
        }
        return text.toString();
    }

    private static void print(Split split, int depth, StringBuilder text) {
        print(split, " <= ", split.le(), depth, text);
        print(split, " > ", split.gt(), depth, text);
    }

    private static void print(Split split, String comparison, TreeNode side, int depth, StringBuilder text) {
        text.append("|   ".repeat(depth)).append(split.attribute().name()).append(comparison)
                .append(SamplesCsv.number(split.threshold()));
        if (side instanceof Leaf leaf) {
            text.append(": ").append(answer(leaf)).append('\n');
        } else {
            text.append('\n');
            print((Split) side, depth + 1, text);
        }
    }

    private static String answer(Leaf leaf) {
        if (leaf.counts().isEmpty()) {
            return leaf.label().name();
        }
        String others = leaf.counts().entrySet().stream()
                .filter(entry -> entry.getKey() != leaf.label() && entry.getValue() > 0)
                .map(entry -> ", " + entry.getKey() + " " + weight(entry.getValue()))
                .collect(Collectors.joining());
        return leaf.label() + " (" + weight(leaf.counts().getOrDefault(leaf.label(), 0.0)) + others + ")";
    }

    /** Weights are fractions after a training with costs; a person needs one decimal. */
    private static String weight(double value) {
        return SamplesCsv.number(Math.round(value * 10) / 10.0);
    }
}

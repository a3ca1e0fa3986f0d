// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import org.apache.spark.ml.tree.InternalNode;
import org.apache.spark.ml.tree.LeafNode;
import org.apache.spark.ml.tree.Node;

/**
 * Makes Spark's tree small enough to read: again and again the test goes that saves least weight from a wrong label for each leaf
 * that it adds (the weakest link of Breiman's trees), until each saves enough and there are few leaves enough.
 */
final class Pruning {
    private Pruning() {
    }

    /**
     * The tree without its weak tests.
     *
     * @param leaves at most
     * @param saves  the share of all weight that a test saves for each leaf more, at least
     */
    static Node of(Node root, int leaves, double saves) {
        double all = root.impurityStats().count();
        Node pruned = root;
        while (pruned instanceof InternalNode) {
            Link weakest = weakest(pruned);
            if (leaves(pruned) <= leaves && weakest.saved() >= saves * all && weakest.saved() > 0) {
                return pruned;
            }
            pruned = without(pruned, weakest.node());
        }
        return pruned;
    }

    /** A test and the weight that it saves for each leaf that it adds. */
    private record Link(InternalNode node, double saved) {
    }

    private static Link weakest(Node node) {
        if (!(node instanceof InternalNode test)) {
            return null;
        }
        Link own = new Link(test, (wrong(node) - wrongBelow(node)) / (leaves(node) - 1));
        Link left = weakest(test.leftChild());
        Link right = weakest(test.rightChild());
        Link below = left == null || right != null && right.saved() < left.saved() ? right : left;
        return below == null || own.saved() <= below.saved() ? own : below;
    }

    private static Node without(Node node, InternalNode gone) {
        if (node == gone) {
            return new LeafNode(gone.prediction(), gone.impurity(), gone.impurityStats());
        }
        return !(node instanceof InternalNode test) ? node : new InternalNode(test.prediction(), test.impurity(), test.gain(),
                without(test.leftChild(), gone), without(test.rightChild(), gone), test.split(), test.impurityStats());
    }

    /** How many leaves there are. */
    static int leaves(Node node) {
        return node instanceof InternalNode test ? leaves(test.leftChild()) + leaves(test.rightChild()) : 1;
    }

    /** The weight that the node's own answer labels wrongly. */
    private static double wrong(Node node) {
        return node.impurityStats().count() - node.impurityStats().stats()[(int) node.prediction()];
    }

    /** The weight that the leaves below label wrongly. */
    static double wrongBelow(Node node) {
        return node instanceof InternalNode test ? wrongBelow(test.leftChild()) + wrongBelow(test.rightChild()) : wrong(node);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import org.ic2.knowledge.tree.CostMatrix;

/**
 * How to train.
 *
 * @param costs     what wrong labels cost
 * @param depth     tests from the root to the deepest leaf, at most
 * @param leaves    leaves, at most
 * @param leastLeaf the share of all weight that a leaf has at least
 * @param saves     the share of all weight that a test must save from a wrong label for each leaf that it adds
 * @param bins      how many thresholds of an attribute are tried, and one more
 * @param seed      of what is drawn
 */
public record TreeSettings(CostMatrix costs, int depth, int leaves, double leastLeaf, double saves, int bins, long seed) {
    public TreeSettings {
        require(depth >= 1 && depth <= 30, "depth", "1 to 30", depth);
        require(leaves >= 2, "leaves", "2 or more", leaves);
        require(leastLeaf > 0 && leastLeaf < 0.5, "least leaf", "a share of more than 0 and less than 0.5", leastLeaf);
        require(saves >= 0 && saves < 1, "saves", "a share of 0 to less than 1", saves);
        require(bins >= 2, "bins", "2 or more", bins);
    }

    private static void require(boolean good, String name, String expected, Number got) {
        if (!good) {
            throw new IllegalArgumentException(name + ": expected " + expected + ", got " + got);
        }
    }
}

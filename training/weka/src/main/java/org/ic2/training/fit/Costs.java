// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.List;
import org.ic2.knowledge.tree.CostMatrix;

/** The paper's way to write a cost matrix (section 5.1.3), {@code a:b:c}. */
public final class Costs {
    /** The paper's in production. */
    public static final String PRODUCTION = CostMatrix.PRODUCTION;
    /** What figure 11 compares; the paper names the first and the last two. */
    public static final List<String> FIGURE_11 = List.of("1:1:1", "1:1:5", "1:1:10", "5:1:5", "5:1:10", "10:1:10");

    private Costs() {
    }

    /**
     * The matrix of {@code a:b:c}.
     *
     * @throws IllegalArgumentException if the text is not of that form
     */
    public static CostMatrix parse(String text) {
        return CostMatrix.parse(text);
    }
}

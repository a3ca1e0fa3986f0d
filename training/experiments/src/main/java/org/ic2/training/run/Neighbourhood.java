// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.util.List;

/**
 * How web tier and neighbour meet: the layout in which the testbed was started.
 *
 * @param layout     {@code overcommitted}, each has half of one CPU, or {@code apart}, the tier's CPU is its own
 * @param placements where a neighbour may be, the usual one first
 */
public record Neighbourhood(String layout, List<String> placements) {
    /** What a testbed is that does not say it. */
    public static final String USUAL = "overcommitted";
    /** The neighbour takes cache and memory bandwidth, and no CPU. */
    public static final String APART = "apart";

    private static final String BOTH = "both";

    /** The neighbourhood of a layout. */
    public static Neighbourhood of(String layout) {
        return new Neighbourhood(layout, layout.equals(APART) ? List.of("other-core") : List.of("same-core", "other-core"));
    }

    /**
     * Where the neighbour shall be.
     *
     * @param asked a placement; null: the usual one
     * @throws IllegalArgumentException if it cannot be there in this layout
     */
    public String placement(String asked) {
        if (asked != null && !placements.contains(asked)) {
            throw new IllegalArgumentException("--placement: in the testbed's layout " + layout + " expected "
                    + String.join(" or ", placements) + ", got '" + asked + "'");
        }
        return asked == null ? placements.get(0) : asked;
    }

    /**
     * Where neighbours shall be in turn.
     *
     * @param asked a placement; null or {@code both}: wherever they can be
     * @throws IllegalArgumentException if they cannot be there in this layout
     */
    public List<String> inTurn(String asked) {
        return asked == null || asked.equals(BOTH) && placements.size() > 1 ? placements : List.of(placement(asked));
    }
}

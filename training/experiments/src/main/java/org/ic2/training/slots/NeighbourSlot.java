// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

/**
 * Who is there in a slot.
 *
 * @param label     the name in tables and plots
 * @param program   the neighbour's command line, such as {@code dcopy --size 20MB}; empty: no neighbour
 * @param placement {@code same-core} or {@code other-core}; empty: no neighbour
 */
public record NeighbourSlot(String label, String program, String placement) {
    /** No neighbour. */
    public static final NeighbourSlot ALONE = new NeighbourSlot("alone", "", "");

    /** True if there is a neighbour. */
    public boolean present() {
        return !program.isEmpty();
    }
}

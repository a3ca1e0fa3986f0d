// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

/**
 * Who is there in a slot.
 *
 * @param label     the name in tables and plots
 * @param program   the neighbour's command line, such as {@code dcopy --size 20MB}; empty: nobody
 * @param placement {@code same-core} or {@code other-core}; empty: nobody
 */
public record Beside(String label, String program, String placement) {
    /** Nobody. */
    public static final Beside ALONE = new Beside("alone", "", "");

    /** True if there is a neighbour. */
    public boolean loud() {
        return !program.isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/**
 * What a change of the virtual CPU on a physical one costs it in CPU time.
 *
 * @param switching the change itself, ns
 * @param refilling filling caches that another has used, ns; a parameter of the model, measured by nobody here
 * @param migrating more when it ran elsewhere before, ns
 */
public record SwitchCosts(long switching, long refilling, long migrating) {
    /** The change alone: 5 microseconds. */
    public static final SwitchCosts BARE = new SwitchCosts(5_000, 0, 0);

    /** Caches too, in microseconds. */
    public static SwitchCosts of(int refilling, int migrating) {
        return new SwitchCosts(5_000, refilling * 1000L, migrating * 1000L);
    }
}

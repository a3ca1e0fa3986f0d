// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

/**
 * The place of one run in a comparison.
 *
 * @param round     from 1
 * @param neighbour its name, {@link Neighbour#NONE} without one
 * @param arm       what is measured
 */
record PlannedRun(int round, String neighbour, Arm arm) {
    /** The run's name and its folder's. */
    String id() {
        return "r" + round + "-" + neighbour + "-" + arm.key().replace('+', '-');
    }
}

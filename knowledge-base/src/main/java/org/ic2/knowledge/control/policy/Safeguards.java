// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

/**
 * What IC2 does beyond the paper so that users fare no worse. The paper as published has none of it.
 *
 * @param starvation that no values give the threads to some users for good, and that what harms is undone
 * @param hidden     that away from the baseline a label other than INTERFERENCE must be earned, since mitigation hides
 *                   what it cures; false: the detector is believed, so that entering NI2 restores
 */
public record Safeguards(boolean starvation, boolean hidden) {
    /** Those of everybody who does not say otherwise. */
    public static final Safeguards ALL = new Safeguards(true, true);
}

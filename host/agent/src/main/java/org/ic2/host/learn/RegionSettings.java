// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

/**
 * The setting that was found for a region.
 *
 * @param vector      the setting
 * @param baseCost    the default's cost in the search, percent
 * @param cost        its own cost in the search, percent
 * @param heldOutGain the share of the default's cost that it takes away on trials that the search has not seen; negative
 *                    where it adds
 * @param provenance  where and how it was found, for people
 */
public record RegionSettings(SchedulerVector vector, double baseCost, double cost, double heldOutGain, String provenance) {
    public RegionSettings {
        if (!Double.isFinite(baseCost) || !Double.isFinite(cost) || !Double.isFinite(heldOutGain)) {
            throw new IllegalArgumentException("settings of a region: expected finite costs and gain, got " + baseCost + ", "
                    + cost + ", " + heldOutGain);
        }
    }

    /** A candidate of a search that the paired test has confirmed. */
    public static RegionSettings of(Annealer.Found found, PairedTest.Tried kept, String provenance) {
        return new RegionSettings(kept.candidate().vector(), found.baseCost(), kept.candidate().cost(), kept.confirmation().gain(), provenance);
    }
}

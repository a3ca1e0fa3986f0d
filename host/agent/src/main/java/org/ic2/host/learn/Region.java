// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.List;
import java.util.Optional;

/**
 * A region of load: a cluster of what was measured.
 *
 * @param number   from 1
 * @param centre   in the units of {@link HostFeatures}
 * @param radius   the 99th percentile of its points' distances from the centre, scaled
 * @param points   how many points made it
 * @param settings what was found for it, if anything was
 */
public record Region(int number, List<Double> centre, double radius, int points, Optional<RegionSettings> settings) {
    public Region {
        centre = List.copyOf(centre);
    }

    /** The centre as an array. */
    double[] at() {
        return centre.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The same with a setting. */
    public Region with(RegionSettings found) {
        return new Region(number, centre, radius, points, Optional.of(found));
    }

    /** Number and centre, for people. */
    public String describe() {
        return "region " + number + " (" + HostFeatures.describe(at()) + ")";
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.List;
import java.util.Optional;

/**
 * The regions of load of a host, and the settings that were found for them.
 *
 * @param scaling    how features are scaled before distances are taken
 * @param silhouette the mean silhouette of the regions
 * @param regions    by number, from 1
 */
public record Library(Scaling scaling, double silhouette, List<Region> regions) {
    public Library {
        regions = List.copyOf(regions);
        if (regions.isEmpty()) {
            throw new IllegalArgumentException("a library: expected at least one region");
        }
        for (int i = 0; i < regions.size(); i++) {
            if (regions.get(i).number() != i + 1) {
                throw new IllegalArgumentException("regions: expected the numbers 1, 2, ... in their order, got "
                        + regions.get(i).number() + " as number " + (i + 1));
            }
        }
    }

    /**
     * Where a host is.
     *
     * @param region   the region whose centre is nearest
     * @param distance from it, scaled
     */
    public record Place(Region region, double distance) {
        /** False beyond the region's 99th percentile: nothing like it was seen when the regions were made. */
        public boolean known() {
            return distance <= region.radius();
        }
    }

    /** The region whose centre is nearest by Euclidean distance of the scaled features. */
    public Place nearest(double[] features) {
        double[] scaled = scaling.scaled(features);
        Place nearest = null;
        for (Region region : regions) {
            double distance = Math.sqrt(KMeans.squared(scaled, scaling.scaled(region.at())));
            nearest = nearest == null || distance < nearest.distance() ? new Place(region, distance) : nearest;
        }
        return nearest;
    }

    /** The region of a number. */
    public Optional<Region> region(int number) {
        return number < 1 || number > regions.size() ? Optional.empty() : Optional.of(regions.get(number - 1));
    }

    /** The same with the settings of one region; {@code number} must be one of its regions. */
    public Library with(int number, RegionSettings settings) {
        return new Library(scaling, silhouette, regions.stream()
                .map(region -> region.number() == number ? region.with(settings) : region).toList());
    }
}

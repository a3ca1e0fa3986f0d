// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;

/** Which columns of samples the attributes of a tree come from: no others are read from disk. */
final class Inputs {
    /** What says whether a sample can be judged, what is normal, and whether the tier is at its baseline. */
    private static final Set<Metric> ALWAYS = EnumSet.of(Metric.RESPONSE_TIME, Metric.THROUGHPUT, Metric.REQUESTS, Metric.CPU_UTIL,
            Metric.STEAL, Metric.CPU_USED);

    private Inputs() {
    }

    /** The metrics, in the order of their columns. */
    static List<Metric> of(List<Attribute> attributes) {
        Set<Metric> needed = EnumSet.copyOf(ALWAYS);
        for (Lever lever : Lever.values()) {
            needed.add(lever.quantity());
        }
        for (Attribute attribute : attributes) {
            if (!(attribute.quantity() instanceof Metric metric)) {
                throw new IllegalArgumentException("attribute '" + attribute + "': a fleet's samples hold the quantities that IC2 ships alone");
            }
            needed.add(metric);
            if (metric == Metric.COST_PER_MIX) {
                needed.addAll(Metric.MIX);
                needed.add(Metric.MIX_MEMBERS);
            }
        }
        return FleetSchema.MEASURED.stream().filter(needed::contains).toList();
    }
}

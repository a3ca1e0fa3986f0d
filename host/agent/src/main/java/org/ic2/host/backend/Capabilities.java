// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.KnobKind;

/**
 * What a backend can do on this host.
 *
 * @param knobs   by kind; a kind that it lacks is absent
 * @param metrics by metric; one that it lacks is absent
 * @param notes   what a provider should know, for example of guests whose weights pinning makes void
 */
public record Capabilities(Map<KnobKind, Range> knobs, Map<GuestMetric, Source> metrics, List<String> notes) {
    public Capabilities {
        knobs = Map.copyOf(knobs);
        metrics = Map.copyOf(metrics);
        notes = List.copyOf(notes);
    }

    /** The range of a knob, if there is such a knob. */
    public Optional<Range> range(KnobKind kind) {
        return Optional.ofNullable(knobs.get(kind));
    }

    /**
     * What a knob takes, in its unit.
     *
     * @param lowest  the least value but 0 = none
     * @param highest the greatest
     * @param step    values are multiples of it
     */
    public record Range(int lowest, int highest, int step) {
    }

    /**
     * Where a metric comes from.
     *
     * @param name for example {@code cpuacct.usage}
     * @param dear true if measuring it costs so much that it is only done when wanted
     */
    public record Source(String name, boolean dear) {
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.List;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * What a controller may know of the host besides what was measured.
 *
 * @param guests     the guests that run
 * @param pools      the pools of physical CPUs
 * @param memory     memory that guests may have together, bytes: the host's without its reserve
 * @param memoryFree what of it nobody has, bytes
 * @param cpus       CPUs that guests may have together: the host's without its reserve
 * @param inForce    the values of the knobs, as far as they are known; {@link GuestKnob}s
 */
public record HostView(List<Guest> guests, List<Pool> pools, long memory, long memoryFree, double cpus, Settings inForce) {
    public HostView {
        guests = List.copyOf(guests);
        pools = List.copyOf(pools);
    }

    /** A knob's value, if it is known. */
    public Optional<Integer> value(GuestKnob knob) {
        return inForce.has(knob) ? Optional.of(inForce.get(knob)) : Optional.empty();
    }
}

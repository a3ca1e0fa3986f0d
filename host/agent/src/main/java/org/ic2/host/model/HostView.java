// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * What a controller may know of the host besides what was measured.
 *
 * @param guests     the guests that run
 * @param pools      the pools of physical CPUs
 * @param homes      by guest's id the name of the pool in which it lives, as far as that is known; none where there is but one
 *                   pool, or nobody asked
 * @param memory     memory that guests may have together, bytes: the host's without its reserve
 * @param memoryFree what of it nobody has, bytes
 * @param cpus       CPUs that guests may have together: the host's without its reserve
 * @param inForce    the values of the knobs, as far as they are known; {@link GuestKnob}s
 */
public record HostView(List<Guest> guests, List<Pool> pools, Map<String, String> homes, long memory, long memoryFree, double cpus,
        Settings inForce) {
    public HostView {
        guests = List.copyOf(guests);
        pools = List.copyOf(pools);
        homes = Map.copyOf(homes);
    }

    /** Where nobody asked in which pool a guest lives. */
    public HostView(List<Guest> guests, List<Pool> pools, long memory, long memoryFree, double cpus, Settings inForce) {
        this(guests, pools, Map.of(), memory, memoryFree, cpus, inForce);
    }

    /** The pool in which a guest lives; empty if that is not known. */
    public Optional<Pool> pool(Guest guest) {
        return pools.size() == 1 ? Optional.of(pools.get(0))
                : pools.stream().filter(pool -> pool.name().equals(homes.get(guest.id()))).findFirst();
    }

    /**
     * Of a pool's CPUs what its guests may have together: the reserve is the pool's in which the host's own guest lives, or else the
     * first one's, as far as it goes.
     */
    public double cpus(Pool pool) {
        Pool own = guests.stream().filter(guest -> guest.guestClass() == GuestClass.HOST).findFirst().flatMap(this::pool)
                .orElse(pools.get(0));
        double reserve = pool.equals(own) ? pools.stream().mapToInt(one -> one.cpus().size()).sum() - cpus : 0;
        return Math.max(0, pool.cpus().size() - reserve);
    }

    /** A knob's value, if it is known. */
    public Optional<Integer> value(GuestKnob knob) {
        return inForce.has(knob) ? Optional.of(inForce.get(knob)) : Optional.empty();
    }
}

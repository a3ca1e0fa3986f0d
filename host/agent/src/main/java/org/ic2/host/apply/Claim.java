// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.ic2.host.model.KnobKind;

/**
 * What a controller may move.
 *
 * @param controller its name
 * @param kinds      the kinds of knobs
 * @param guests     the names of the guests; empty: all of them, and the pools
 */
public record Claim(String controller, Set<KnobKind> kinds, Set<String> guests) {
    public Claim {
        kinds = Collections.unmodifiableSet(kinds.isEmpty() ? EnumSet.noneOf(KnobKind.class) : EnumSet.copyOf(kinds));
        guests = Set.copyOf(guests);
    }

    private boolean covers(String guest) {
        return guests.isEmpty() || guests.contains(guest);
    }

    boolean covers(KnobKind kind, String guest) {
        return kinds.contains(kind) && (kind.ofPool() || covers(guest));
    }

    /** True if both may move one knob. */
    boolean meets(Claim other) {
        return !Collections.disjoint(kinds, other.kinds)
                && (guests.isEmpty() || other.guests.isEmpty() || !Collections.disjoint(guests, other.guests));
    }
}

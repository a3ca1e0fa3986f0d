// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostView;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.knob.Knob;

/**
 * The knobs whose values are known, by kind and owner. {@link HostView#value} compares one key after the other, which for 50
 * guests takes longer than all that is decided.
 */
final class InForce {
    private final Map<KnobKind, Map<String, Value>> byKind = new EnumMap<>(KnobKind.class);

    /** A knob and its value. */
    record Value(GuestKnob knob, int value) {
    }

    InForce(HostView host) {
        for (Knob knob : host.inForce().knobs()) {
            if (knob instanceof GuestKnob guestKnob) {
                byKind.computeIfAbsent(guestKnob.kind(), kind -> new HashMap<>())
                        .put(guestKnob.target().identity(), new Value(guestKnob, host.inForce().get(knob)));
            }
        }
    }

    Optional<Value> of(KnobKind kind, Guest guest) {
        return of(kind, guest.uuid());
    }

    Optional<Value> of(KnobKind kind, Target target) {
        return of(kind, target.identity());
    }

    private Optional<Value> of(KnobKind kind, String identity) {
        return Optional.ofNullable(byKind.getOrDefault(kind, Map.of()).get(identity));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;

/** How fast knobs may move: a least pause for each kind, and the largest step of caps and memory. Not thread-safe. */
public final class RateLimits {

    /** The loop's turns come at a period of their own, which may be a little short. */
    private static final double TOLERANCE = 0.9;

    private final Map<GuestKnob, Long> changedNanos = new HashMap<>();

    /** The least value that a single step reaches: half of a cap, a quarter less of memory. */
    public static int least(KnobKind kind, int from) {
        return switch (kind) {
            case CAP -> (from + 1) / 2;
            case MEMORY -> (int) ((from * 3L + 3) / 4);
            default -> 0;
        };
    }

    /** The greatest: 2.5 times a cap, half as much more of memory. */
    public static int most(KnobKind kind, int from) {
        return switch (kind) {
            case CAP -> (int) Math.min(Integer.MAX_VALUE, from * 5L / 2);
            case MEMORY -> (int) Math.min(Integer.MAX_VALUE, from * 3L / 2);
            default -> Integer.MAX_VALUE;
        };
    }

    /** Why a knob may not move now; empty when it may. */
    public Optional<String> resting(GuestKnob knob, long nowNanos) {
        Long changed = changedNanos.get(knob);
        return changed == null || nowNanos - changed >= knob.kind().pause().toNanos() * TOLERANCE ? Optional.empty()
                : Optional.of(knob.label() + " was changed " + (nowNanos - changed) / 1_000_000 + " ms ago and rests for "
                        + knob.kind().pause().toSeconds() + " s");
    }

    /** It was moved, or was to be. */
    public void changed(GuestKnob knob, long nowNanos) {
        changedNanos.put(knob, nowNanos);
    }

    /** Only these are there still. */
    public void keepOnly(Iterable<GuestKnob> knobs) {
        Map<GuestKnob, Long> kept = new HashMap<>();
        knobs.forEach(knob -> Optional.ofNullable(changedNanos.get(knob)).ifPresent(nanos -> kept.put(knob, nanos)));
        changedNanos.keySet().retainAll(kept.keySet());
    }
}

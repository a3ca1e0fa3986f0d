// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.ic2.host.backend.Backend;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;

/** How far memory may grow: into what is free, the best class first; what is back to its baseline grows into nothing. */
record MemoryGrowth(Backend backend, Snapshot snapshot, ManagedKnobs managed, KnobLimits floors) {
    private static final long MEBIBYTE = 1 << 20;

    /** Grown memory is cut to what is free: the best class first. */
    List<KnobMove> fitting(List<KnobMove> moves, double memoryFree, long freed, List<String> held) {
        List<KnobMove> fitting = new ArrayList<>(moves.stream().filter(move -> !move.is(KnobKind.MEMORY)).toList());
        List<KnobMove> growing = moves.stream().filter(move -> move.is(KnobKind.MEMORY)).sorted(Comparator.comparing(
                (KnobMove move) -> managed.guest(move.knob()).orElseThrow().guestClass())).toList();
        long room = Double.isNaN(memoryFree) ? 0 : (long) Math.max(0, memoryFree / MEBIBYTE) + freed;
        for (KnobMove move : growing) {
            long most = Math.max(move.before() + room, withoutRoom(move.knob()));
            int value = floors.round(KnobKind.MEMORY, (int) Math.min(move.value(), most),
                    Math.min(move.before(), managed.lowest(move.knob())), managed.highest(move.knob()));
            if (value > move.before() && value <= most) {
                fitting.add(new KnobMove(move.proposal(), move.before(), value));
                room = Math.max(0, room - (value - move.before()));
            } else {
                held.add(move.knob().label() + ": " + (Double.isNaN(memoryFree) ? "how much memory is free is unknown"
                        : "no memory is free to grow from " + move.before() + " to " + move.value() + " MiB"));
            }
        }
        return fitting;
    }

    /** A limit that we lowered may go back to what it was, whatever is free: without us it would be there. A balloon has to find the memory. */
    private long withoutRoom(GuestKnob knob) {
        return backend.gradual(KnobKind.MEMORY) ? 0 : snapshot.of(knob).map(SavedKnob::original)
                .map(baseline -> baseline == 0 ? (long) managed.highest(knob) : baseline).orElse(0L);
    }
}

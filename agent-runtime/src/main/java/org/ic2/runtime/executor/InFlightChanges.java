// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What was sent and has no outcome yet, or never had one: its command was interrupted, killed or not heard of again. Until
 * an outcome is known, what runs is unknown, whatever a server shows, for the order may still be on its way. An order that
 * was thought dead and arrives after all is recognised as our own. Not thread-safe.
 */
final class InFlightChanges {

    /** Far longer than any command of ours lives. */
    private static final Duration ARRIVES_WITHIN = Duration.ofMinutes(2);

    private final LongSupplier nanoClock;
    private final Map<Knob, List<Sent>> open = new TreeMap<>(Knob.ORDER);
    private final List<Overtaken> overtaken = new ArrayList<>();

    /**
     * @param arrived true once it was seen in force, so that it does not come again
     */
    private record Sent(int value, boolean arrived) {
    }

    /** A value whose fate nobody knows, and which a later order with a known outcome has replaced. */
    private record Overtaken(Knob knob, int value, long nanos) {
    }

    InFlightChanges(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    void continueFrom(InFlightChanges earlier, Collection<? extends Knob> knobs) {
        earlier.open.forEach((knob, values) -> {
            if (knobs.contains(knob)) {
                open.put(knob, new ArrayList<>(values));
            }
        });
        overtaken.addAll(earlier.overtaken);
    }

    /** The knobs of which it is unknown what runs. */
    Set<Knob> knobs() {
        return Knob.set(open.keySet());
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** These values are sent now. */
    void begin(Settings sent) {
        sent.values().forEach((knob, value) -> add(knob, new Sent(value, false)));
    }

    private void add(Knob knob, Sent sent) {
        open.computeIfAbsent(knob, key -> new ArrayList<>()).add(sent);
    }

    /** What was sent last was refused: nothing of it is on its way. */
    void refused(Settings sent) {
        sent.values().forEach((knob, value) -> {
            List<Sent> values = open.get(knob);
            values.remove(values.size() - 1);
            if (values.isEmpty()) {
                open.remove(knob);
            }
        });
    }

    /** What was sent last is in force. */
    void inForce(Settings sent) {
        sent.values().forEach((knob, value) -> open.remove(knob).stream()
                .filter(other -> other.value != value && !other.arrived)
                .forEach(other -> overtaken.add(new Overtaken(knob, other.value, nanoClock.getAsLong()))));
    }

    /** Takes note of what a server shows: a value that was overtaken and runs all the same has arrived late. */
    void seen(Settings running, Settings believed) {
        long now = nanoClock.getAsLong();
        for (Iterator<Overtaken> each = overtaken.iterator(); each.hasNext();) {
            Overtaken late = each.next();
            if (now - late.nanos > ARRIVES_WITHIN.toNanos()) {
                each.remove();
            } else if (running.has(late.knob) && running.get(late.knob) == late.value
                    && !running.same(believed, late.knob) && !open.containsKey(late.knob)) {
                each.remove();
                add(late.knob, new Sent(late.value, true));
            }
        }
    }
}

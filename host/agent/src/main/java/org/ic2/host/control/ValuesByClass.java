// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Rationale;

/** Gives each guest what the provider says of its class of one kind of knob: its weight, its ways of the cache, its bandwidth ... */
public final class ValuesByClass implements HostController<ValuesByClass.State> {
    private final KnobKind kind;
    private final Map<GuestClass, Integer> values;
    private final Duration period;

    /**
     * The controller.
     *
     * @param kind   of what; it has a key {@linkplain KnobKind#byClass by class}
     * @param values by class, in the knob's unit; a class that is left out keeps what it has
     * @param period between two looks
     */
    public ValuesByClass(KnobKind kind, Map<GuestClass, Integer> values, Duration period) {
        this.kind = kind;
        this.values = new EnumMap<>(values);
        this.period = period;
    }

    /** It remembers nothing. */
    public record State() {
    }

    @Override
    public String name() {
        return kind.byClass();
    }

    @Override
    public Duration period() {
        return period;
    }

    @Override
    public Set<GuestMetric> wanted() {
        return Set.of();
    }

    @Override
    public State begin() {
        return new State();
    }

    @Override
    public Step<State> step(State state, HostWindow window, HostView host) {
        InForce inForce = new InForce(host);
        List<KnobProposal> proposals = new ArrayList<>();
        List<String> held = new ArrayList<>();
        for (Guest guest : host.guests()) {
            Integer value = values.get(guest.guestClass());
            Optional<InForce.Value> knob = inForce.of(kind, guest);
            if (value != null && knob.isPresent()) {
                proposals.add(new KnobProposal(knob.get().knob(), value, name(), new Rationale("the " + kind.key() + " of its class",
                        Map.of(kind.key(), (double) value))));
            } else if (value != null) {
                held.add(guest.name() + ": " + kind.key() + ": what is in force is not known");
            }
        }
        return new Step<>(state, proposals, held);
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>();
        lines.add("every " + period.toSeconds() + " s, the " + kind.key() + " of each guest's class, in " + kind.unit());
        values.forEach((of, value) -> lines.add("  " + of + ": " + value));
        return lines;
    }
}

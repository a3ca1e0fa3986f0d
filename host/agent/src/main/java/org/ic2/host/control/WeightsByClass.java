// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.model.Grounds;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;

/** Gives each guest the weight of its class, as the provider says it. It takes effect only while guests want more than there is. */
public final class WeightsByClass implements HostController<WeightsByClass.State> {
    /** Its name in configuration and journal. */
    public static final String NAME = "weights";
    private final Map<GuestClass, Integer> weights;
    private final Duration period;

    /**
     * The controller.
     *
     * @param weights by class, 256 = normal; a class that is left out keeps what it has
     * @param period  between two looks
     */
    public WeightsByClass(Map<GuestClass, Integer> weights, Duration period) {
        this.weights = new EnumMap<>(weights);
        this.period = period;
    }

    /** It remembers nothing. */
    public record State() {
    }

    @Override
    public String name() {
        return NAME;
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
            Integer weight = weights.get(guest.guestClass());
            Optional<InForce.Value> knob = inForce.of(KnobKind.WEIGHT, guest);
            if (weight != null && knob.isPresent()) {
                proposals.add(new KnobProposal(knob.get().knob(), weight, NAME, new Grounds("the weight of its class", Map.of("weight", (double) weight))));
            } else if (weight != null) {
                held.add(guest.name() + ": weight: what is in force is not known");
            }
        }
        return new Step<>(state, proposals, held);
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>();
        lines.add("every " + period.toSeconds() + " s, the weight of each guest's class; 256 = normal");
        weights.forEach((of, weight) -> lines.add("  " + of + ": " + weight));
        return lines;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.learn.HostFeatures;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.Region;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Rationale;
import org.ic2.host.model.Target;

/**
 * Loads the scheduler's setting of the region in which the host's load is (iTune's Observer, paper T, 3.5.3): the nearest centre,
 * when it was the nearest several times in a row. Where nothing like the load is known, what is loaded stays.
 */
public final class RegionObserver implements HostController<RegionObserver.State> {
    private final Library library;
    private final Duration period;
    private final int confirm;
    private final Set<KnobKind> knobs;

    /**
     * An observer.
     *
     * @param library the regions with their settings
     * @param period  15 s in the paper
     * @param confirm how many times in a row a region must be the nearest: 5 in the paper
     * @param knobs   those of weight, tslice and ratelimit that it may move
     */
    public RegionObserver(Library library, Duration period, int confirm, Set<KnobKind> knobs) {
        if (confirm < 1) {
            throw new IllegalArgumentException("confirm: expected 1 or more, got " + confirm);
        }
        if (knobs.isEmpty() || !EnumSet.of(KnobKind.WEIGHT, KnobKind.TSLICE, KnobKind.RATELIMIT).containsAll(knobs)) {
            throw new IllegalArgumentException("knobs: expected some of weight, tslice and ratelimit, got "
                    + knobs.stream().map(KnobKind::key).toList());
        }
        this.library = library;
        this.period = period;
        this.confirm = confirm;
        this.knobs = EnumSet.copyOf(knobs);
    }

    /**
     * What it remembers.
     *
     * @param loaded    the number of the region whose setting it wants; 0 for none yet
     * @param candidate the number of another one that was the nearest last; 0 for none
     * @param confirmed how many times in a row
     */
    public record State(int loaded, int candidate, int confirmed) {
        private State without() {
            return new State(loaded, 0, 0);
        }
    }

    @Override
    public String name() {
        return "schedule";
    }

    @Override
    public Duration period() {
        return period;
    }

    /** Nothing of the guests: its features are the host's. */
    @Override
    public Set<GuestMetric> wanted() {
        return Set.of();
    }

    @Override
    public State begin() {
        return new State(0, 0, 0);
    }

    @Override
    public Step<State> step(State state, HostWindow window, HostView host) {
        List<String> held = new ArrayList<>();
        List<String> missing = HostFeatures.missing(window);
        held.addAll(missing);
        State next = missing.isEmpty() ? observed(state, HostFeatures.of(window), held) : state.without();
        List<KnobProposal> proposals = library.region(next.loaded())
                .flatMap(region -> region.settings().map(settings -> proposals(region, settings.vector(), window, host)))
                .orElse(List.of());
        return new Step<>(next, proposals, held);
    }

    private State observed(State state, double[] features, List<String> held) {
        Library.Place place = library.nearest(features);
        int number = place.region().number();
        if (!place.known()) {
            held.add("unknown load (" + HostFeatures.describe(features) + "): " + number("%.2f", place.distance()) + " from "
                    + place.region().describe() + ", whose points are within " + number("%.2f", place.region().radius()));
            return state.without();
        }
        if (number == state.loaded()) {
            return state.without();
        }
        int confirmed = Math.min(confirm, number == state.candidate() ? state.confirmed() + 1 : 1);
        if (confirmed < confirm) {
            held.add(place.region().describe() + ": confirmed " + confirmed + " times of " + confirm);
            return new State(state.loaded(), number, confirmed);
        }
        if (place.region().settings().isEmpty()) {
            held.add(place.region().describe() + ": the library has no setting for it; ic2-host optimize"
                    + " finds one while the load is there");
            return new State(state.loaded(), number, confirmed);
        }
        return new State(number, 0, 0);
    }

    private List<KnobProposal> proposals(Region region, SchedulerVector vector, HostWindow window, HostView host) {
        Rationale why = grounds(region, HostFeatures.of(window));
        InForce inForce = new InForce(host);
        List<KnobProposal> proposals = new ArrayList<>();
        for (Pool pool : host.pools()) {
            Target target = new Target.OfPool(pool.name());
            vector.tslice().ifPresent(ms -> propose(inForce.of(KnobKind.TSLICE, target), ms, why, proposals));
            vector.ratelimit().ifPresent(us -> propose(inForce.of(KnobKind.RATELIMIT, target), us, why, proposals));
        }
        for (Guest guest : host.guests()) {
            Optional.ofNullable(vector.weights().get(guest.guestClass()))
                    .ifPresent(weight -> propose(inForce.of(KnobKind.WEIGHT, guest), weight, why, proposals));
        }
        return proposals;
    }

    /** A knob whose value is not known cannot be restored and is left alone. */
    private void propose(Optional<InForce.Value> knob, int value, Rationale why, List<KnobProposal> proposals) {
        knob.filter(known -> knobs.contains(known.knob().kind()))
                .ifPresent(known -> proposals.add(new KnobProposal(known.knob(), value, name(), why)));
    }

    private Rationale grounds(Region region, double[] features) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("region", (double) region.number());
        for (int i = 0; i < features.length; i++) {
            if (!Double.isNaN(features[i])) {
                numbers.put(HostFeatures.KEYS.get(i), features[i]);
            }
        }
        return new Rationale("the setting of the region whose centre was nearest " + confirm + " times in a row", numbers);
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>();
        lines.add("every " + period.toMillis() / 1000.0 + " s the nearest of " + library.regions().size() + " regions, "
                + library.scaling().kind().key() + " scaling; after " + confirm + " times in a row its setting is loaded");
        for (Region region : library.regions()) {
            lines.add("  " + region.describe() + ": " + region.settings().map(settings -> settings.vector().describe()
                    + number("; cost %.1f %%, default %.1f %%, held-out gain %.1f %%", settings.cost(), settings.baseCost(),
                    100 * settings.heldOutGain())).orElse("no setting"));
        }
        lines.add("  farther from the centre than 99 % of a region's own points: unknown, nothing changes");
        return lines;
    }

    private static String number(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

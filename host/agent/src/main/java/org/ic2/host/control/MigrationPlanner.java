// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.model.Migration;
import org.ic2.host.model.Rationale;

/**
 * Which guest should live on another host (paper W, 4.2.1, the global scheduler). A latency-sensitive guest whose predicted
 * latency is beyond the threshold moves to the host of the lowest memory intensity. Where that is no gain, or it has moved
 * lately, the most intensive of its neighbours that are not latency-sensitive moves to the second lowest, where nobody suffers.
 *
 * @param threshold predicted latency, s, that is still well
 * @param confirm   in how many periods in a row it must be exceeded
 * @param gain      share of the source's intensity below which the destination must stay with the guest, if it or one there is sensitive
 * @param rest      so long a guest stays where it was moved to
 * @param stale     figures older than this are of no use: such a host is neither left nor sought
 */
public record MigrationPlanner(double threshold, int confirm, double gain, Duration rest, Duration stale) {

    /** How often it is asked: 30 s in the paper. */
    public static final Duration PERIOD = Duration.ofSeconds(30);

    public MigrationPlanner {
        if (!(threshold > 0) || confirm < 1 || !(gain > 0 && gain <= 1)) {
            throw new IllegalArgumentException("migration: expected a threshold above 0, at least one confirmation and a gain of 0 to 1,"
                    + " got " + threshold + ", " + confirm + ", " + gain);
        }
    }

    /** Two periods in a row, a tenth of gain, 5 minutes of rest, figures of the last three periods. */
    public static MigrationPlanner of(double threshold) {
        return new MigrationPlanner(threshold, 2, 0.9, Duration.ofMinutes(5), PERIOD.multipliedBy(3));
    }

    /** On which host a guest was seen, and when. */
    public record Sighting(String host, Instant time) {
    }

    /**
     * What it remembers.
     *
     * @param violated by uuid, in how many periods in a row the guest's latency was beyond the threshold
     * @param moved    by uuid, when the guest was told to move, or was seen to have moved
     * @param seen     by uuid, where the guest was seen last, as long as it may have to rest
     */
    public record State(Map<String, Integer> violated, Map<String, Instant> moved, Map<String, Sighting> seen) {
        public State {
            violated = Map.copyOf(violated);
            moved = Map.copyOf(moved);
            seen = Map.copyOf(seen);
        }

        /** At first. */
        public static State none() {
            return new State(Map.of(), Map.of(), Map.of());
        }
    }

    /**
     * What came of a period.
     *
     * @param state      what it remembers now
     * @param unfollowed the same where nobody follows the moves
     * @param moves      at most one for each host, as source or destination
     * @param held       why guests in violation stay
     */
    public record Step(State state, State unfollowed, List<Migration> moves, List<String> held) {
        public Step {
            moves = List.copyOf(moves);
            held = List.copyOf(held);
        }
    }

    /** One period of the planner: what it has found so far. */
    private final class Round {
        private final Instant now;
        private final List<FleetHost> known;
        private final Map<String, Integer> violated;
        private final Map<String, Instant> moved = new HashMap<>();
        private final Map<String, Sighting> seen;
        private final State unfollowed;
        private final Set<String> busy = new HashSet<>();
        private final List<Migration> moves = new ArrayList<>();
        private final List<String> held = new ArrayList<>();

        Round(State state, Instant now, List<FleetHost> hosts) {
            this.now = now;
            known = hosts.stream().filter(host -> !isStale(host, now) && !Double.isNaN(host.intensity()))
                    .sorted(Comparator.comparingDouble(FleetHost::intensity).thenComparing(FleetHost::name)).toList();
            seen = new HashMap<>(state.seen());
            violated = count(state.violated(), known);
            state.moved().forEach((uuid, when) -> {
                Instant then = when.isAfter(now) ? now : when;      // a clock that was set back
                if (Duration.between(then, now).compareTo(rest) < 0) {
                    moved.put(uuid, then);
                }
            });
            Map<String, String> here = new HashMap<>();
            hosts.stream().filter(host -> !isStale(host, now)).forEach(host -> host.guests().forEach(guest -> see(host, guest, here)));
            seen.values().removeIf(one -> Duration.between(one.time(), now).abs().compareTo(rest) > 0);
            unfollowed = new State(violated, moved, seen);
        }

        /** Somebody else may have moved it, or be about to: then it is on two hosts for a while. */
        private void see(FleetHost host, Resident guest, Map<String, String> here) {
            String other = here.put(guest.uuid(), host.name());
            if (other != null) {
                busy.addAll(List.of(other, host.name()));
                moved.put(guest.uuid(), now);
                violated.remove(guest.uuid());
                held.add(guest.name() + ": it is on " + other + " and on " + host.name() + ", as a guest is that moves: both are left alone");
            }
            Sighting before = seen.put(guest.uuid(), new Sighting(host.name(), now));
            if (before != null && !before.host().equals(host.name())) {
                moved.putIfAbsent(guest.uuid(), now);
            }
        }

        void help(FleetHost source, Resident sensitive) {
            if (busy.contains(source.name())) {
                held.add(sensitive.name() + ": " + source.name() + " takes part in another move now");
                return;
            }
            Optional<FleetHost> to = moved.containsKey(sensitive.uuid()) ? Optional.empty() : destination(source, sensitive, false);
            if (to.isPresent()) {
                move(source, sensitive, to.get(), sensitive, "W > threshold; to the host of the lowest memory intensity");
                return;
            }
            Optional<Resident> other = source.guests().stream().filter(guest -> !guest.guestClass().latencySensitive())
                    .filter(guest -> !moved.containsKey(guest.uuid()) && guest.intensity() > 0)
                    .filter(guest -> destination(source, guest, true).isPresent())
                    .max(Comparator.comparingDouble(Resident::intensity).thenComparing(Resident::uuid, Comparator.reverseOrder()));
            if (other.isPresent()) {
                move(source, other.get(), destination(source, other.get(), true).get(), sensitive,
                        "W > threshold; the most intensive of the others goes to the host of the second lowest memory intensity");
            } else {
                held.add(String.format(Locale.ROOT, "%s: predicted %.3g s > %.3g s, and no host would be a gain of %.0f %% with room for it", sensitive.name(),
                        sensitive.latency(), threshold, 100 * (1 - gain)));
            }
        }

        /**
         * The lowest, where that is a gain; for a neighbour the second lowest of all, as the lowest is kept for the latency-sensitive, and
         * without a gain where nobody there is.
         */
        private Optional<FleetHost> destination(FleetHost source, Resident guest, boolean second) {
            List<FleetHost> others = known.stream().filter(host -> !host.name().equals(source.name())).toList();
            boolean spare = second && others.size() > 1 && others.get(0).intensity() <= source.intensity();
            return others.stream().skip(spare ? 1 : 0).filter(host -> !busy.contains(host.name()))
                    .filter(host -> host.memoryFree() >= guest.memory() && host.cpuFree(guest.guestClass()) >= guest.cpu())
                    .filter(host -> host.intensity() + guest.intensity() <= gain * source.intensity() || second && isOfNobodySensitive(host))
                    .findFirst();
        }

        private static boolean isOfNobodySensitive(FleetHost host) {
            return host.guests().stream().noneMatch(guest -> guest.guestClass().latencySensitive());
        }

        private void move(FleetHost source, Resident guest, FleetHost to, Resident sensitive, String formula) {
            Map<String, Double> numbers = new LinkedHashMap<>();
            numbers.put("W", sensitive.latency());
            numbers.put("threshold", threshold);
            numbers.put("guest", guest.intensity());
            known.forEach(host -> numbers.put("intensity of " + host.name(), host.intensity()));
            moves.add(new Migration(guest.uuid(), guest.id(), guest.name(), source.name(), to.name(), new Rationale(formula, numbers)));
            moved.put(guest.uuid(), now);
            for (FleetHost host : List.of(source, to)) {
                busy.add(host.name());
                host.guests().forEach(one -> violated.remove(one.uuid()));     // its surroundings are others now
            }
        }
    }

    /** One period. */
    public Step step(State state, Instant now, List<FleetHost> hosts) {
        Round round = new Round(state, now, hosts);
        hosts.stream().filter(host -> isStale(host, now)).forEach(host -> round.held.add(host.name() + ": its figures are of "
                + host.time() + ": it is neither left nor sought"));
        hosts.stream().filter(host -> !isStale(host, now) && Double.isNaN(host.intensity())).forEach(host -> round.held.add(
                host.name() + ": the memory intensity of a guest there is not known: it is neither left nor sought"));
        round.known.stream().sorted(Comparator.comparing(FleetHost::name)).forEach(source -> source.guests().stream()
                .filter(guest -> round.violated.getOrDefault(guest.uuid(), 0) >= confirm)
                .max(Comparator.comparingDouble(Resident::latency).thenComparing(Resident::uuid, Comparator.reverseOrder()))
                .ifPresent(guest -> round.help(source, guest)));
        return new Step(new State(round.violated, round.moved, round.seen), round.unfollowed, round.moves, round.held);
    }

    /** What it does, with its numbers. */
    public List<String> explain() {
        return List.of(String.format(Locale.ROOT, "a latency-sensitive guest with W above %.3g s in %d periods in a row moves to the host of the"
                + " lowest memory intensity", threshold, confirm),
                String.format(Locale.ROOT, "  if that stays at %.2f of the source's or below with it, and it fits into free memory and CPUs there", gain),
                "  else the most intensive neighbour that is not latency-sensitive moves to the second lowest",
                "one move a host and period; a guest that moved rests " + rest.toMinutes() + " minutes; a host whose figures are older than "
                        + stale.toSeconds() + " s is neither left nor sought");
    }

    private boolean isStale(FleetHost host, Instant now) {
        return Duration.between(host.time(), now).abs().compareTo(stale) > 0;
    }

    private Map<String, Integer> count(Map<String, Integer> before, List<FleetHost> hosts) {
        Map<String, Integer> violated = new HashMap<>();
        hosts.forEach(host -> host.guests().stream().filter(guest -> guest.guestClass().latencySensitive() && guest.latency() > threshold)
                .forEach(guest -> violated.put(guest.uuid(), Math.min(confirm, before.getOrDefault(guest.uuid(), 0) + 1))));
        return violated;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.control.MigrationPlanner.State;
import org.ic2.host.control.MigrationPlanner.Step;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Migration;
import org.junit.jupiter.api.Test;

/** Who moves where, when, and who does not. */
class MigrationPlannerTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final long GIB = 1L << 30;

    private final MigrationPlanner planner = MigrationPlanner.of(0.01);
    private State state = State.none();
    private Instant now = BEGIN;

    private static Resident ls(String name, double intensity, double latency) {
        return new Resident(name, "1", name, GuestClass.LS1, intensity, GIB, 0.5, latency);
    }

    private static Resident nls(String name, double intensity) {
        return new Resident(name, "1", name, GuestClass.NLS, intensity, GIB, 0.5, Double.NaN);
    }

    private FleetHost host(String name, Resident... guests) {
        return new FleetHost(name, now, 8.0 * GIB, 8, List.of(guests));
    }

    private Step period(FleetHost... hosts) {
        Step step = planner.step(state, now, List.of(hosts));
        state = step.state();
        now = now.plus(MigrationPlanner.PERIOD);
        return step;
    }

    private FleetHost[] four(double latency) {
        return new FleetHost[] {host("h1", ls("cache", 0.2, latency), nls("a", 1), nls("b", 0.9)), host("h2", nls("c", 1)),
            host("h3", nls("d", 0.8)), host("h4", nls("e", 0.5))};
    }

    @Test
    void aGuestInViolationForTwoPeriodsMovesToTheHostOfTheLowestMemoryIntensity() {
        assertThat(period(four(0.02)).moves()).isEmpty();
        Step second = period(four(0.02));

        assertThat(second.moves()).singleElement().satisfies(move -> {
            assertThat(move.name()).isEqualTo("cache");
            assertThat(move.from()).isEqualTo("h1");
            assertThat(move.to()).isEqualTo("h4");
            assertThat(move.why().numbers()).containsEntry("W", 0.02).containsEntry("intensity of h4", 0.5);
        });
    }

    @Test
    void onePeriodWithoutViolationBeginsAnew() {
        period(four(0.02));
        period(four(0.009));
        assertThat(period(four(0.02)).moves()).isEmpty();
    }

    @Test
    void whereItIsStillInViolationItsMostIntensiveNeighbourGoesToTheSecondLowest() {
        period(four(0.02));
        period(four(0.02));
        FleetHost[] after = {host("h1", nls("a", 1), nls("b", 0.9)), host("h2", nls("c", 1)), host("h3", nls("d", 0.8)),
            host("h4", ls("cache", 0.2, 0.02), nls("e", 0.5), nls("f", 1.2), nls("g", 0.1))};

        assertThat(period(after).moves()).isEmpty();
        // h3 is the lowest, and kept for who is latency-sensitive; h2 is the second
        assertThat(period(after).moves()).singleElement().satisfies(move -> {
            assertThat(move.name()).isEqualTo("f");
            assertThat(move.to()).isEqualTo("h2");
        });
    }

    @Test
    void tiesGoToTheFirstNameAndFullOrStaleHostsAreNoDestination() {
        Resident cache = ls("cache", 0.2, 0.02);
        FleetHost source = host("h1", cache, nls("a", 1), nls("b", 1));
        FleetHost full = new FleetHost("h2", now, GIB / 2.0, 8, List.of());
        FleetHost unknown = new FleetHost("h3", now, Double.NaN, 8, List.of());
        FleetHost stale = new FleetHost("h4", now.minusSeconds(600), 8.0 * GIB, 8, List.of());
        FleetHost twin = host("h6", nls("c", 0.3));
        FleetHost first = host("h5", nls("d", 0.3));

        period(source, full, unknown, stale, twin, first);
        Step step = planner.step(state, now.minusSeconds(15), List.of(source, full, unknown, stale, twin, first));
        assertThat(step.moves()).singleElement().satisfies(move -> assertThat(move.to()).isEqualTo("h5"));
        assertThat(step.held()).singleElement().asString().startsWith("h4: its figures are of");
    }

    @Test
    void aGuestGoesOnlyWhereThereAreCpusForIt() {
        Resident cache = new Resident("cache", "1", "cache", GuestClass.LS1, 0.2, GIB, 2, 0.02);
        Resident burner = new Resident("burner", "2", "burner", GuestClass.NLS, 0.1, GIB, 3, Double.NaN);
        FleetHost source = new FleetHost("h1", now, 8.0 * GIB, 4, List.of(cache, nls("a", 1)));
        FleetHost burns = new FleetHost("h2", now, 8.0 * GIB, 4, List.of(burner));
        assertThat(burns.cpuFree(GuestClass.LS1)).as("the burner comes after it").isEqualTo(4);
        assertThat(burns.cpuFree(GuestClass.NLS)).isEqualTo(1);
        period(source, burns);
        assertThat(period(source, burns).moves()).singleElement().satisfies(move -> assertThat(move.name()).isEqualTo("cache"));
        for (FleetHost wrong : List.of(new FleetHost("h2", now, 8.0 * GIB, 1.5, List.of(burner)), new FleetHost("h2", now, 8.0 * GIB, Double.NaN, List.of()),
                new FleetHost("h2", now, 8.0 * GIB, 3, List.of(new Resident("other", "2", "other", GuestClass.LS3, 0.1, GIB, Double.NaN, 0.001))))) {
            state = State.none();
            period(source, wrong);
            assertThat(period(source, wrong).moves()).as("%s", wrong).noneMatch(move -> move.name().equals("cache"));
        }
    }

    @Test
    void aMoveMustBeAGainOfATenth() {
        FleetHost[] close = {host("h1", ls("cache", 0.2, 0.02), nls("a", 1)), host("h2", ls("other", 0.9, 0.001))};
        period(close);

        Step step = period(close);
        assertThat(step.moves()).isEmpty();
        assertThat(step.held()).singleElement().asString().contains("no host would be a gain of 10 %");
    }

    @Test
    void aGuestOnTwoHostsIsOnItsWayAndBothAreLeftAlone() {
        FleetHost[] twice = {host("h1", ls("cache", 0.2, 0.02), nls("a", 1), nls("b", 0.9)), host("h2", ls("cache", 0.2, 0.02)),
            host("h3", ls("web", 0.2, 0.02), nls("c", 1)), host("h4")};
        period(twice);
        Step step = period(twice);

        assertThat(step.moves()).singleElement().satisfies(move -> assertThat(move.from() + ">" + move.to()).isEqualTo("h3>h4"));
        assertThat(step.held()).anyMatch(why -> why.startsWith("cache: it is on h1 and on h2"));
        assertThat(period(host("h1", nls("a", 1), nls("b", 0.9)), host("h2", ls("cache", 0.2, 0.02)), host("h3"), host("h4")).moves()).isEmpty();
    }

    @Test
    void whoWasMovedByOthersRestsToo() {
        Resident cache = ls("cache", 0.2, 0.02);
        period(host("h1", cache, nls("a", 1)), host("h2"), host("h3"));
        period(host("h1", nls("a", 1)), host("h2"), host("h3"));     // neither here nor there for a while
        for (int i = 0; i < 10; i++) {
            assertThat(period(host("h1", nls("a", 1)), host("h2", cache, nls("b", 1)), host("h3")).moves()).as("period %d", i)
                    .noneMatch(move -> move.name().equals("cache"));
        }
        boolean moved = false;
        for (int i = 0; i < 10 && !moved; i++) {
            moved = period(host("h1", nls("a", 1)), host("h2", cache, nls("b", 1)), host("h3")).moves().stream()
                    .anyMatch(move -> move.name().equals("cache"));
        }
        assertThat(moved).as("after its rest").isTrue();
    }

    @Test
    void adviceThatNobodyFollowsStays() {
        state = planner.step(state, now, List.of(four(0.02))).unfollowed();
        for (int i = 0; i < 12; i++) {
            now = now.plus(MigrationPlanner.PERIOD);
            Step step = planner.step(state, now, List.of(four(0.02)));
            state = step.unfollowed();
            assertThat(step.moves()).singleElement().satisfies(move -> assertThat(move.name() + ">" + move.to()).isEqualTo("cache>h4"));
        }
    }

    @Test
    void aClockThatIsSetBackShortensNoRest() {
        period(four(0.02));
        period(four(0.02));
        now = BEGIN.minusSeconds(3600);
        for (int i = 0; i < 9; i++) {
            assertThat(period(four(0.02)).moves()).noneMatch(move -> move.name().equals("cache"));
        }
    }

    /** A day of random changes on five hosts: guests come, go, change; hosts fill up, fall silent and vanish. */
    @Test
    void inADayOfRandomChangesNoGuestMovesTwiceInFiveMinutes() {
        SplittableRandom random = new SplittableRandom(3);
        Map<String, List<Resident>> fleet = new HashMap<>();
        Map<String, Instant> moved = new HashMap<>();
        int moves = 0;
        for (int period = 0; period < 2880; period++) {
            change(fleet, random, period);
            List<FleetHost> hosts = hosts(fleet, random);
            Step step = planner.step(state, now, hosts);
            state = step.state();
            Set<String> busy = new HashSet<>();
            for (Migration move : step.moves()) {
                moves++;
                assertThat(busy.add(move.from()) && busy.add(move.to())).isTrue();
                Instant before = moved.put(move.uuid(), now);
                assertThat(before == null || Duration.between(before, now).compareTo(Duration.ofMinutes(5)) >= 0).isTrue();
                FleetHost from = hosts.stream().filter(host -> host.name().equals(move.from())).findFirst().orElseThrow();
                FleetHost to = hosts.stream().filter(host -> host.name().equals(move.to())).findFirst().orElseThrow();
                Resident guest = from.guests().stream().filter(one -> one.uuid().equals(move.uuid())).findFirst().orElseThrow();
                assertThat(to.time()).isEqualTo(now);
                assertThat(to.memoryFree()).isGreaterThanOrEqualTo(guest.memory());
                assertThat(to.cpuFree(guest.guestClass())).isGreaterThanOrEqualTo(guest.cpu());
                if (guest.guestClass().latencySensitive() || to.guests().stream().anyMatch(one -> one.guestClass().latencySensitive())) {
                    assertThat(to.intensity() + guest.intensity()).isLessThanOrEqualTo(0.9 * from.intensity());
                }
                if (random.nextInt(10) > 0) {       // some migrations fail
                    fleet.get(move.from()).remove(guest);
                    fleet.get(move.to()).add(guest);
                }
            }
            assertThat(planner.step(state, now, hosts).moves()).noneMatch(again -> step.moves().stream()
                    .anyMatch(move -> move.uuid().equals(again.uuid())));
            now = now.plus(MigrationPlanner.PERIOD);
        }
        assertThat(moves).isGreaterThan(50);
    }

    private static void change(Map<String, List<Resident>> fleet, SplittableRandom random, int period) {
        String name = "h" + random.nextInt(5);
        List<Resident> guests = fleet.computeIfAbsent(name, any -> new ArrayList<>());
        if (guests.size() < 6 && random.nextInt(3) > 0) {
            guests.add(random.nextInt(3) == 0 ? ls("ls" + period, random.nextDouble() / 3, 0.03 * random.nextDouble())
                    : nls("nls" + period, random.nextDouble()));
        } else if (!guests.isEmpty()) {
            Resident one = guests.remove(random.nextInt(guests.size()));
            if (random.nextBoolean()) {
                guests.add(new Resident(one.uuid(), one.id(), one.name(), one.guestClass(), random.nextDouble(), one.memory(), one.cpu(),
                        one.guestClass().latencySensitive() ? 0.03 * random.nextDouble() : Double.NaN));
            }
        }
    }

    private List<FleetHost> hosts(Map<String, List<Resident>> fleet, SplittableRandom random) {
        List<FleetHost> hosts = new ArrayList<>();
        fleet.forEach((name, guests) -> {
            if (random.nextInt(20) > 0) {
                hosts.add(new FleetHost(name, random.nextInt(10) == 0 ? now.minusSeconds(120) : now, random.nextInt(10) * 0.3 * GIB, 8, guests));
            }
        });
        return hosts;
    }
}

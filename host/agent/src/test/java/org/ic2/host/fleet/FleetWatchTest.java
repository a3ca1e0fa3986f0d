// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.ic2.host.config.FleetFile;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Migration;
import org.ic2.host.model.MoveCommand;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agents of several hosts, each of which knows the others by files alone. Guests move when a command says so. */
class FleetWatchTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final List<String> NAMES = List.of("h1", "h2", "h3", "h4");
    private static final long GIB = 1L << 30;
    private static final MigrationPlanner PLANNER = MigrationPlanner.of(0.01);

    @TempDir
    private Path directory;
    private volatile Instant now = BEGIN;
    private final List<Journal> journals = new ArrayList<>();
    private final Map<String, Map<String, Resident>> guests = new LinkedHashMap<>();
    private final Map<String, FleetWatch> agents = new LinkedHashMap<>();
    private final Map<String, Instant> told = new HashMap<>();
    private final Set<String> doubled = new HashSet<>();
    private final AtomicInteger commands = new AtomicInteger();
    private final SplittableRandom fate = new SplittableRandom(5);

    @AfterEach
    void end() throws IOException {
        agents.values().forEach(FleetWatch::close);
        for (Journal journal : journals) {
            journal.close();
        }
    }

    private static String uuid(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private static Resident ls(String name, double intensity, double latency) {
        return new Resident(uuid(name), "1", name, GuestClass.LS1, intensity, GIB, 0.5, latency);
    }

    private static Resident nls(String name, double intensity) {
        return new Resident(uuid(name), "1", name, GuestClass.NLS, intensity, GIB, 0.5, Double.NaN);
    }

    private Path status(String host) {
        return directory.resolve(host + ".json");
    }

    private FleetHost host(String name) {
        List<Resident> here = List.copyOf(guests.get(name).values());
        return new FleetHost(name, now, 12.0 * GIB - here.size() * GIB, 12, here);
    }

    private void tell(String name) throws IOException {
        Files.writeString(status(name), FleetStatus.of(host(name)));
        told.put(name, now);
    }

    private FleetWatch agent(String name, boolean moves) throws Exception {
        StringBuilder yaml = new StringBuilder("this: " + name + "\nhosts:\n");
        NAMES.forEach(other -> yaml.append("  ").append(other).append(other.equals(name) ? ": {}\n" : ": {file: " + status(other) + "}\n"));
        FleetFile fleet = FleetFile.parse(directory.resolve(name + ".yaml"), yaml.toString());
        Journal journal = new Journal(directory.resolve(name + "/journal.jsonl"), Clock.systemUTC(), Set.of());
        journals.add(journal);
        Host host = (Host) Proxy.newProxyInstance(Host.class.getClassLoader(), new Class<?>[] {Host.class}, (proxy, method, arguments) ->
                move(((List<?>) arguments[0]).stream().map(String.class::cast).toList()));
        Optional<FleetWatch.Moving> moving = moves ? Optional.of(new FleetWatch.Moving(new MoveCommand(List.of("move", "{uuid}", "{from}",
                "{to}")), PATIENCE, host, directory.resolve(name + "/moves.json"))) : Optional.empty();
        FleetReader reader = new FleetReader(fleet, all -> all.values().forEach(Runnable::run), PATIENCE);
        FleetWatch watch = new FleetWatch(new FleetWatch.Parts(fleet, reader, PLANNER, moving, journal,
                () -> Duration.between(BEGIN, now).toNanos()));
        agents.put(name, watch);
        return watch;
    }

    /** What stands for the provider's command: mostly it works, and for a while the guest may be on both hosts. */
    private synchronized CommandResult move(List<String> words) {
        String uuid = words.get(1);
        int chance = fate.nextInt(10);
        if (chance > 0) {
            Resident guest = guests.get(words.get(2)).get(uuid);
            guests.get(words.get(3)).put(uuid, guest);
            if (chance < 4) {
                doubled.add(words.get(2) + " " + uuid);
            } else {
                guests.get(words.get(2)).remove(uuid);
            }
        }
        commands.incrementAndGet();
        return new CommandResult(chance > 0 ? 0 : 1, "", "no route", false);
    }

    private void hosts(Map<String, List<Resident>> all) throws IOException {
        for (String name : NAMES) {
            guests.put(name, new LinkedHashMap<>());
            all.getOrDefault(name, List.of()).forEach(guest -> guests.get(name).put(guest.uuid(), guest));
            tell(name);
        }
    }

    private void violated() throws IOException {
        hosts(Map.of("h1", List.of(ls("cache", 0.2, 0.02), nls("a", 1), nls("b", 0.9)), "h2", List.of(nls("c", 1)), "h3",
                List.of(nls("d", 0.8)), "h4", List.of(nls("e", 0.5))));
    }

    private FleetReport period(FleetWatch agent, String name, Mode mode) throws Exception {
        now = now.plus(MigrationPlanner.PERIOD);
        for (String each : NAMES) {
            tell(each);
        }
        return agent.turn("t", host(name), mode, false);
    }

    private List<String> journaled(String name, String action) throws IOException {
        return Files.readAllLines(directory.resolve(name + "/journal.jsonl")).stream().filter(line -> line.contains("\"" + action + "\"")).toList();
    }

    @Test
    void inModeAdviseItIsSaidOnceByTheGuestsHostAndStays() throws Exception {
        violated();
        FleetWatch first = agent("h1", true);
        FleetWatch third = agent("h3", true);
        assertThat(first.turn("t", host("h1"), Mode.ADVISE, false).moves()).as("one look confirms nothing").isEmpty();
        third.turn("t", host("h3"), Mode.ADVISE, false);
        for (int i = 0; i < 15; i++) {
            FleetReport report = period(first, "h1", Mode.ADVISE);
            assertThat(report.moves()).singleElement().satisfies(move -> assertThat(move.name() + move.from() + move.to()).isEqualTo("cacheh1h4"));
            assertThat(report.isOurs(report.moves().get(0))).isTrue();
            assertThat(third.turn("t", host("h3"), Mode.ADVISE, false).moves()).hasSize(1);
        }
        assertThat(journaled("h1", "ADVISE")).singleElement().asString().contains("\"migrations\":[{\"guest\":\"" + uuid("cache") + "\"", "\"W\":0.02",
                "\"intensity of h4\":0.5", "cache from h1 to h4: W > threshold");
        assertThat(journaled("h3", "ADVISE")).as("it is no guest of that host").isEmpty();
        assertThat(commands).hasValue(0);
        assertThat(directory.resolve("h1/moves.json")).doesNotExist();
    }

    @Test
    void inModeObserveOrInManualModeNothingIsDecided() throws Exception {
        violated();
        FleetWatch agent = agent("h1", true);
        for (int i = 0; i < 4; i++) {
            assertThat(period(agent, "h1", Mode.OBSERVE).moves()).isEmpty();
        }
        period(agent, "h1", Mode.ADVISE);
        for (int i = 0; i < 4; i++) {
            now = now.plus(MigrationPlanner.PERIOD);
            assertThat(agent.turn("t", host("h1"), Mode.ACT, true).moves()).isEmpty();
        }
        assertThat(commands).hasValue(0);
        assertThat(period(agent, "h1", Mode.ADVISE).moves()).as("the first period again").isEmpty();
        assertThat(period(agent, "h1", Mode.ADVISE).moves()).hasSize(1);
    }

    @Test
    void inModeActWithoutACommandMovesAreAdvice() throws Exception {
        violated();
        FleetWatch agent = agent("h1", false);
        period(agent, "h1", Mode.ACT);
        assertThat(period(agent, "h1", Mode.ACT).moves()).hasSize(1);
        assertThat(journaled("h1", "ADVISE")).hasSize(1);
    }

    @Test
    void whomAnAgentHasNotSeenForFiveMinutesItDoesNotMove() throws Exception {
        violated();
        FleetWatch agent = agent("h1", true);
        for (int i = 0; i < 10; i++) {
            FleetReport report = period(agent, "h1", Mode.ACT);
            assertThat(report.moves()).isEmpty();
            assertThat(report.held()).hasSize(i == 0 ? 0 : 1)
                    .allMatch(why -> why.startsWith("cache from h1 to h4: this agent has seen it here for less"));
        }
        assertThat(commands).hasValue(0);
        assertThat(period(agent, "h1", Mode.ACT).moves()).hasSize(1);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (commands.get() == 0) {
            assertThat(System.nanoTime()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(journaled("h1", "MIGRATE")).singleElement().asString().contains("\"command\":[\"move\",\"" + uuid("cache") + "\",\"h1\",\"h4\"]");
    }

    @Test
    void aHostThatFallsSilentIsNoDestinationAndIsSaid() throws Exception {
        violated();
        FleetWatch agent = agent("h1", true);
        period(agent, "h1", Mode.ADVISE);
        Files.writeString(status("h4"), "{\"time\":");
        FleetReport report = null;
        for (int i = 0; i < 4; i++) {
            now = now.plus(MigrationPlanner.PERIOD);
            tell("h2");
            report = agent.turn("t", host("h1"), Mode.ADVISE, false);
        }
        // h3 is too old, h4 garbage
        assertThat(report.moves()).singleElement().satisfies(move -> assertThat(move.to()).isEqualTo("h2"));
        assertThat(report.silent()).singleElement().asString().startsWith("h4: " + status("h4") + ": expected the status of an ic2-host");
        assertThat(report.held()).anyMatch(why -> why.startsWith("h3: its figures are of "));
    }

    /**
     * A day of random changes on four hosts, whose agents all act: guests come, go, change, are on both ends of a move at once;
     * commands fail; what the hosts tell is garbage, old or gone. The agents know of one another what is in the files.
     */
    @Test
    void inADayOfRandomChangesNobodyMovesWhoShouldNot() throws Exception {
        SplittableRandom random = new SplittableRandom(11);
        hosts(Map.of());
        for (String name : NAMES) {
            agent(name, true);
        }
        Map<String, Instant> moved = new HashMap<>();
        int moves = 0;
        int done = 0;
        for (int period = 0; period < 2880; period++) {
            change(random, period);
            Set<String> broken = publish(random);
            Set<String> twice = twice();
            Map<String, FleetHost> mine = new HashMap<>();
            NAMES.forEach(name -> mine.put(name, host(name)));
            for (String name : NAMES) {
                FleetReport report = agents.get(name).turn("t" + period, mine.get(name), Mode.ACT, false);
                done += report.done().size();
                for (Migration move : begun(report)) {
                    moves++;
                    assertThat(move.from()).isEqualTo(name);
                    assertThat(mine.get(name).guests()).anyMatch(guest -> guest.uuid().equals(move.uuid()));
                    assertThat(broken).doesNotContain(move.to());
                    assertThat(Duration.between(told.get(move.to()), now)).isLessThanOrEqualTo(Duration.ofSeconds(90));
                    assertThat(twice).doesNotContain(move.uuid());
                    assertThat(Duration.between(BEGIN, now)).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
                    Instant before = moved.put(move.uuid(), now);
                    assertThat(before == null || Duration.between(before, now).compareTo(Duration.ofMinutes(5)) >= 0)
                            .as("%s again after %s", move, before).isTrue();
                }
                await(moves);
            }
            if (period % 200 == 199) {
                for (FleetWatch agent : agents.values()) {
                    agent.resume();
                }
            }
            now = now.plus(MigrationPlanner.PERIOD);
        }
        assertThat(moves).isGreaterThan(50);
        assertThat(done).isBetween(moves / 2, moves);
    }

    /** Those that the report does not say to be held. */
    private static List<Migration> begun(FleetReport report) {
        return report.moves().stream().filter(report::isOurs).filter(move -> report.held().stream().noneMatch(why ->
                why.startsWith(move.name() + " from "))).toList();
    }

    private void await(int count) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (commands.get() < count) {
            assertThat(System.nanoTime()).as("%d commands have ended", count).isLessThan(end);
            TimeUnit.MICROSECONDS.sleep(100);
        }
    }

    private Set<String> twice() {
        Set<String> seen = new HashSet<>();
        Set<String> twice = new HashSet<>();
        guests.values().forEach(here -> here.keySet().forEach(uuid -> {
            if (!seen.add(uuid)) {
                twice.add(uuid);
            }
        }));
        return twice;
    }

    private synchronized void change(SplittableRandom random, int period) {
        if (random.nextInt(3) > 0) {
            doubled.forEach(one -> guests.get(one.split(" ")[0]).remove(one.split(" ")[1]));
            doubled.clear();
        }
        Map<String, Resident> here = guests.get(NAMES.get(random.nextInt(NAMES.size())));
        if (here.size() < 6 && random.nextInt(3) > 0) {
            Resident one = random.nextInt(3) == 0 ? ls("ls" + period, random.nextDouble() / 3, 0.03 * random.nextDouble())
                    : nls("nls" + period, random.nextDouble());
            here.put(one.uuid(), one);
        } else if (!here.isEmpty()) {
            Resident one = List.copyOf(here.values()).get(random.nextInt(here.size()));
            if (twice().contains(one.uuid())) {
                return;
            }
            here.remove(one.uuid());
            if (random.nextBoolean()) {
                here.put(one.uuid(), new Resident(one.uuid(), one.id(), one.name(), one.guestClass(), random.nextDouble(), one.memory(), one.cpu(),
                        one.guestClass().latencySensitive() ? 0.03 * random.nextDouble() : Double.NaN));
            }
        }
    }

    /** Writes what the hosts tell, or not; who tells nothing that can be read. */
    private Set<String> publish(SplittableRandom random) throws IOException {
        Set<String> broken = new HashSet<>();
        for (String name : NAMES) {
            int chance = random.nextInt(20);
            if (chance == 0) {
                Files.writeString(status(name), List.of("", "x", "{\"guests\":[]}", "[1]", "{\"fault\":\"no answer\"}").get(random.nextInt(5)));
            } else if (chance == 1) {
                Files.deleteIfExists(status(name));
            } else if (chance > 4) {
                tell(name);
                continue;
            }
            if (chance < 2 || Files.notExists(status(name)) || !Files.readString(status(name)).contains("memory_free")) {
                broken.add(name);
            }
        }
        return broken;
    }
}

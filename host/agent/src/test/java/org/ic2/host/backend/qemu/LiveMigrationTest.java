// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ic2.host.apply.GuestMover;
import org.ic2.host.config.FleetFile;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.fleet.FleetReader;
import org.ic2.host.fleet.FleetReport;
import org.ic2.host.fleet.FleetStatus;
import org.ic2.host.fleet.FleetWatch;
import org.ic2.host.model.Rationale;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Migration;
import org.ic2.host.model.MoveCommand;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A running guest moves from one real QEMU to another over loopback, by a command as a provider would give it. The guest is a boot
 * sector that says the alphabet on its serial line, a letter at each tick of its clock: where it goes it goes on.
 */
class LiveMigrationTest {
    private static final String QEMU = "qemu-system-x86_64";
    private static final Path COMMAND = Path.of("../testbed/migrate_qemu.py");
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);
    private static final int SECTOR = 512;
    /** mov dx, 3f8h; mov bl, 'A'; then: mov al, bl; out dx, al; inc bl; if above 'Z' mov bl, 'A'; hlt until the next tick. */
    private static final byte[] ALPHABET = HexFormat.of().parseHex("31c08ed8fbbaf803b34188d8eefec380fb5b7502b341f4ebf1");

    @TempDir
    Path directory;
    private final List<Process> machines = new ArrayList<>();
    private Journal journal;

    @BeforeEach
    void begin() throws IOException {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(each -> Files.isExecutable(Path.of(each, QEMU))),
                "needs " + QEMU);
        byte[] sector = Arrays.copyOf(ALPHABET, SECTOR);
        sector[SECTOR - 2] = 0x55;
        sector[SECTOR - 1] = (byte) 0xaa;
        Files.write(directory.resolve("boot"), Arrays.copyOf(sector, 2880 * SECTOR));
        journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
    }

    @AfterEach
    void end() throws Exception {
        for (Process machine : machines) {
            machine.destroyForcibly().waitFor();
        }
        if (journal != null) {
            journal.close();
        }
    }

    /** A host of its own, with one machine. */
    private QemuBackend start(String host, String... more) throws Exception {
        Path at = Files.createDirectory(directory.resolve(host));
        List<String> command = new ArrayList<>(List.of(QEMU, "-name", "web", "-uuid", "8f5b3a52-0a6b-4d0c-9a57-0c5b5d5a1f01", "-display",
                "none", "-nodefaults", "-accel", "tcg", "-m", "16", "-drive", "file=" + directory.resolve("boot")
                + ",format=raw,if=floppy,readonly=on,file.locking=off", "-boot", "a", "-serial", "file:" + at.resolve("serial"), "-qmp",
                "unix:" + at.resolve("web.qmp") + ",server=on,wait=off"));
        command.addAll(List.of(more));
        Process machine = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(at.resolve("log").toFile()).start();
        machines.add(machine);
        QemuBackend backend = new QemuBackend(new LocalHost(), at.toString(), Optional.empty());
        await(() -> {
            assertThat(machine.isAlive()).as(Files.readString(at.resolve("log"))).isTrue();
            return Files.exists(at.resolve("web.qmp"));
        });
        return backend;
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        for (long end = System.nanoTime() + PATIENCE; !condition.call(); TimeUnit.MILLISECONDS.sleep(20)) {
            assertThat(System.nanoTime()).as("never came true").isLessThan(end);
        }
    }

    private String said(String host) throws IOException {
        Path serial = directory.resolve(host).resolve("serial");
        return Files.exists(serial) ? new String(Files.readAllBytes(serial), StandardCharsets.US_ASCII) : "";
    }

    private GuestMover mover(Map<String, QemuBackend> hosts, Path command) throws IOException {
        return new GuestMover(new GuestMover.Parts(new MoveCommand(List.of("python3", command.toString(), "{name}",
                directory + "/{from}/web.qmp", directory + "/{to}/web.qmp")), Duration.ofMinutes(2), Duration.ofSeconds(30),
                new LocalHost(), journal, directory.resolve("moves.json"), (move, host) -> runs(hosts.get(host), move), System::nanoTime));
    }

    private static Optional<Boolean> runs(QemuBackend host, Migration move) throws InterruptedException {
        try {
            return Optional.of(host.guests().stream().anyMatch(guest -> guest.name().equals(move.name())));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static GuestMover.Report ended(GuestMover mover) throws Exception {
        GuestMover.Report[] report = {mover.turn("t", List.of())};
        await(() -> {
            boolean over = !report[0].done().isEmpty() || !mover.leftAlone().isEmpty();
            report[0] = over ? report[0] : mover.turn("t", List.of());
            return over;
        });
        return report[0];
    }

    @Test
    void aGuestGoesOnWhereItWent() throws Exception {
        QemuBackend source = start("a");
        QemuBackend destination = start("b", "-incoming", "tcp:127.0.0.1:0");
        await(() -> said("a").length() > 30);
        Guest guest = source.guests().get(0);
        assertThat(destination.guests()).as("it is still to arrive").isEmpty();
        GuestMover mover = mover(Map.of("a", source, "b", destination), COMMAND);

        assertThat(mover.turn("t1", List.of(move(guest))).held()).isEmpty();
        assertThat(ended(mover).done()).containsExactly("web from a to b");

        assertThat(source.guests()).isEmpty();
        assertThat(destination.guests()).singleElement().extracting(Guest::name).isEqualTo("web");
        await(() -> said("b").length() > 30);
        String all = said("a") + said("b");
        for (int i = 1; i < all.length(); i++) {
            assertThat((all.charAt(i) - 'A' + 26 - (all.charAt(i - 1) - 'A')) % 26).as("letter %d of %s", i, all).isEqualTo(1);
        }
    }

    @Test
    void whereNobodyWaitsItStaysAndIsLeftAlone() throws Exception {
        QemuBackend source = start("a");
        QemuBackend destination = start("b");
        await(() -> !said("a").isEmpty());
        GuestMover mover = mover(Map.of("a", source, "b", destination), COMMAND);

        mover.turn("t1", List.of(move(source.guests().get(0))));

        assertThat(ended(mover).held()).singleElement().asString().contains("python3 ended with status 1",
                "the destination waits for nobody", "it runs on a", "left alone until");
        int length = said("a").length();
        await(() -> said("a").length() > length);
    }

    /** The figures of the workload are the test's; where the guest runs is what both hosts say. */
    private static FleetHost figures(String name, Instant now, QemuBackend host) throws Exception {
        List<Resident> guests = new ArrayList<>(host.guests().stream().map(guest -> new Resident(guest.uuid(), guest.id(), guest.name(),
                GuestClass.LS1, 0.2, 16 << 20, 0.5, name.equals("a") ? 0.02 : 0.002)).toList());
        if (name.equals("a")) {
            guests.add(new Resident("cgroup-1", "batch", "batch", GuestClass.NLS, 1, 16 << 20, 0.5, Double.NaN));
        }
        return new FleetHost(name, now, 1 << 30, 8, guests);
    }

    @Test
    void whatAnAgentPlansByTheFiguresOfBothHostsArrives() throws Exception {
        QemuBackend source = start("a");
        QemuBackend destination = start("b", "-incoming", "tcp:127.0.0.1:0");
        await(() -> !said("a").isEmpty());
        FleetFile fleet = FleetFile.parse(directory.resolve("fleet.yaml"), "this: a\nstale: 1h\nhosts: {a: {}, b: {file: b.json}}\n");
        MoveCommand command = new MoveCommand(List.of("python3", COMMAND.toString(), "{name}", directory + "/{from}/web.qmp",
                directory + "/{to}/web.qmp"));
        Instant[] now = {Instant.EPOCH};
        try (FleetReader reader = new FleetReader(fleet, Duration.ofMinutes(1));
                FleetWatch agent = new FleetWatch(new FleetWatch.Parts(fleet, reader, MigrationPlanner.of(0.01),
                        Optional.of(new FleetWatch.Moving(command, Duration.ofMinutes(2), new LocalHost(), directory.resolve("moves.json"))),
                        journal, () -> Duration.between(Instant.EPOCH, now[0]).toNanos()))) {
            FleetReport[] report = {null};
            await(() -> {
                now[0] = now[0].plusSeconds(30);
                FleetHost own;
                try {
                    own = figures("a", now[0], source);
                    Files.writeString(directory.resolve("b.json"), FleetStatus.of(figures("b", now[0], destination)));
                } catch (IOException e) {
                    return false;       // a machine that does not answer at this moment
                }
                report[0] = agent.turn("t", own, Mode.ACT, false);
                assertThat(report[0].left()).isEmpty();
                return !report[0].done().isEmpty();
            });
            assertThat(report[0].done()).containsExactly("web from a to b");
        }
        assertThat(Duration.between(Instant.EPOCH, now[0])).as("seen here for so long before").isGreaterThan(Duration.ofMinutes(5));
        assertThat(source.guests()).isEmpty();
        await(() -> said("b").length() > 10);
        assertThat(Files.readString(journal.file())).contains("\"MIGRATE\"", "W > threshold", "\"MIGRATED\"");
    }

    private static Migration move(Guest guest) {
        return new Migration(guest.uuid(), guest.id(), guest.name(), "a", "b", new Rationale("as the test says", Map.of()));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.backend.cgroup.CgroupBackend;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QemuBackendTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path directory;
    private PlayedHost host;
    private FakeQemu qemu;
    private QemuBackend backend;
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void begin() throws IOException {
        host = new PlayedHost(directory);
        qemu = new FakeQemu(host.at("/run/q/t1.qmp"));
        backend = new QemuBackend(host, "/run/q/", Optional.empty(), nanos::get, PATIENCE);
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemAvailable:    1048576 kB\n");
        host.file("/proc/net/dev", "Inter-|\n face |\n");
        threads(12345);
        host.file("/proc/71/schedstat", "0 0 0\n");
    }

    @AfterEach
    void end() {
        qemu.close();
    }

    /** The thread of its virtual CPU, started at that time. */
    private void threads(long started) {
        host.file("/proc/71/stat", "71 (CPU 0/TCG) S 1 70 70 0 -1 4194560 1 0 0 0 3 1 0 0 20 0 4 0 " + started + " 1000 1 2\n");
    }

    private GuestKnob memory() throws Exception {
        return GuestKnob.of(KnobKind.MEMORY, backend.guests().get(0));
    }

    @Test
    void socketsAreGuests() throws Exception {
        host.file("/run/q/readme.txt", "no socket");
        Guest guest = backend.guests().get(0);
        assertThat(backend.guests()).hasSize(1);
        assertThat(guest.name()).isEqualTo("t 1");
        assertThat(guest.memMax()).isEqualTo(256L << 20);
        assertThat(guest.vcpus()).isEqualTo(1);
        qemu.returns("query-name", "{}");
        assertThat(backend.guests().get(0).name()).as("without a name, its socket's").isEqualTo("t1");
    }

    @Test
    void aMachineStartedAnewIsAnother() throws Exception {
        GuestKnob before = memory();
        threads(99999);
        assertThat(memory()).isNotEqualTo(before);
        assertThatThrownBy(() -> backend.set(before, 128)).isInstanceOf(NotDoneException.class).hasMessageContaining("is gone");
        assertThatThrownBy(() -> backend.get(before)).isInstanceOf(IOException.class);
        assertThat(qemu.actual()).isEqualTo(256L << 20);
    }

    @Test
    void theBalloonIsTheMemory() throws Exception {
        GuestKnob memory = memory();
        assertThat(backend.get(memory)).isEqualTo(256);
        String before = backend.exact(memory);
        backend.set(memory, 128);
        assertThat(qemu.actual()).isEqualTo(128L << 20);
        assertThat(backend.get(memory)).isEqualTo(128);
        backend.putBack(memory, before);
        assertThat(qemu.actual()).isEqualTo(256L << 20);
        backend.set(memory, 512);
        assertThat(qemu.actual()).as("no more than it was started with").isEqualTo(256L << 20);
        backend.set(memory, 0);
        assertThat(qemu.actual()).isEqualTo(256L << 20);
        assertThat(backend.gradual(KnobKind.MEMORY)).isTrue();
        assertThatThrownBy(() -> backend.putBack(memory, "much")).isInstanceOf(NotDoneException.class);
    }

    @Test
    void aRefusalIsNotDone() throws Exception {
        GuestKnob memory = memory();
        qemu.does("balloon", (command, say) -> say.bytes("{\"id\": " + command.get("id")
                + ", \"error\": {\"class\": \"DeviceNotActive\", \"desc\": \"No balloon device has been activated\"}}\r\n"));
        assertThatThrownBy(() -> backend.set(memory, 128)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("No balloon device has been activated");
    }

    @Test
    void aDeathAfterTheQuestionCannotBeTold() throws Exception {
        GuestKnob memory = memory();
        qemu.does("balloon", (command, say) -> {
            throw new IOException("dies");
        });
        assertThatThrownBy(() -> backend.set(memory, 128)).isExactlyInstanceOf(IOException.class)
                .hasMessageContaining("closed the connection");
    }

    @Test
    void aDeathBeforeTheQuestionIsNotDone() throws Exception {
        GuestKnob memory = memory();
        qemu.does("query-uuid", (command, say) -> {
            throw new IOException("dies");
        });
        assertThatThrownBy(() -> backend.set(memory, 128)).isInstanceOf(NotDoneException.class);
        qemu.close();
        assertThatThrownBy(() -> backend.set(memory, 128)).isInstanceOf(NotDoneException.class);
        assertThat(backend.guests()).as("a socket that nobody serves").isEmpty();
    }

    @Test
    void eventsAndHalfLinesArePassedOver() throws Exception {
        GuestKnob memory = memory();
        qemu.does("query-balloon", (command, say) -> {
            String answer = FakeQemu.returned(command, "{\"actual\": 134217728}");
            say.bytes(FakeQemu.EVENT + FakeQemu.EVENT + answer.substring(0, 9));
            say.bytes(answer.substring(9, 20));
            say.bytes(answer.substring(20));
        });
        assertThat(backend.get(memory)).isEqualTo(128);
    }

    @Test
    void whatIsNoAnswerIsQuoted() throws Exception {
        GuestKnob memory = memory();
        for (String wrong : new String[] {"{\"id\": 99, \"return\": {}}\r\n", "[1]\r\n", "half\r\n"}) {
            qemu.does("query-balloon", (command, say) -> say.bytes(wrong));
            assertThatThrownBy(() -> backend.get(memory)).isInstanceOf(IOException.class)
                    .hasMessageContaining(wrong.strip().replace(" ", "").substring(1, 3));
        }
        qemu.returns("query-balloon", "{\"actual\": \"lots\"}");
        assertThatThrownBy(() -> backend.get(memory)).hasMessageContaining("lots");
        qemu.greets("220 smtp ready\r\n");
        assertThatThrownBy(() -> backend.get(memory)).hasMessageContaining("220 smtp ready");
        qemu.greets("{\"hello\": 1}\r\n");
        assertThatThrownBy(() -> backend.get(memory)).hasMessageContaining("greeting");
    }

    @Test
    void aMonitorThatSaysNothingIsGivenUp() throws Exception {
        GuestKnob memory = memory();
        QemuBackend hasty = new QemuBackend(host, "/run/q", Optional.empty(), nanos::get, Duration.ofMillis(50));
        qemu.greets("");
        assertThatThrownBy(() -> hasty.get(memory)).isInstanceOf(IOException.class).hasMessageContaining("greeting within 50 ms");
    }

    @Test
    void aMonitorThatDoesNotAnswerCostsItsOwnGuestOnly() throws Exception {
        try (FakeQemu other = new FakeQemu(host.at("/run/q/t2.qmp"))) {
            other.returns("query-name", "{\"name\": \"t2\"}");
            java.util.List<Guest> both = backend.guests();
            assertThat(both).extracting(Guest::name).containsExactly("t 1", "t2");
            other.greets("busy\r\n");
            assertThat(backend.guests()).as("nobody is left out").isEqualTo(both);
            HostSample sample = backend.read(Instant.EPOCH, Set.of());
            assertThat(sample.get(both.get(0), GuestMetric.MEM_ALLOC)).isPositive();
            assertThat(sample.byUuid().get(both.get(1).uuid()).why(GuestMetric.MEM_ALLOC)).contains("busy");
            assertThatThrownBy(() -> new QemuBackend(host, "/run/q", Optional.empty()).guests())
                    .as("of which nothing is known").isInstanceOf(IOException.class);
        }
        assertThat(backend.guests()).as("nobody serves the other's socket").hasSize(1);
    }

    @Test
    void theGuestReportsAndItsThreadsAreCounted() throws Exception {
        Instant now = Instant.ofEpochSecond(1000);
        Guest guest = backend.guests().get(0);
        HostSample silent = backend.read(now, Set.of());
        assertThat(silent.get(guest, GuestMetric.MEM_ALLOC)).isEqualTo(256.0 * (1 << 20));
        assertThat(silent.byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED)).contains("nobody has asked");
        assertThat(qemu.polling()).as("to look changes nothing").isZero();
        qemu.polls(1);
        assertThat(backend.read(now, Set.of()).byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED)).contains("never reported");
        report(999, 10);
        backend.read(now, Set.of());
        nanos.addAndGet(2 * SECOND);
        report(1001, 30);
        host.file("/proc/71/schedstat", "1000000000 500000000 20\n");
        HostSample sample = backend.read(now.plusSeconds(2), Set.of());
        assertThat(sample.get(guest, GuestMetric.MEM_USED)).isEqualTo(156.0 * (1 << 20));
        assertThat(sample.get(guest, GuestMetric.MEM_MAJFLT)).isEqualTo(10);
        assertThat(sample.get(guest, GuestMetric.CPU_RUN)).isEqualTo(0.5);
        assertThat(sample.get(guest, GuestMetric.CPU_WAIT)).isEqualTo(0.25);
        HostSample stale = backend.read(now.plusSeconds(100), Set.of());
        assertThat(stale.byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED)).contains("has not reported for 99 s");
    }

    private void report(int second, int faults) {
        qemu.stats("{\"stats\": {\"stat-available-memory\": " + (100L << 20) + ", \"stat-major-faults\": " + faults
                + ", \"stat-swap-in\": 18446744073709551615}, \"last-update\": " + second + "}");
    }

    @Test
    void whatTheGuestDoesNotTellIsMissing() throws Exception {
        qemu.stats("{\"stats\": {\"stat-available-memory\": 18446744073709551615, \"stat-major-faults\": -1},"
                + " \"last-update\": 1000}");
        qemu.polls(1);
        Guest guest = backend.guests().get(0);
        assertThat(backend.read(Instant.ofEpochSecond(1000), Set.of()).byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED))
                .isEqualTo("no number");
        qemu.returns("qom-list", "[]");
        assertThat(backend.read(Instant.ofEpochSecond(1000), Set.of()).byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED))
                .isEqualTo("no balloon device");
    }

    @Test
    void cpuTimeIsThatOfTheGroupWithItsThreads() throws Exception {
        host.file("/sys/fs/cgroup/machine.slice/cgroup.controllers", "cpu\n");
        String group = "/sys/fs/cgroup/machine.slice/t1";
        host.file(group + "/cpu.weight", "100\n");
        host.file(group + "/cpu.max", "max 100000\n");
        host.file(group + "/cpu.stat", "usage_usec 0\nthrottled_usec 0\n");
        host.file("/proc/71/cgroup", "0::/machine.slice/t1/vcpu0\n");
        assertThat(backend.capabilities().knobs()).containsOnlyKeys(KnobKind.MEMORY, KnobKind.AFFINITY);
        assertThatThrownBy(() -> backend.set(GuestKnob.of(KnobKind.CAP, backend.guests().get(0)), 500))
                .isInstanceOf(NotDoneException.class).hasMessageContaining("no control groups are named");
        QemuBackend both = new QemuBackend(host, "/run/q", Optional.of(new CgroupBackend(host, "machine.slice")));
        Guest guest = both.guests().get(0);
        assertThat(both.capabilities().knobs()).containsKeys(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY);
        GuestKnob weight = GuestKnob.of(KnobKind.WEIGHT, guest);
        both.set(weight, 512);
        assertThat(host.read(group + "/cpu.weight").strip()).isEqualTo("200");
        assertThat(both.get(weight)).isEqualTo(512);
        both.putBack(weight, "100");
        assertThat(both.exact(weight)).isEqualTo("100");
        both.read(Instant.EPOCH, Set.of());
        host.file(group + "/cpu.stat", "usage_usec 1000000\nthrottled_usec 0\n");
        assertThat(both.read(Instant.EPOCH, Set.of()).get(guest, GuestMetric.CPU_RUN)).isPositive();
        assertThat(both.capabilities().metrics()).doesNotContainKey(GuestMetric.MEM_OOM_KILLS);
        host.file("/proc/71/cgroup", "0::/elsewhere\n");
        assertThatThrownBy(() -> both.set(weight, 256)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("not among the named ones");
    }

    /** QEMU itself may be the process that the kernel kills. */
    @Test
    void killsAreThoseOfTheGroupWithItsThreads() throws Exception {
        String group = "/sys/fs/cgroup/machine.slice/t1";
        host.file("/sys/fs/cgroup/machine.slice/cgroup.controllers", "cpu memory\n");
        host.file(group + "/cpu.stat", "usage_usec 0\n");
        host.file(group + "/memory.high", "max\n");
        host.file(group + "/memory.max", "max\n");
        host.file(group + "/memory.current", "300\n");
        host.file(group + "/memory.stat", "inactive_file 100\npgmajfault 0\n");
        host.file(group + "/memory.events", "oom_kill 1\n");
        host.file("/proc/71/cgroup", "0::/machine.slice/t1/vcpu0\n");
        QemuBackend both = new QemuBackend(host, "/run/q", Optional.of(new CgroupBackend(host, "machine.slice")));
        Guest guest = both.guests().get(0);
        assertThat(both.capabilities().metrics()).containsKey(GuestMetric.MEM_OOM_KILLS);
        assertThat(both.read(Instant.EPOCH, Set.of()).get(guest, GuestMetric.MEM_OOM_KILLS)).isZero();
        host.file(group + "/memory.events", "oom_kill 3\n");
        Files.delete(host.at("/proc/71/cgroup"));
        assertThatThrownBy(() -> both.read(Instant.EPOCH, Set.of())).isInstanceOf(IOException.class);
        host.file("/proc/71/cgroup", "0::/machine.slice/t1/vcpu0\n");
        assertThat(both.read(Instant.EPOCH, Set.of()).get(guest, GuestMetric.MEM_OOM_KILLS)).as("also those of the reading that failed").isEqualTo(2);
        assertThat(both.read(Instant.EPOCH, Set.of()).get(guest, GuestMetric.MEM_OOM_KILLS)).isZero();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real QEMU whose machine stands still: the protocol is real, and no guest moves its balloon. */
class RealQemuTest {
    private static final String QEMU = "qemu-system-x86_64";
    private static final long PATIENCE = 60_000_000_000L;

    @TempDir
    Path directory;
    private Process qemu;
    private QemuBackend backend;

    @BeforeEach
    void begin() throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(each -> Files.isExecutable(Path.of(each, QEMU))),
                "needs " + QEMU);
        start("-device", "virtio-balloon-pci");
        backend = new QemuBackend(new LocalHost(), directory.toString(), Optional.empty());
    }

    private void start(String... balloon) throws Exception {
        Path socket = directory.resolve("t1.qmp");
        ProcessBuilder command = new ProcessBuilder(QEMU, "-name", "t1", "-S", "-display", "none", "-nodefaults", "-accel", "tcg",
                "-m", "64", "-qmp", "unix:" + socket + ",server=on,wait=off");
        command.command().addAll(java.util.List.of(balloon));
        qemu = command.redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile()).start();
        for (long end = System.nanoTime() + PATIENCE; !listens(socket); Thread.sleep(20)) {
            assertThat(qemu.isAlive()).as(Files.readString(directory.resolve("log"))).isTrue();
            assertThat(System.nanoTime()).as("it listens").isLessThan(end);
        }
    }

    /** The socket is there a moment before somebody listens. */
    private static boolean listens(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return channel.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void end() throws Exception {
        if (qemu != null) {
            qemu.destroyForcibly().waitFor();
        }
    }

    @Test
    void itsProtocolIsUnderstood() throws Exception {
        Guest guest = backend.guests().get(0);
        assertThat(guest.name()).isEqualTo("t1");
        assertThat(guest.memMax()).isEqualTo(64L << 20);
        GuestKnob memory = GuestKnob.of(KnobKind.MEMORY, guest);
        assertThat(backend.get(memory)).isEqualTo(64);
        backend.set(memory, 48);
        assertThat(backend.get(memory)).as("no guest gives anything back").isEqualTo(64);
        HostSample sample = backend.read(Instant.now(), Set.of());
        assertThat(sample.get(guest, GuestMetric.MEM_ALLOC)).isEqualTo(64.0 * (1 << 20));
        assertThat(sample.byUuid().get(guest.uuid()).why(GuestMetric.MEM_USED)).contains("nobody has asked");
    }

    @Test
    void withoutABalloonItsMemoryStays() throws Exception {
        end();
        Files.delete(directory.resolve("t1.qmp"));
        start();
        assertThatThrownBy(() -> backend.set(GuestKnob.of(KnobKind.MEMORY, backend.guests().get(0)), 48))
                .isInstanceOf(NotDoneException.class).hasMessageContaining("balloon");
    }

    /** Its threads bear the names by which a control group's are known, too. */
    @Test
    void itsVirtualCpusArePinnedOneByOne() throws Exception {
        end();
        Files.delete(directory.resolve("t1.qmp"));
        start("-smp", "2", "-name", "t1,debug-threads=on");
        Guest guest = backend.guests().get(0);
        GuestKnob second = GuestKnob.of(KnobKind.AFFINITY, guest, 1);
        String before = backend.exact(second);
        int all = backend.get(second);
        int cpu = backend.pools().get(0).cpus().get(0);
        backend.set(second, cpu);
        assertThat(backend.get(second)).isEqualTo(cpu);
        assertThat(backend.get(GuestKnob.of(KnobKind.AFFINITY, guest, 0))).as("the other stays").isEqualTo(all);
        assertThat(allowed("CPU 1/TCG")).isEqualTo(Integer.toString(cpu));
        backend.putBack(second, before);
        assertThat(backend.get(second)).isEqualTo(all);
        assertThat(allowed("CPU 1/TCG")).isEqualTo(before);
    }

    private String allowed(String name) throws Exception {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + qemu.pid() + "/task"))) {
            for (Path thread : threads.toList()) {
                if (Files.readString(thread.resolve("comm")).strip().equals(name)) {
                    return Files.readString(thread.resolve("status")).lines().filter(line -> line.startsWith("Cpus_allowed_list:"))
                            .findFirst().orElseThrow().split("\t")[1];
                }
            }
        }
        throw new AssertionError("no thread is named " + name);
    }

    @Test
    void aKilledOneIsGone() throws Exception {
        GuestKnob memory = GuestKnob.of(KnobKind.MEMORY, backend.guests().get(0));
        end();
        assertThat(backend.guests()).isEmpty();
        assertThatThrownBy(() -> backend.set(memory, 48)).isInstanceOf(NotDoneException.class);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The threads that QEMU names as its virtual CPUs are pinned one by one. */
class QemuPinsTest {
    private static final String TWO = "[{\"thread-id\": 71, \"cpu-index\": 0}, {\"thread-id\": 72, \"cpu-index\": 1}]";

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
        qemu.returns("query-cpus-fast", TWO);
        backend = new QemuBackend(host, "/run/q/", Optional.empty(), nanos::get, Duration.ofMinutes(1));
        host.file("/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\n");
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemAvailable:    1048576 kB\n");
        started(12345);
        allowed(72, "0-1");
    }

    @AfterEach
    void end() {
        qemu.close();
    }

    private void started(long ticks) {
        host.file("/proc/71/stat", "71 (CPU 0/TCG) S 1 70 70 0 -1 4194560 1 0 0 0 3 1 0 0 20 0 4 0 " + ticks + " 1000 1 2\n");
    }

    private void allowed(int thread, String cpus) {
        host.file("/proc/" + thread + "/status", "Name:\tCPU 1/TCG\nCpus_allowed_list:\t" + cpus + "\n");
    }

    private GuestKnob vcpu(int number) throws Exception {
        return GuestKnob.of(KnobKind.AFFINITY, backend.guests().get(0), number);
    }

    @Test
    void aVirtualCpuIsPinnedAndPutBack() throws Exception {
        GuestKnob second = vcpu(1);
        assertThat(backend.get(second)).isEqualTo(-1);
        assertThat(backend.exact(second)).isEqualTo("0-1");
        host.does("taskset -pc 1 72", words -> {
            allowed(72, "1");
            return new CommandResult(0, "");
        });
        backend.set(second, 1);
        assertThat(backend.get(second)).isEqualTo(1);
        host.does("taskset -pc 0-1 72", words -> {
            allowed(72, "0-1");
            return new CommandResult(0, "");
        });
        backend.putBack(second, "0-1");
        assertThat(backend.get(second)).isEqualTo(-1);
        assertThat(backend.objections(Map.of(second, 1))).isEmpty();
        assertThat(backend.objections(Map.of(second, 2))).containsEntry(second, "t 1 vCPU 1's affinity: CPU 2 is not online (0-1 are)");
        assertThat(backend.capabilities().knobs()).containsKey(KnobKind.AFFINITY).doesNotContainKey(KnobKind.CPUSET);
        assertThat(backend.has(GuestKnob.of(KnobKind.CPUSET, backend.guests().get(0)))).isFalse();
    }

    @Test
    void whatIsGoneOrIsNoThreadOfItsOwnIsNotPinned() throws Exception {
        GuestKnob second = vcpu(1);
        qemu.returns("query-cpus-fast", "[{\"thread-id\": 71, \"cpu-index\": 0}, {\"thread-id\": 71, \"cpu-index\": 1}]");
        assertThatThrownBy(() -> backend.get(second)).isInstanceOf(IOException.class).hasMessageContaining("in one thread");
        qemu.returns("query-cpus-fast", "[{\"thread-id\": 71, \"cpu-index\": 0}]");
        assertThatThrownBy(() -> backend.set(second, 0)).isInstanceOf(NotDoneException.class).hasMessageContaining("1 virtual CPUs now");
        qemu.returns("query-cpus-fast", TWO);
        started(99999);
        assertThatThrownBy(() -> backend.putBack(second, "0-1")).isInstanceOf(NotDoneException.class).hasMessageContaining("is gone");
        assertThat(host.asked()).noneMatch(line -> line.startsWith("taskset"));
    }
}

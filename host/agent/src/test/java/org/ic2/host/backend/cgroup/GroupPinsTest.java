// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups have a set of CPUs; machines in groups have an affinity for each virtual CPU instead. */
class GroupPinsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String SET = "/sys/fs/cgroup/cpuset/machine.slice";
    private static final String CPU = "/sys/fs/cgroup/cpu/machine.slice";

    @TempDir
    Path directory;
    private PlayedHost host;
    private CgroupBackend backend;
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        backend = new CgroupBackend(host, "machine.slice", nanos::get, Duration.ofMinutes(1));
        online(4);
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemFree: 1 kB\nMemAvailable:    1048576 kB\n");
        host.file(CPU + "/cgroup.procs", "");
        host.file(CPU + "/web/cpu.shares", "1024\n");
        host.file(CPU + "/web/tasks", "71\n72\n");
        thread(71, "httpd", "0-3");
        thread(72, "httpd", "0-3");
    }

    private void online(int cpus) {
        StringBuilder stat = new StringBuilder("cpu  1 0 0 1 0 0 0 0 0 0\n");
        for (int cpu = 0; cpu < cpus; cpu++) {
            stat.append("cpu").append(cpu).append(" 1 0 0 1 0 0 0 0 0 0\n");
        }
        host.file("/proc/stat", stat.toString());
    }

    private void thread(int number, String name, String cpus) {
        host.file("/proc/" + number + "/comm", name + "\n");
        host.file("/proc/" + number + "/status", "Name:\t" + name + "\nUmask:\t0022\nCpus_allowed:\tf\nCpus_allowed_list:\t" + cpus + "\n");
    }

    /** A set as version 1 has it. */
    private void first(String cpus, String parents) {
        host.file(SET + "/cgroup.procs", "");
        host.file(SET + "/cpuset.effective_cpus", parents + "\n");
        host.file(SET + "/web/cpuset.cpus", cpus + "\n");
        host.file(SET + "/web/cpuset.effective_cpus", cpus + "\n");
        host.file(SET + "/web/cpuset.mems", "0\n");
        host.file(SET + "/web/tasks", "71\n72\n");
    }

    /** The group holds a machine with two virtual CPUs. */
    private void machine() {
        host.file(CPU + "/web/tasks", "70\n");
        host.file(CPU + "/web/libvirt/tasks", "");
        host.file(CPU + "/web/libvirt/vcpu0/tasks", "71\n");
        host.file(CPU + "/web/libvirt/vcpu1/tasks", "72\n");
        thread(70, "qemu-system-x86", "0-3");
        thread(71, "CPU 0/KVM", "0-3");
        thread(72, "CPU 1/KVM", "0,2");
    }

    private Guest web() throws Exception {
        return backend.guests().get(0);
    }

    private GuestKnob set() throws Exception {
        return GuestKnob.of(KnobKind.CPUSET, web());
    }

    private GuestKnob vcpu(int number) throws Exception {
        return GuestKnob.of(KnobKind.AFFINITY, web(), number);
    }

    /** What the kernel does when taskset asks. */
    private void obeys(int thread, String name, String cpus) {
        host.does("taskset -pc " + cpus + " " + thread, words -> {
            thread(thread, name, cpus);
            return new CommandResult(0, "pid " + thread + "'s current affinity list: 0-3\npid " + thread + "'s new affinity list: " + cpus);
        });
    }

    @Test
    void aSetIsAMaskAndComesBack() throws Exception {
        first("0-3", "0-3");
        GuestKnob knob = set();
        String before = backend.exact(knob);
        assertThat(backend.get(knob)).isEqualTo(0b1111);
        backend.set(knob, 0b1010);
        assertThat(host.read(SET + "/web/cpuset.cpus")).isEqualTo("1,3\n");
        assertThat(backend.get(knob)).isEqualTo(0b1010);
        backend.putBack(knob, before);
        assertThat(host.read(SET + "/web/cpuset.cpus")).isEqualTo("0-3\n");
        assertThat(backend.has(knob)).isTrue();
        assertThat(backend.has(vcpu(0))).as("no virtual CPUs").isFalse();
        assertThat(backend.capabilities().range(KnobKind.CPUSET)).contains(new Range(1, 0b1111, 1));
    }

    @Test
    void inVersionTwoNoneIsTheParentsAndIsPutBackAsNone() throws Exception {
        Files.delete(host.at(CPU + "/cgroup.procs"));
        String group = "/sys/fs/cgroup/machine.slice";
        host.file(group + "/cgroup.controllers", "cpu cpuset memory\n");
        host.file(group + "/cpuset.cpus.effective", "0-2\n");
        host.file(group + "/web/cpuset.cpus", "\n");
        host.file(group + "/web/cpuset.cpus.effective", "0-2\n");
        host.file(group + "/web/cgroup.threads", "71\n");
        GuestKnob knob = set();
        assertThat(backend.get(knob)).isZero();
        assertThat(backend.exact(knob)).isEmpty();
        assertThat(backend.objections(Map.of(knob, 0b0110))).isEmpty();
        assertThat(backend.objections(Map.of(knob, 0b1010))).containsEntry(knob, "web's cpuset: CPU 3 is not among those that it may use (0-2)");
        backend.set(knob, 0b0110);
        assertThat(backend.get(knob)).isEqualTo(0b0110);
        backend.putBack(knob, "");
        assertThat(host.written()).endsWith(group + "/web/cpuset.cpus \n");
        assertThat(backend.get(knob)).isZero();
    }

    @Test
    void whatNothingWouldObeyIsObjectedTo() throws Exception {
        first("0-1", "0-1");
        GuestKnob knob = set();
        assertThat(backend.objections(Map.of(knob, 1))).isEmpty();
        assertThat(backend.objections(Map.of(knob, 0b101))).as("beyond its parent's").containsEntry(knob,
                "web's cpuset: CPU 2 is not among those that it may use (0-1)");
        host.file(SET + "/web/tasks", "");
        assertThat(backend.objections(Map.of(knob, 1)).get(knob)).contains("not in its group of the cpuset hierarchy");
        host.file(SET + "/web/cpuset.mems", "\n");
        assertThat(backend.objections(Map.of(knob, 1)).get(knob)).contains("cpuset.mems");
        online(1);
        backend.read(java.time.Instant.EPOCH, java.util.Set.of());
        assertThat(backend.objections(Map.of(knob, 0b10)).get(knob)).as("offline").contains("CPU 1 is not among");
    }

    @Test
    void withoutTheControllerOrOnALargeHostThereIsNoSetAndCheckSaysWhy() throws Exception {
        assertThat(backend.capabilities().range(KnobKind.CPUSET)).isEmpty();
        assertThat(backend.capabilities().notes()).anyMatch(note -> note.startsWith("no cpuset: ") && note.contains("neither"));
        assertThatThrownBy(() -> backend.get(set())).isInstanceOf(IOException.class).hasMessageContaining("neither cpuset.cpus");
        first("0-3", "0-3");
        online(32);
        backend = new CgroupBackend(host, "machine.slice", nanos::get, Duration.ofMinutes(1));
        assertThat(backend.capabilities().range(KnobKind.CPUSET)).isEmpty();
        assertThat(backend.capabilities().range(KnobKind.AFFINITY)).contains(new Range(0, 31, 1));
        assertThat(backend.capabilities().notes()).anyMatch(note -> note.startsWith("no cpuset: this host has a CPU 31"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "0-", "3-1", "99999", "0-40"})
    void garbageIsNoSet(String text) throws Exception {
        first(text, "0-3");
        GuestKnob knob = set();
        assertThatThrownBy(() -> backend.get(knob)).isInstanceOf(IOException.class).hasMessageContaining("cpuset.cpus of control group");
    }

    @Test
    void aMachinesVirtualCpusArePinnedOneByOne() throws Exception {
        machine();
        assertThat(web().vcpus()).isEqualTo(2);
        assertThat(backend.has(vcpu(0))).isTrue();
        assertThat(backend.has(vcpu(2))).isFalse();
        assertThat(backend.has(set())).as("one or the other").isFalse();
        GuestKnob second = vcpu(1);
        String before = backend.exact(second);
        assertThat(before).isEqualTo("0,2");
        assertThat(backend.get(second)).isLessThan(-1);
        assertThat(backend.get(vcpu(0))).as("all").isEqualTo(-1);
        obeys(72, "CPU 1/KVM", "3");
        obeys(72, "CPU 1/KVM", "0,2");
        backend.set(second, 3);
        assertThat(backend.get(second)).isEqualTo(3);
        assertThat(backend.get(vcpu(0))).as("the other stays").isEqualTo(-1);
        backend.putBack(second, before);
        assertThat(backend.exact(second)).isEqualTo(before);
    }

    @Test
    void aVirtualCpuThatEndedOrHasAnotherThreadIsFoundAnewOrSaid() throws Exception {
        machine();
        GuestKnob knob = vcpu(1);
        thread(72, "bash", "0");        // its number was given anew
        host.file(CPU + "/web/libvirt/vcpu1/tasks", "75\n");
        thread(75, "CPU 1/KVM", "2");
        assertThat(backend.get(knob)).isEqualTo(2);
        obeys(75, "CPU 1/KVM", "1");
        backend.set(knob, 1);
        assertThat(backend.get(knob)).isEqualTo(1);
        host.file(CPU + "/web/libvirt/vcpu1/tasks", "");
        Files.delete(host.at("/proc/75/status"));
        assertThatThrownBy(() -> backend.get(knob)).isInstanceOf(IOException.class).hasMessageContaining("virtual CPU 1");
        int asked = host.asked().size();
        assertThatThrownBy(() -> backend.set(knob, 0)).isInstanceOf(NotDoneException.class);
        assertThatThrownBy(() -> backend.putBack(knob, "0-3")).isInstanceOf(NotDoneException.class);
        assertThat(host.asked()).hasSize(asked);
        nanos.addAndGet(20 * SECOND);
        assertThat(web().vcpus()).as("looked for again").isEqualTo(1);
    }

    @Test
    void aMachineThatStartsAfterItsGroupIsFound() throws Exception {
        assertThat(backend.has(vcpu(0))).isFalse();
        assertThat(web().plain()).isTrue();
        machine();
        nanos.addAndGet(16 * SECOND);
        assertThat(web().vcpus()).isEqualTo(2);
        assertThat(web().plain()).isFalse();
        assertThat(backend.has(vcpu(0))).isTrue();
    }

    @Test
    void aSingleThreadForAllVirtualCpusIsNone() throws Exception {
        thread(71, "ALL CPUs/TCG", "0-3");
        thread(72, "CPU x/KVM", "0-3");
        assertThat(backend.has(set())).isTrue();
        assertThat(backend.has(vcpu(0))).isFalse();
    }

    @Test
    void aRefusalAndWhatIsNoListAreNotDone() throws Exception {
        machine();
        host.does("taskset -pc 3 71", words -> new CommandResult(1, "taskset: failed to set pid 71's affinity: Invalid argument"));
        assertThatThrownBy(() -> backend.set(vcpu(0), 3)).isInstanceOf(NotDoneException.class).hasMessageContaining("Invalid argument");
        for (String wrong : List.of("", "all", "1;2", "-1")) {
            assertThatThrownBy(() -> backend.putBack(vcpu(0), wrong)).isInstanceOf(NotDoneException.class);
        }
        assertThat(backend.objections(Map.of(vcpu(0), 3))).isEmpty();
        assertThat(backend.objections(Map.of(vcpu(0), 4)).get(vcpu(0))).contains("CPU 4 is not among those that it may use (0-3)");
        host.file("/proc/71/status", "Name:\tCPU 0/KVM\nCpus_allowed_list:\tnone\n");
        assertThatThrownBy(() -> backend.get(vcpu(0))).isInstanceOf(IOException.class).hasMessageContaining("Cpus_allowed_list");
    }
}

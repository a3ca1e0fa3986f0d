// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real control groups with real work in them, where the machine has version 1 and lets us make some. */
class RealGuestsTest {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final List<String> CONTROLLERS = List.of("cpu", "cpuacct", "memory");
    private static final long PATIENCE = 60_000_000_000L;

    private final String parent = "ic2host-junit-" + ProcessHandle.current().pid();
    private final List<Process> processes = new ArrayList<>();
    private CgroupBackend backend;

    @BeforeEach
    void begin() throws IOException {
        for (String controller : CONTROLLERS) {
            assumeTrue(Files.isWritable(ROOT.resolve(controller).resolve("cgroup.procs")),
                    "needs root and writable control groups, version 1");
        }
        make("web");
        backend = new CgroupBackend(new LocalHost(), parent);
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        remove("web");
        for (String controller : CONTROLLERS) {
            Files.deleteIfExists(ROOT.resolve(controller).resolve(parent));
        }
    }

    private void make(String name) throws IOException {
        for (String controller : CONTROLLERS) {
            Files.createDirectories(ROOT.resolve(controller).resolve(parent).resolve(name));
        }
    }

    /** A dead process may hold its group for a moment. */
    private void remove(String name) throws IOException {
        for (String controller : CONTROLLERS) {
            Path group = ROOT.resolve(controller).resolve(parent).resolve(name);
            for (long end = System.nanoTime() + PATIENCE; Files.exists(group);) {
                try {
                    Files.delete(group);
                } catch (IOException e) {
                    if (System.nanoTime() > end) {
                        throw e;
                    }
                }
            }
        }
    }

    /** Runs a shell's line in the group. */
    private void runs(String line) throws IOException {
        StringBuilder join = new StringBuilder();
        CONTROLLERS.forEach(controller -> join.append("echo $$ >").append(ROOT).append('/').append(controller).append('/')
                .append(parent).append("/web/cgroup.procs && "));
        processes.add(new ProcessBuilder("sh", "-c", join + line).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
    }

    private Guest web() throws Exception {
        return backend.guests().get(0);
    }

    private static String content(String controller, String path) throws IOException {
        return Files.readString(ROOT.resolve(controller).resolve(path)).strip();
    }

    /** Reads until something is so. */
    private HostSample until(Predicate<HostSample> holds, String what) throws Exception {
        for (long end = System.nanoTime() + PATIENCE; System.nanoTime() < end; Thread.sleep(1000)) {
            HostSample sample = backend.read(Instant.now(), Set.of(GuestMetric.CPU_WAIT));
            if (holds.test(sample)) {
                return sample;
            }
        }
        throw new AssertionError("never came true: " + what);
    }

    @Test
    void knobsMoveAndComeBack() throws Exception {
        GuestKnob weight = GuestKnob.of(KnobKind.WEIGHT, web());
        GuestKnob cap = GuestKnob.of(KnobKind.CAP, web());
        GuestKnob memory = GuestKnob.of(KnobKind.MEMORY, web());
        List<String> before = List.of(backend.exact(weight), backend.exact(cap), backend.exact(memory));
        backend.set(weight, 512);
        backend.set(cap, 250);
        backend.set(memory, 64);
        assertThat(content("cpu", parent + "/web/cpu.shares")).isEqualTo("2048");
        assertThat(content("cpu", parent + "/web/cpu.cfs_quota_us")).isEqualTo("25000");
        assertThat(content("memory", parent + "/web/memory.limit_in_bytes")).isEqualTo(Integer.toString(64 << 20));
        assertThat(List.of(backend.get(weight), backend.get(cap), backend.get(memory))).containsExactly(512, 250, 64);
        Files.writeString(ROOT.resolve("cpu").resolve(parent).resolve("web/cpu.shares"), "3000");
        assertThat(backend.get(weight)).as("somebody else's change").isEqualTo(750);
        backend.putBack(weight, before.get(0));
        backend.putBack(cap, before.get(1));
        backend.putBack(memory, before.get(2));
        assertThat(List.of(backend.exact(weight), backend.exact(cap), backend.exact(memory))).isEqualTo(before);
    }

    @Test
    void aCapWithholdsWhatABurnerWants() throws Exception {
        backend.set(GuestKnob.of(KnobKind.CAP, web()), 200);
        runs("while :; do :; done");
        Guest web = web();
        // a fifth of a CPU, and what an interval's ends add; a stall between two readings of counters is looked at again
        until(one -> one.interval().toMillis() >= 900 && one.get(web, GuestMetric.CPU_THROTTLED) > 0.05
                && one.get(web, GuestMetric.CPU_RUN) > 0.02 && one.get(web, GuestMetric.CPU_RUN) < 0.45
                && one.get(web, GuestMetric.CPU_WAIT) >= 0, "a burner is held at its cap and throttled");
    }

    @Test
    void memoryThatCannotBeReclaimedIsNotTaken() throws Exception {
        assumeTrue(Files.readAllLines(Path.of("/proc/swaps")).size() == 1, "with swap it can be reclaimed");
        runs("{ head -c 67108864 /dev/zero; sleep 600; } | tail");
        Guest web = web();
        until(one -> one.get(web, GuestMetric.MEM_USED) > 60e6, "its memory is in use");
        GuestKnob memory = GuestKnob.of(KnobKind.MEMORY, web);
        assertThatThrownBy(() -> backend.set(memory, 16)).isInstanceOf(NotDoneException.class);
        assertThat(backend.get(memory)).as("as it was").isZero();
    }

    @Test
    void aKillForWantOfMemoryIsCounted() throws Exception {
        assumeTrue(Files.readAllLines(Path.of("/proc/swaps")).size() == 1, "with swap nobody is killed");
        Guest web = web();
        backend.read(Instant.now(), Set.of());
        backend.set(GuestKnob.of(KnobKind.MEMORY, web), 24);
        runs("head -c 67108864 /dev/zero | tail");
        HostSample killed = until(one -> one.get(web, GuestMetric.MEM_OOM_KILLS) > 0, "the kernel kills it");
        assertThat(killed.get(web, GuestMetric.MEM_PEAK)).isGreaterThan(0);
    }

    /** A shell under the name of a machine's thread, and a process that has a machine of KVM's under a name of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"echo 'CPU 0/KVM' >/proc/$$/comm; sleep 600; :", "python3 -c \"import fcntl, mmap, os, time\n"
            + "kvm = os.open('/dev/kvm', os.O_RDWR)\nmachine = fcntl.ioctl(kvm, 0xAE01, 0)\nvcpu = fcntl.ioctl(machine, 0xAE41, 0)\n"
            + "run = mmap.mmap(vcpu, fcntl.ioctl(kvm, 0xAE04, 0))\ntime.sleep(600)\""})
    void aMachineGetsNoLimit(String line) throws Exception {
        boolean kvm = line.contains("/dev/kvm");
        assumeTrue(!kvm || Files.isWritable(Path.of("/dev/kvm")), "needs /dev/kvm");
        GuestKnob memory = GuestKnob.of(KnobKind.MEMORY, web());
        assertThat(backend.has(memory)).as("an empty group").isTrue();
        runs(line);
        Path tasks = ROOT.resolve("memory").resolve(parent).resolve("web/tasks");
        for (long end = System.nanoTime() + PATIENCE; !isMachine(tasks, kvm) && System.nanoTime() < end;) {
            assumeTrue(!kvm || processes.get(0).isAlive(), "needs a KVM that makes machines");
            Thread.sleep(20);
        }
        assertThatThrownBy(() -> backend.set(memory, 4096)).isInstanceOf(NotDoneException.class).hasMessageContaining("holds a virtual machine")
                .hasMessageContaining(kvm ? "kvm" : "CPU 0/KVM");
        assertThat(backend.has(memory)).isFalse();
        assertThat(backend.get(memory)).as("as it was").isZero();
    }

    private static boolean isMachine(Path tasks, boolean kvm) throws IOException {
        for (String thread : Files.readAllLines(tasks)) {
            Path process = Path.of("/proc/" + thread);
            try {
                if (kvm ? Files.readString(process.resolve("maps")).contains("kvm-vcpu") : Files.readString(process.resolve("comm")).startsWith("CPU 0/")) {
                    return true;
                }
            } catch (IOException e) {
                // it has ended
            }
        }
        return false;
    }

    @Test
    void aGroupThatIsRemovedOrMadeAnewIsNotTouched() throws Exception {
        GuestKnob weight = GuestKnob.of(KnobKind.WEIGHT, web());
        remove("web");
        assertThat(backend.guests()).isEmpty();
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class).hasMessageContaining("is gone");
        make("web");
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class).hasMessageContaining("made again");
        assertThat(content("cpu", parent + "/web/cpu.shares")).isEqualTo("1024");
    }
}

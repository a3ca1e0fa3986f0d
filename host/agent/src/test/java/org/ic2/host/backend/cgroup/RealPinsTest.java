// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.ic2.host.backend.PerfGroups;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real groups of version 1 with a cpuset, real threads, and perf, where the machine lets us. */
class RealPinsTest {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final List<String> CONTROLLERS = List.of("cpu", "cpuacct", "cpuset");
    private static final long PATIENCE = 60_000_000_000L;
    private static final Path TRACING = Path.of("/sys/kernel/tracing");
    private static final int PACKETS = 2000;
    private static final int TRIES = 5;

    private final String parent = "ic2host-pins-" + ProcessHandle.current().pid();
    private final List<Process> processes = new ArrayList<>();
    private final List<Path> groups = new ArrayList<>();
    private final LocalHost host = new LocalHost();
    private CgroupBackend backend;
    private List<Integer> all;
    private boolean traced;

    @BeforeEach
    void begin() throws Exception {
        for (String controller : CONTROLLERS) {
            assumeTrue(Files.isWritable(ROOT.resolve(controller).resolve("cgroup.procs")),
                    "needs root and writable control groups, version 1");
        }
        for (String controller : CONTROLLERS) {
            make(controller);
        }
        for (String file : List.of("cpuset.mems", "cpuset.cpus")) {
            String text = Files.readString(ROOT.resolve("cpuset").resolve(file));
            for (String group : List.of(parent, parent + "/web")) {
                Files.writeString(ROOT.resolve("cpuset").resolve(group).resolve(file), text);
            }
        }
        all = CpuSets.parse(Files.readString(ROOT.resolve("cpuset/cpuset.effective_cpus")).strip());
        assumeTrue(all.size() >= 2 && all.size() < CpuSets.MOST, "needs two CPUs");
        backend = new CgroupBackend(host, parent);
    }

    private void make(String controller) throws IOException {
        Path web = ROOT.resolve(controller).resolve(parent).resolve("web");
        Files.createDirectories(web);
        groups.add(web);
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        for (Path group : groups) {
            await(() -> {
                try {
                    Files.deleteIfExists(group);
                    return true;
                } catch (IOException e) {
                    return false;   // a dead process may hold it for a moment
                }
            }, group + " goes");
            Files.deleteIfExists(group.getParent());
        }
        if (backend != null) {
            backend.close();
        }
        if (traced) {
            await(() -> host.run(List.of("umount", TRACING.toString()), Duration.ofSeconds(30)).succeeded(), "tracefs is as it was");
        }
    }

    private static void await(Callable<Boolean> condition, String what) throws Exception {
        for (long end = System.nanoTime() + PATIENCE; !condition.call(); Thread.sleep(20)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("never came true: " + what);
            }
        }
    }

    /** Runs a line of bash in all groups, on all CPUs wherever the tests may run; it is there when this returns. */
    private Process runs(String line) throws Exception {
        StringBuilder join = new StringBuilder("taskset -pc " + CpuSets.format(all) + " $$ && ");
        groups.forEach(group -> join.append("echo $$ >").append(group).append("/cgroup.procs && "));
        Process process = new ProcessBuilder("bash", "-c", join + line).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        processes.add(process);
        Path last = groups.get(groups.size() - 1).resolve("cgroup.procs");
        await(() -> Files.readString(last).contains(Long.toString(process.pid())), "it joins");
        return process;
    }

    private Guest web() throws Exception {
        return backend.guests().get(0);
    }

    private String allowed(long thread) throws IOException {
        return Files.readString(Path.of("/proc/" + thread + "/status")).lines().filter(line -> line.startsWith("Cpus_allowed_list:"))
                .findFirst().orElseThrow().substring("Cpus_allowed_list:".length()).strip();
    }

    @Test
    void aSetBindsTheThreadsOfTheGroupAndComesBack() throws Exception {
        Process work = runs("while read -r line; do :; done");
        GuestKnob knob = GuestKnob.of(KnobKind.CPUSET, web());
        String before = backend.exact(knob);
        int last = all.get(all.size() - 1);
        assertThat(backend.has(knob)).isTrue();
        assertThat(backend.objections(Map.of(knob, 1 << last))).isEmpty();
        assertThat(backend.objections(Map.of(knob, 1 << last + 1))).containsKey(knob);

        backend.set(knob, 1 << last);
        assertThat(backend.get(knob)).isEqualTo(1 << last);
        assertThat(allowed(work.pid())).isEqualTo(Integer.toString(last));
        Files.writeString(ROOT.resolve("cpuset").resolve(parent).resolve("web/cpuset.cpus"), all.get(0).toString());
        assertThat(backend.get(knob)).as("somebody else's change").isEqualTo(1 << all.get(0));

        backend.putBack(knob, before);
        assertThat(backend.exact(knob)).isEqualTo(before);
        assertThat(allowed(work.pid())).isEqualTo(CpuSets.format(all));
    }

    @Test
    void aThreadNamedAsAVirtualCpuIsPinnedAndComesBack() throws Exception {
        Process vcpu = runs("echo 'CPU 0/KVM' >/proc/$$/comm; while read -r line; do :; done");
        await(() -> Files.readString(Path.of("/proc/" + vcpu.pid() + "/comm")).startsWith("CPU 0"), "it has its name");
        GuestKnob knob = GuestKnob.of(KnobKind.AFFINITY, web(), 0);
        assertThat(backend.has(knob)).isTrue();
        assertThat(web().vcpus()).isEqualTo(1);
        assertThat(backend.get(knob)).isEqualTo(-1);
        String before = backend.exact(knob);
        int last = all.get(all.size() - 1);

        backend.set(knob, last);
        assertThat(backend.get(knob)).isEqualTo(last);
        assertThat(allowed(vcpu.pid())).isEqualTo(Integer.toString(last));
        assertThatThrownBy(() -> backend.set(knob, last + 1)).as("offline").isInstanceOf(NotDoneException.class);
        assertThat(backend.objections(Map.of(knob, last + 1))).containsKey(knob);
        backend.putBack(knob, before);
        assertThat(allowed(vcpu.pid())).isEqualTo(CpuSets.format(all));

        vcpu.destroyForcibly().waitFor();
        assertThatThrownBy(() -> backend.get(knob)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> backend.putBack(knob, before)).isInstanceOf(NotDoneException.class);
    }

    /** W6: on loopback a packet is a soft interrupt of its sender. One that the kernel leaves to a thread of its own is not counted. */
    @Test
    void softInterruptsArePackets() throws Exception {
        assumeTrue(Files.isWritable(ROOT.resolve("unified/cgroup.procs")), "needs version 2 beside version 1");
        traced = !Files.isReadable(TRACING.resolve("events/irq/softirq_entry/id"))
                && host.run(List.of("mount", "-t", "tracefs", "nodev", TRACING.toString()), Duration.ofSeconds(30)).succeeded();
        assumeTrue(Files.isReadable(TRACING.resolve("events/irq/softirq_entry/id")), "needs tracefs");
        CommandResult perf = host.run(List.of("perf", "stat", "-x", ";", "-a", "-e", "irq:softirq_entry", "true"),
                Duration.ofSeconds(30));
        assumeTrue(perf.succeeded(), "needs perf");
        make("unified");
        List<Double> counted = new ArrayList<>();
        try (PerfGroups events = new PerfGroups(host, List.of("-e", "irq:softirq_entry", "--filter", "vec==3"), System::nanoTime)) {
            await(() -> count(events).seconds() > 0, "perf counts");
            for (int i = 0; i < TRIES; i++) {
                counted.add(softirqsOf(events));
                if (Math.abs(counted.get(i) - PACKETS) <= PACKETS / 100.0 + 5) {
                    return;
                }
            }
        }
        throw new AssertionError("for " + PACKETS + " packets: " + counted);
    }

    private PerfGroups.Count count(PerfGroups events) throws IOException, InterruptedException {
        String web = parent + "/web";
        return events.counts(List.of(web)).get(web);
    }

    /** Counts while packets are sent, and one interval more. */
    private double softirqsOf(PerfGroups events) throws Exception {
        double sum = 0;
        try (DatagramSocket here = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            Process sender = runs("sleep 0.1; exec 3<>/dev/udp/127.0.0.1/" + here.getLocalPort() + "; for ((i = 0; i < " + PACKETS
                    + "; i++)); do echo x >&3; done");
            assertThat(sender.waitFor(60, TimeUnit.SECONDS)).isTrue();
            double seconds = 0;
            for (long end = System.nanoTime() + PATIENCE; seconds < 2.5 && System.nanoTime() < end; Thread.sleep(100)) {
                PerfGroups.Count more = count(events);
                sum += more.count();
                seconds += more.seconds();
            }
        }
        return sum;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.host.NotDoneException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CgroupBackendTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String NONE = "9223372036854771712\n";
    private static final long SECOND = 1_000_000_000L;
    private static final long MIB = 1 << 20;
    private static final String PLAIN = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42                         /usr/bin/java\n"
            + "7f0000002000-7f0000003000 rw-p 00000000 00:00 0                          [heap]\n"
            + "7f0000004000-7f0000005000 rw-s 00000000 00:0e 9                          anon_inode:[perf_event]\n";

    @TempDir
    Path directory;
    private PlayedHost host;
    private CgroupBackend backend;
    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void begin() {
        host = new PlayedHost(directory);
        backend = new CgroupBackend(host, "machine.slice", nanos::get, PATIENCE);
        stat(1000, 2000);
        host.file("/proc/meminfo", "MemTotal:        4194304 kB\nMemFree: 1 kB\nMemAvailable:    1048576 kB\n");
        host.file("/sys/class/net/lo/type", "772\n");
        host.file("/sys/class/net/eth0/device/uevent", "");
        host.file("/sys/class/net/vnet0/tun_flags", "0x5002\n");
        host.file("/sys/class/net/virbr0/type", "1\n");
        host.file("/sys/class/net/virbr0/ifindex", "3\n");
        host.file("/sys/class/net/virbr0/iflink", "3\n");
        network(0);
    }

    /** A guest's own, and a card and a bridge, which count the same again. */
    private void network(int bytes) {
        String rest = " 0 0 0 0 0 0 0 " + bytes + " 0 0 0 0 0 0 0\n";
        host.file("/proc/net/dev", "Inter-|   Receive  |  Transmit\n face |bytes packets ...\n    lo: 7" + rest + "  eth0: " + bytes + rest
                + "virbr0: " + bytes + rest + " vnet0:" + bytes + rest);
    }

    private void stat(int busy, int idle) {
        host.file("/proc/stat", "cpu  " + busy + " 0 0 " + idle + " 0 0 0 0 5 0\ncpu0 1 0 0 1 0 0 0 0 0 0\n"
                + "cpu1 1 0 0 1 0 0 0 0 0 0\n");
    }

    /** A guest as version 1 has it, one hierarchy for each controller. */
    private void first(String name) {
        for (String controller : List.of("cpu", "cpuacct", "memory")) {
            host.file("/sys/fs/cgroup/" + controller + "/machine.slice/cgroup.procs", "");
        }
        String cpu = "/sys/fs/cgroup/cpu/machine.slice/" + name;
        host.file(cpu + "/cpu.shares", "1024\n");
        host.file(cpu + "/cpu.cfs_quota_us", "-1\n");
        host.file(cpu + "/cpu.cfs_period_us", "100000\n");
        host.file(cpu + "/tasks", "71\n72\n");
        host.file("/proc/71/schedstat", "1 0 0\n");
        host.file("/proc/72/schedstat", "1 0 0\n");
        thread(71, 71, "java", PLAIN);
        thread(72, 71, "worker", PLAIN);
        String memory = "/sys/fs/cgroup/memory/machine.slice/" + name;
        host.file(memory + "/memory.limit_in_bytes", NONE);
        host.file(memory + "/tasks", "71\n72\n");
        counted(name, 0, 0, 0);
    }

    private void thread(int number, int process, String name, String maps) {
        host.file("/proc/" + number + "/status", "Name:\t" + name + "\nUmask:\t0022\nTgid:\t" + process + "\nNgid:\t0\n");
        host.file("/proc/" + number + "/maps", maps);
    }

    private void counted(String name, double runSeconds, double throttledSeconds, int faults) {
        host.file("/sys/fs/cgroup/cpuacct/machine.slice/" + name + "/cpuacct.usage", Math.round(runSeconds * 1e9) + "\n");
        host.file("/sys/fs/cgroup/cpu/machine.slice/" + name + "/cpu.stat",
                "nr_periods 1\nnr_throttled 1\nthrottled_time " + Math.round(throttledSeconds * 1e9) + "\n");
        String memory = "/sys/fs/cgroup/memory/machine.slice/" + name;
        host.file(memory + "/memory.usage_in_bytes", "300\n");
        host.file(memory + "/memory.stat", "inactive_file 1\npgmajfault 1\ntotal_pgmajfault " + faults + "\n"
                + "total_inactive_file 100\n");
    }

    /** A guest as version 2 has it. */
    private void second(String name) {
        host.file("/sys/fs/cgroup/machine.slice/cgroup.controllers", "cpu memory\n");
        String group = "/sys/fs/cgroup/machine.slice/" + name;
        host.file(group + "/cpu.weight", "100\n");
        host.file(group + "/cpu.max", "max 100000\n");
        host.file(group + "/cpu.stat", "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
        host.file(group + "/memory.high", "max\n");
        host.file(group + "/memory.max", "max\n");
        host.file(group + "/memory.current", "300\n");
        host.file(group + "/memory.stat", "anon 1\ninactive_file 100\npgmajfault 0\n");
        host.file(group + "/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
        host.file(group + "/cgroup.threads", "71\n");
        thread(71, 71, "java", PLAIN);
        host.file(group + "/cpuset.cpus.effective", "1\n");
        host.kernel((path, text) -> path.endsWith("cpu.max") && !text.contains(" ")
                ? text + host.read(path).strip().replaceFirst("\\S+", "") : text);
    }

    private GuestKnob knob(KnobKind kind) throws Exception {
        return GuestKnob.of(kind, backend.guests().get(0));
    }

    private String content(String path) throws IOException {
        return host.read("/sys/fs/cgroup/" + path).strip();
    }

    @Test
    void childrenAreGuests() throws Exception {
        first("web");
        first("machine-qemu\\x2d1\\x2ddb.scope");
        assertThat(backend.guests()).extracting(Guest::name).containsExactly("machine-qemu-1-db.scope", "web");
        assertThat(backend.guests()).extracting(Guest::vcpus).containsOnly(2);
        assertThat(backend.pools()).containsExactly(new Pool("linux", "cfs", List.of(0, 1)));
        assertThat(backend.memory()).isEqualTo(4L << 30);
    }

    @Test
    void withoutTheirParentThereAreNone() throws Exception {
        assertThat(backend.guests()).isEmpty();
        assertThatThrownBy(backend::capabilities).isInstanceOf(IOException.class).hasMessageContaining("machine.slice");
        assertThatThrownBy(() -> new CgroupBackend(host, "/")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aGroupMadeAnewIsAnotherGuest() throws Exception {
        first("web");
        GuestKnob weight = knob(KnobKind.WEIGHT);
        Path cpu = host.at("/sys/fs/cgroup/cpu/machine.slice/web");
        Files.move(cpu, directory.resolve("old"));
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class).hasMessageContaining("is gone");
        first("web");
        assertThat(backend.guests().get(0).uuid()).isNotEqualTo(weight.target().identity());
        assertThatThrownBy(() -> backend.set(weight, 512)).isInstanceOf(NotDoneException.class).hasMessageContaining("made again");
        assertThatThrownBy(() -> backend.get(weight)).isInstanceOf(IOException.class).hasMessageContaining("made again");
        assertThat(host.written()).isEmpty();
    }

    /** Of several writes, too: the group is another after the first of them. */
    @Test
    void aGroupThatIsMadeAnewBetweenTwoWritesIsLeftAsItIs() throws Exception {
        first("web");
        GuestKnob cap = knob(KnobKind.CAP);
        Path group = host.at("/sys/fs/cgroup/cpu/machine.slice/web");
        host.kernel((path, text) -> {
            Files.move(group, group.resolveSibling("gone"));
            first("web");
            return text;
        });
        assertThatThrownBy(() -> backend.putBack(cap, "33333 50000")).isInstanceOf(NotDoneException.class).hasMessageContaining("made again");
        assertThat(host.written()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"WEIGHT, 512, cpu/machine.slice/web/cpu.shares, 2048", "WEIGHT, 65535, cpu/machine.slice/web/cpu.shares, 262140",
        "CAP, 500, cpu/machine.slice/web/cpu.cfs_quota_us, 50000", "CAP, 10, cpu/machine.slice/web/cpu.cfs_quota_us, 1000",
        "MEMORY, 256, memory/machine.slice/web/memory.limit_in_bytes, 268435456"})
    void version1TakesWhatItIsGiven(KnobKind kind, int value, String file, String text) throws Exception {
        first("web");
        GuestKnob knob = knob(kind);
        backend.set(knob, value);
        assertThat(content(file)).isEqualTo(text);
        assertThat(backend.get(knob)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({"WEIGHT, 512, cpu.weight, 200", "WEIGHT, 64, cpu.weight, 25", "CAP, 1500, cpu.max, 150000 100000",
        "MEMORY, 256, memory.high, 268435456"})
    void version2TakesWhatItIsGiven(KnobKind kind, int value, String file, String text) throws Exception {
        second("web");
        GuestKnob knob = knob(kind);
        backend.set(knob, value);
        assertThat(content("machine.slice/web/" + file)).isEqualTo(text);
        assertThat(backend.get(knob)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noLimitIsNought(int version) throws Exception {
        if (version == 1) {
            first("web");
        } else {
            second("web");
        }
        for (KnobKind kind : List.of(KnobKind.CAP, KnobKind.MEMORY)) {
            GuestKnob knob = knob(kind);
            String before = backend.exact(knob);
            assertThat(backend.get(knob)).isZero();
            backend.set(knob, 300);
            assertThat(backend.get(knob)).isEqualTo(300);
            backend.putBack(knob, before);
            assertThat(backend.exact(knob)).isEqualTo(before);
            backend.set(knob, 300);
            backend.set(knob, 0);
        }
        assertThat(content(version == 1 ? "cpu/machine.slice/web/cpu.cfs_quota_us" : "machine.slice/web/cpu.max"))
                .isEqualTo(version == 1 ? "-1" : "max 100000");
    }

    @Test
    void everyValueOfARangeIsReadBackAsItself() throws Exception {
        second("web");
        Capabilities.Range range = backend.capabilities().range(KnobKind.WEIGHT).orElseThrow();
        GuestKnob knob = knob(KnobKind.WEIGHT);
        for (int value = range.lowest(); value <= range.highest(); value += range.step()) {
            backend.set(knob, value);
            assertThat(backend.get(knob)).isEqualTo(value);
        }
    }

    @Test
    void theWayBackIsExact() throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/cpu.shares", "1023\n");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/cpu.cfs_quota_us", "33333\n");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/cpu.cfs_period_us", "50000\n");
        host.file("/sys/fs/cgroup/memory/machine.slice/web/memory.limit_in_bytes", "100003840\n");
        for (KnobKind kind : List.of(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY)) {
            GuestKnob knob = knob(kind);
            int value = backend.get(knob);
            String exact = backend.exact(knob);
            backend.set(knob, value + 50);
            assertThat(backend.get(knob)).isEqualTo(value + 50);
            backend.putBack(knob, exact);
            assertThat(backend.get(knob)).isEqualTo(value);
        }
        assertThat(content("cpu/machine.slice/web/cpu.shares")).isEqualTo("1023");
        assertThat(content("cpu/machine.slice/web/cpu.cfs_quota_us")).isEqualTo("33333");
        assertThat(content("memory/machine.slice/web/memory.limit_in_bytes")).isEqualTo("100003840");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/cpu.cfs_period_us", "100000\n");
        backend.putBack(knob(KnobKind.CAP), "33333 50000");
        assertThat(backend.exact(knob(KnobKind.CAP))).isEqualTo("33333 50000");
        assertThatThrownBy(() -> backend.putBack(knob(KnobKind.CAP), "33333")).isInstanceOf(NotDoneException.class);
    }

    @Test
    void aQuotaBelowAMillisecondIsRefusedBeforeItIsTried() throws Exception {
        first("web");
        GuestKnob cap = knob(KnobKind.CAP);
        assertThatThrownBy(() -> backend.set(cap, 9)).isInstanceOf(NotDoneException.class).hasMessageContaining("1000 us");
        assertThat(host.written()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CAP", "MEMORY"})
    void whatTheKernelRefusesIsNotDone(KnobKind kind) throws Exception {
        first("web");
        GuestKnob knob = knob(kind);
        host.kernel((path, text) -> {
            throw new IOException(path + ": Device or resource busy");
        });
        assertThatThrownBy(() -> backend.set(knob, 500)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("Device or resource busy");
        assertThat(backend.get(knob)).isZero();
    }

    @Test
    void aWriteThatTheKernelHoldsUpIsGivenUpAfterItsPatienceAndNotDoubled() throws Exception {
        first("web");
        backend = new CgroupBackend(host, "machine.slice", nanos::get, Duration.ofMillis(50));
        GuestKnob memory = knob(KnobKind.MEMORY);
        CountDownLatch reclaimed = new CountDownLatch(1);
        host.kernel((path, text) -> {
            reclaimed.await();
            return text;
        });
        assertThatThrownBy(() -> backend.set(memory, 128)).isExactlyInstanceOf(IOException.class)
                .hasMessageContaining("may still be done");
        assertThatThrownBy(() -> backend.set(memory, 256)).isInstanceOf(NotDoneException.class)
                .hasMessageContaining("an earlier write has not ended");
        reclaimed.countDown();
        for (long end = System.nanoTime() + 60 * SECOND; backend.get(memory) != 128; Thread.onSpinWait()) {
            assertThat(System.nanoTime()).as("it was done in the end").isLessThan(end);
        }
    }

    @Test
    void countersBecomeRates() throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/memory/machine.slice/web/memory.limit_in_bytes", "1000\n");
        Set<GuestMetric> all = EnumSet.allOf(GuestMetric.class);
        host.file("/proc/71/status", "Name:\tx\nTgid:\t71\nvoluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t7\n");
        host.file("/proc/72/status", "voluntary_ctxt_switches:\t0\n");
        Guest web = backend.guests().get(0);
        HostSample none = backend.read(Instant.EPOCH, all);
        assertThat(none.interval()).isZero();
        assertThat(none.get(web, GuestMetric.CPU_RUN)).isNaN();
        assertThat(none.get(web, GuestMetric.MEM_USED)).as("less inactive files, and a quarter more as no refaults are counted").isEqualTo(250);
        assertThat(none.get(web, GuestMetric.MEM_ALLOC)).isEqualTo(1000);
        nanos.addAndGet(4 * SECOND);
        counted("web", 2, 1, 8);
        stat(1300, 2100);
        network(1_000_000);
        host.file("/proc/71/schedstat", 1_000_000_001L + " 2000000000 40\n");
        host.file("/proc/72/schedstat", 1_000_000_001L + " 1000000000 0\n");
        host.file("/proc/71/status", "voluntary_ctxt_switches:\t30\n");
        HostSample sample = backend.read(Instant.EPOCH, all);
        assertThat(sample.interval()).isEqualTo(Duration.ofSeconds(4));
        assertThat(sample.get(web, GuestMetric.CPU_RUN)).isEqualTo(0.5);
        assertThat(sample.get(web, GuestMetric.CPU_THROTTLED)).isEqualTo(0.25);
        assertThat(sample.get(web, GuestMetric.CPU_WAIT)).as("less throttled").isEqualTo(0.5, offset(1e-9));
        assertThat(sample.get(web, GuestMetric.CPU_SWITCHES)).isEqualTo(10);
        assertThat(sample.get(web, GuestMetric.CPU_WAKEUPS)).isEqualTo(5);
        assertThat(sample.get(web, GuestMetric.MEM_MAJFLT)).isEqualTo(2);
        assertThat(sample.get(HostMetric.CPU_UTIL)).isEqualTo(0.75);
        assertThat(sample.get(HostMetric.NET_RATE)).as("2 MB in 4 s").isEqualTo(4);
        assertThat(sample.get(HostMetric.VCPU_RATIO)).isEqualTo(1);
        assertThat(sample.get(HostMetric.MEM_FREE)).isEqualTo(1024.0 * 1024 * 1024);
        assertThat(sample.byUuid().get(web.uuid()).why(GuestMetric.MEM_PRESSURE)).contains("memory.pressure");
    }

    @Test
    void threadsAreLookedAtOnlyWhereThatIsWanted() throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/tasks", "no thread\n");
        Guest web = backend.guests().get(0);
        assertThat(backend.read(Instant.EPOCH, Set.of()).byUuid().get(web.uuid()).why(GuestMetric.CPU_WAIT))
                .isEqualTo("not measured");
        assertThatThrownBy(() -> backend.read(Instant.EPOCH, Set.of(GuestMetric.CPU_WAIT))).hasMessageContaining("no thread");
    }

    @Test
    void threadsOfNestedGroupsCountToo() throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/libvirt/vcpu0/tasks", "73\n");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/libvirt/tasks", "");
        host.file("/proc/73/schedstat", "0 0 0\n");
        Guest web = backend.guests().get(0);
        backend.read(Instant.EPOCH, Set.of(GuestMetric.CPU_WAIT));
        nanos.addAndGet(SECOND);
        host.file("/proc/73/schedstat", "0 500000000 0\n");
        assertThat(backend.read(Instant.EPOCH, Set.of(GuestMetric.CPU_WAIT)).get(web, GuestMetric.CPU_WAIT)).isEqualTo(0.5);
    }

    @Test
    void version2HasPressureAndTheLowerOfTwoLimits() throws Exception {
        second("web");
        Guest web = backend.guests().get(0);
        assertThat(web.vcpus()).as("its cpuset").isEqualTo(1);
        String group = "/sys/fs/cgroup/machine.slice/web";
        host.file(group + "/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n");
        host.file(group + "/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0 total=0\n");
        assertThat(backend.read(Instant.EPOCH, Set.of()).byUuid().get(web.uuid()).why(GuestMetric.MEM_ALLOC))
                .isEqualTo("no limit");
        host.file(group + "/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=251000\n");
        host.file(group + "/io.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=125000\nfull avg10=0 total=1\n");
        host.file(group + "/memory.high", "900\n");
        host.file(group + "/memory.max", "800\n");
        host.file(group + "/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=500000\nfull avg10=0 total=1\n");
        host.file(group + "/cpu.stat", "usage_usec 1500000\nthrottled_usec 200000\n");
        nanos.addAndGet(SECOND);
        HostSample sample = backend.read(Instant.EPOCH, Set.of());
        assertThat(sample.get(web, GuestMetric.MEM_ALLOC)).isEqualTo(800);
        assertThat(sample.get(web, GuestMetric.MEM_PRESSURE)).isEqualTo(0.5);
        assertThat(sample.get(web, GuestMetric.CPU_PRESSURE)).isEqualTo(0.25);
        assertThat(sample.get(web, GuestMetric.IO_PRESSURE)).isEqualTo(0.125);
        assertThat(backend.capabilities().metrics()).containsKeys(GuestMetric.CPU_PRESSURE, GuestMetric.IO_PRESSURE);
        assertThat(sample.get(web, GuestMetric.CPU_RUN)).isEqualTo(1.5);
        assertThat(sample.get(web, GuestMetric.CPU_THROTTLED)).isEqualTo(0.2, offset(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"cpuacct/machine.slice/web/cpuacct.usage, many", "cpu/machine.slice/web/cpu.stat, throttled_time often",
        "memory/machine.slice/web/memory.stat, half", "memory/machine.slice/web/memory.usage_in_bytes, ''"})
    void garbageStopsTheReading(String file, String text) throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/" + file, text + "\n");
        assertThatThrownBy(() -> backend.read(Instant.EPOCH, Set.of())).isInstanceOf(IOException.class)
                .hasMessageContaining("expected");
    }

    @ParameterizedTest
    @CsvSource({"WEIGHT, cpu/machine.slice/web/cpu.shares", "CAP, cpu/machine.slice/web/cpu.cfs_quota_us",
        "MEMORY, memory/machine.slice/web/memory.limit_in_bytes"})
    void garbageIsNoValue(KnobKind kind, String file) throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/" + file, "-7 apples\n");
        GuestKnob knob = knob(kind);
        assertThatThrownBy(() -> backend.get(knob)).isInstanceOf(IOException.class).hasMessageContaining("-7 apples");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eth0: many 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0", "eth0: 1 2 3", "eth0"})
    void garbageIsNoTraffic(String line) throws Exception {
        first("web");
        host.file("/proc/net/dev", "Inter-|\n face |bytes packets\n" + line + "\n");
        HostSample sample = backend.read(Instant.EPOCH, Set.of());
        assertThat(sample.host().why(HostMetric.NET_RATE)).contains("/proc/net/dev", line);
    }

    @Test
    void aGuestThatGoesWhileItIsReadIsLeftOut() throws Exception {
        first("web");
        host.file("/sys/fs/cgroup/cpu/machine.slice/web/tasks", "");
        backend.guests();
        Files.move(host.at("/sys/fs/cgroup/cpu/machine.slice/web"), directory.resolve("gone"));
        HostSample sample = backend.read(Instant.EPOCH, Set.of());
        assertThat(sample.guests()).isEmpty();
        assertThat(sample.get(HostMetric.VM_COUNT)).isZero();
    }

    @Test
    void aThreadTellsItsGuest() throws Exception {
        first("web");
        first("webs");
        host.file("/proc/71/cgroup", "4:memory:/machine.slice/webs/emulator\n3:cpu:/machine.slice/webs/vcpu0\n0::/\n");
        assertThat(backend.holding(71)).map(Guest::name).contains("webs");
        host.file("/proc/71/cgroup", "0::/user.slice\n");
        assertThat(backend.holding(71)).isEmpty();
    }

    @Test
    void capabilitiesSayWhatIsMissing() throws Exception {
        first("web");
        assertThat(backend.capabilities().knobs()).containsOnlyKeys(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY, KnobKind.AFFINITY);
        assertThat(backend.capabilities().metrics().get(GuestMetric.CPU_WAIT).dear()).isTrue();
        assertThat(backend.capabilities().metrics()).doesNotContainKey(GuestMetric.MEM_PRESSURE);
        Files.delete(host.at("/sys/fs/cgroup/memory/machine.slice/web/memory.limit_in_bytes"));
        CgroupBackend anew = new CgroupBackend(host, "machine.slice");
        assertThat(anew.capabilities().knobs()).doesNotContainKey(KnobKind.MEMORY);
        assertThat(anew.capabilities().notes()).anyMatch(note -> note.startsWith("no memory: "));
    }

    /** By the name of a thread, of whichever program; by what its process has mapped, where its name says nothing. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"qemu-system-x86 | -", "CPU 1/KVM | -", "CPU 0/TCG | -", "kvm | -", "vcpu3 | -", "fc_vcpu 0 | -", "cloud-hyperviso | -",
        "firecracker | -", "crosvm_vcpu0 | -", "VirtualBoxVM | -", "vmware-vmx | -", "web | anon_inode:kvm-vcpu:0", "web | anon_inode:kvm-vm", "web | /dev/kvm",
        "web | /usr/bin/qemu-system-x86_64", "web | /usr/bin/qemu-system-x86_64 (deleted)", "web | /usr/libexec/qemu-kvm"})
    void aGroupThatHoldsAMachineGetsNoLimitOfMemory(String name, String mapped) throws Exception {
        for (int version = 1; version <= 2; version++) {
            begin();
            if (version == 1) {
                first("web");
            } else {
                second("web");
                host.file("/sys/fs/cgroup/machine.slice/web/cgroup.threads", "71\n72\n");
            }
            thread(71, 71, "web", PLAIN + (mapped.equals("-") ? "" : "7f0000006000-7f0000009000 rw-s 00000000 00:0e 12          " + mapped + "\n"));
            thread(72, 71, mapped.equals("-") ? name : "worker", "");
            GuestKnob memory = knob(KnobKind.MEMORY);
            assertThat(backend.has(memory)).isFalse();
            assertThat(backend.has(knob(KnobKind.WEIGHT))).isTrue();
            assertThat(backend.objections(Map.of(memory, 100)).get(memory)).contains("web's memory: control group machine.slice/web holds a virtual machine (");
            assertThatThrownBy(() -> backend.set(memory, 1000)).isInstanceOf(NotDoneException.class).hasMessageContaining("holds a virtual machine");
            assertThat(host.written()).isEmpty();
            clear();
        }
    }

    private void clear() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted(Comparator.reverseOrder()).filter(path -> !path.equals(directory)).forEach(path -> path.toFile().delete());
        }
    }

    @Test
    void aMachineThatStartsLaterIsSeenAtTheWriteAndGetsBackWhatWasTaken() throws Exception {
        first("web");
        GuestKnob memory = knob(KnobKind.MEMORY);
        String baseline = backend.exact(memory);
        assertThat(backend.has(memory)).isTrue();
        backend.set(memory, 500);
        thread(72, 72, "CPU 0/KVM", "");
        assertThat(backend.has(memory)).as("nobody has looked").isTrue();
        assertThatThrownBy(() -> backend.set(memory, 400)).isInstanceOf(NotDoneException.class).hasMessageContaining("thread 72 is \"CPU 0/KVM\"");
        assertThat(backend.has(memory)).isFalse();
        assertThatThrownBy(() -> backend.putBack(memory, "104857600")).as("a restore never lowers a limit")
                .isInstanceOf(NotDoneException.class);
        backend.putBack(memory, "629145600");
        assertThat(backend.get(memory)).isEqualTo(600);
        backend.putBack(memory, baseline);
        assertThat(backend.get(memory)).isZero();
        assertThat(host.written()).hasSize(3);
    }

    /** Also long after the group was made, as long as the limit is ours. */
    @Test
    void aMachineThatStartsUnderALimitOfOursIsNoticedInAQuarterOfAMinute() throws Exception {
        first("web");
        first("plain");
        for (int looks = 0; looks < 10; looks++) {
            nanos.addAndGet(15 * SECOND);
            backend.guests();
        }
        GuestKnob plain = GuestKnob.of(KnobKind.MEMORY, backend.guests().get(0));
        GuestKnob web = GuestKnob.of(KnobKind.MEMORY, backend.guests().get(1));
        String baseline = backend.exact(web);
        backend.set(web, 500);
        thread(72, 72, "CPU 0/KVM", "");
        nanos.addAndGet(15 * SECOND);
        backend.guests();
        assertThat(backend.has(web)).isFalse();
        assertThat(backend.has(plain)).as("an old group with no limit of ours is not looked at again").isTrue();
        thread(72, 71, "worker", "");
        nanos.addAndGet(15 * SECOND);
        backend.guests();
        assertThat(backend.has(web)).isTrue();
        backend.putBack(web, baseline);
        thread(72, 72, "CPU 0/KVM", "");
        nanos.addAndGet(15 * SECOND);
        backend.guests();
        assertThat(backend.has(web)).as("nothing of ours is in force").isTrue();
    }

    @Test
    void threadsThatCannotBeReadRefuse() throws Exception {
        first("web");
        Files.delete(host.at("/proc/72/status"));
        GuestKnob memory = knob(KnobKind.MEMORY);
        assertThat(backend.has(memory)).isFalse();
        assertThatThrownBy(() -> backend.set(memory, 400)).isInstanceOf(NotDoneException.class).hasMessageContaining("thread 72 cannot be looked at");
        host.file("/sys/fs/cgroup/memory/machine.slice/web/tasks", "71\n");
        backend.set(memory, 400);
        assertThat(backend.has(memory)).as("known from the look before").isFalse();
        nanos.addAndGet(20 * SECOND);
        backend.guests();
        assertThat(backend.has(memory)).as("what has ended says nothing").isTrue();
        Files.delete(host.at("/proc/71/maps"));
        assertThatThrownBy(() -> backend.set(memory, 300)).isInstanceOf(NotDoneException.class).hasMessageContaining("thread 71 cannot be looked at");
        Files.delete(host.at("/sys/fs/cgroup/memory/machine.slice/web/tasks"));
        assertThatThrownBy(() -> backend.set(memory, 300)).isInstanceOf(NotDoneException.class).hasMessageContaining("cannot be told");
    }

    private void memory(int version, long all, long inactive, long active, long refaults, long kills) {
        String group = "/sys/fs/cgroup/" + (version == 1 ? "memory/machine.slice/web" : "machine.slice/web");
        String total = version == 1 ? "total_" : "";
        host.file(group + (version == 1 ? "/memory.usage_in_bytes" : "/memory.current"), all * MIB + "\n");
        host.file(group + "/memory.stat", (version == 1 ? "inactive_file 1\n" : "") + total + "inactive_file " + inactive * MIB + "\n" + total + "active_file " + active * MIB
                + "\n" + total + "pgmajfault 0\n" + total + "workingset_refault_anon 7\n" + total + "workingset_refault_file " + refaults + "\n");
        host.file(group + (version == 1 ? "/memory.oom_control" : "/memory.events"), (version == 1 ? "oom_kill_disable 0\nunder_oom 0\n" : "oom 1\n") + "oom_kill " + kills + "\n");
    }

    /** 300 MiB of pages that are read again and again look idle, since none stays. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatThrashesIsInUseAndKillsAreCounted(int version) throws Exception {
        if (version == 1) {
            first("web");
        } else {
            second("web");
        }
        Guest web = backend.guests().get(0);
        memory(version, 400, 300, 20, 1000, 3);
        HostSample calm = backend.read(Instant.EPOCH, Set.of());
        assertThat(calm.get(web, GuestMetric.MEM_USED)).isEqualTo(100 * MIB);
        assertThat(calm.get(web, GuestMetric.MEM_OOM_KILLS)).as("what was before is nobody's").isZero();
        assertThat(calm.get(web, GuestMetric.MEM_PEAK)).isEqualTo(80 * MIB);
        nanos.addAndGet(2 * SECOND);
        memory(version, 380, 300, 20, 1100, 5);
        HostSample thrashing = backend.read(Instant.EPOCH, Set.of());
        assertThat(thrashing.get(web, GuestMetric.MEM_REFAULT)).isEqualTo(50);
        assertThat(thrashing.get(web, GuestMetric.MEM_USED)).isEqualTo(380 * MIB);
        assertThat(thrashing.get(web, GuestMetric.MEM_OOM_KILLS)).isEqualTo(2);
        assertThat(thrashing.get(web, GuestMetric.MEM_PEAK)).as("the most").isEqualTo(80 * MIB);
        nanos.addAndGet(2 * SECOND);
        assertThat(backend.read(Instant.EPOCH, Set.of()).get(web, GuestMetric.MEM_USED)).isEqualTo(80 * MIB);
    }

    @Test
    void withoutSwapThePeakIsNotTaken() throws Exception {
        first("web");
        memory(1, 400, 300, 20, 0, 0);
        backend.read(Instant.EPOCH, Set.of());
        GuestKnob knob = knob(KnobKind.MEMORY);
        assertThat(backend.objections(Map.of(knob, 99)).get(knob)).isEqualTo("web's memory: it was seen to need 80 MiB, for which there is no swap: below 100 MiB"
                + " it might be killed");
        assertThat(backend.objections(Map.of(knob, 100))).isEmpty();
        host.file("/sys/fs/cgroup/memory/machine.slice/web/memory.limit_in_bytes", 50 * MIB + "\n");
        assertThat(backend.objections(Map.of(knob, 60))).as("more than it has").isEmpty();
        for (int free : new int[] {0, 1000, 80 * 1024 - 1}) {
            swap(free);
            assertThat(backend.objections(Map.of(knob, 40))).as("swap that is full, or too small").hasSize(1);
            assertThat(backend.read(Instant.EPOCH, Set.of()).get(backend.guests().get(0), GuestMetric.MEM_PEAK)).isEqualTo(80 * MIB);
        }
        swap(80 * 1024);
        assertThat(backend.objections(Map.of(knob, 40))).isEmpty();
        assertThat(backend.read(Instant.EPOCH, Set.of()).byUuid().get(backend.guests().get(0).uuid()).why(GuestMetric.MEM_PEAK))
                .isEqualTo("there is swap for all of it");
    }

    private void swap(int freeKib) {
        host.file("/proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable: 1 kB\nSwapTotal: 9000000 kB\nSwapFree: " + freeKib + " kB\n");
    }

    /** A group of version 2 may have a bound of its own. */
    @Test
    void theSwapThatAGroupMayUseCounts() throws Exception {
        second("web");
        memory(2, 400, 300, 20, 0, 0);
        swap(1_000_000);
        Map<String, Boolean> enough = Map.of("max", true, "0", false, Long.toString(79 * MIB), false, Long.toString(80 * MIB), true);
        for (Map.Entry<String, Boolean> one : enough.entrySet()) {
            host.file("/sys/fs/cgroup/machine.slice/web/memory.swap.max", one.getKey() + "\n");
            backend = new CgroupBackend(host, "machine.slice", nanos::get, PATIENCE);
            HostSample sample = backend.read(Instant.EPOCH, Set.of());
            assertThat(Double.isNaN(sample.get(sample.guests().get(0), GuestMetric.MEM_PEAK))).as(one.getKey()).isEqualTo(one.getValue());
        }
    }

    private double kills() throws Exception {
        HostSample sample = backend.read(Instant.EPOCH, Set.of());
        return sample.get(sample.guests().get(0), GuestMetric.MEM_OOM_KILLS);
    }

    @Test
    void aKillIsNotLostWithAReadingThatFails() throws Exception {
        first("web");
        first("zoo");
        memory(1, 400, 300, 20, 0, 3);
        assertThat(kills()).isZero();
        memory(1, 400, 300, 20, 0, 4);
        String usage = "/sys/fs/cgroup/memory/machine.slice/zoo/memory.usage_in_bytes";
        host.file(usage, "many\n");
        assertThatThrownBy(this::kills).hasMessageContaining("many");
        host.file(usage, "300\n");
        host.file("/proc/stat", "cpu\n");
        assertThatThrownBy(this::kills).hasMessageContaining("/proc/stat");
        stat(1, 1);
        assertThat(kills()).isEqualTo(1);
        assertThat(kills()).isZero();
    }

    @Test
    void killsOfTheHostCountFromOneWholeReadingToTheNext() throws Exception {
        first("web");
        assertThat(backend.read(Instant.EPOCH, Set.of()).host().why(HostMetric.MEM_OOM_KILLS)).contains("/proc/vmstat");
        host.file("/proc/vmstat", "oom_kill_disable 7\noom_kill 3\n");
        assertThat(backend.read(Instant.EPOCH, Set.of()).get(HostMetric.MEM_OOM_KILLS)).isZero();
        host.file("/proc/vmstat", "oom_kill 5\n");
        host.file("/proc/stat", "cpu\n");
        assertThatThrownBy(() -> backend.read(Instant.EPOCH, Set.of())).hasMessageContaining("/proc/stat");
        stat(1, 1);
        assertThat(backend.read(Instant.EPOCH, Set.of()).get(HostMetric.MEM_OOM_KILLS)).isEqualTo(2);
        assertThat(backend.read(Instant.EPOCH, Set.of()).get(HostMetric.MEM_OOM_KILLS)).isZero();
    }

    /** As version 1 counts them, each group its own. */
    @Test
    void killsOfNestedGroupsCountToo() throws Exception {
        first("web");
        memory(1, 400, 300, 20, 0, 3);
        String nested = "/sys/fs/cgroup/memory/machine.slice/web/app/worker";
        host.file(nested + "/memory.oom_control", "oom_kill 7\n");
        host.file("/sys/fs/cgroup/memory/machine.slice/web/app/memory.oom_control", "oom_kill 0\n");
        host.file("/sys/fs/cgroup/memory/machine.slice/web/app/tasks", "");
        host.file(nested + "/tasks", "");
        assertThat(kills()).isZero();
        host.file(nested + "/memory.oom_control", "oom_kill 9\n");
        assertThat(kills()).isEqualTo(2);
        Files.move(host.at(nested), host.at(nested).resolveSibling("other"));
        memory(1, 400, 300, 20, 0, 4);
        host.file("/sys/fs/cgroup/memory/machine.slice/web/app/other/memory.oom_control", "oom_kill 1\n");
        assertThat(kills()).as("one of its own, one in a group that is new; what is gone takes nothing away").isEqualTo(2);
        Files.delete(host.at("/sys/fs/cgroup/memory/machine.slice/web/app/other/memory.oom_control"));
        assertThat(kills()).as("a group that is going").isZero();
        host.file("/sys/fs/cgroup/memory/machine.slice/web/app/other/memory.oom_control", "oom_kill 1\n");
        assertThat(kills()).isZero();
    }
}

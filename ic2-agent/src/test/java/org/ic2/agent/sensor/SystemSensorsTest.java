// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** sar, control groups, PSI, scheduler statistics, the accept queue: recorded text, and garbage. */
class SystemSensorsTest {

    private static final Path RECORDED = Path.of("src/test/resources/recorded");
    private static final String UNIFIED = "/sys/fs/cgroup/unified/web/";

    private final AtomicLong nanos = new AtomicLong();
    private final FakeHost host = new FakeHost();

    @Test
    void readsARecordedSarReport() throws IOException {
        SarReport report = new SarReport(24_684_092);
        report.add(Files.readAllLines(RECORDED.resolve("sar.txt")));
        assertThat(report.hasCpu()).isTrue();
        Reading reading = report.take();
        assertThat(reading.get(Metric.CPU_UTIL)).isBetween(0.0, 1.0);
        assertThat(reading.get(Metric.STEAL)).isZero();
        assertThat(reading.get(Metric.MEMORY_IDLE)).isBetween(0.5, 1.0);
        assertThat(reading.values()).containsKeys(Metric.MEMORY_ACTIVE, Metric.PAGE_FAULTS, Metric.DISK_READ,
                Metric.DISK_WRITE, Metric.NETWORK_IN, Metric.NETWORK_OUT, Metric.IO_PRESSURE);
        assertThat(report.hasCpu()).as("a report counts once").isFalse();
    }

    @Test
    void computesFromNamedColumnsAndLeavesTheLoopbackOut() {
        SarReport report = new SarReport(1000);
        report.add(List.of(
                "11:00:00        CPU      %usr  %iowait    %steal     %idle",
                "11:00:01        all     20.00    10.00     30.00     40.00",
                "11:00:00      IFACE   rxkB/s    txkB/s",
                "11:00:01         lo   100.00    100.00",
                "11:00:01       eth0     2.00      1.00",
                "11:00:01       eth1     1.00      0.50",
                "11:00:00    pgpgin/s  majflt/s",
                "11:00:01        0.00     7.00",
                "Average:        all     99.00     0.00     0.00      1.00"));
        Reading reading = report.take();
        assertThat(reading.get(Metric.CPU_UTIL)).isCloseTo(0.5, within(1e-9));
        assertThat(reading.get(Metric.STEAL)).isCloseTo(0.3, within(1e-9));
        assertThat(reading.get(Metric.CPU_USED)).isCloseTo(0.2, within(1e-9));
        assertThat(reading.get(Metric.IO_PRESSURE)).isCloseTo(0.1, within(1e-9));
        assertThat(reading.get(Metric.PAGE_FAULTS)).isEqualTo(7);
        assertThat(reading.get(Metric.NETWORK_IN)).isEqualTo(3 * 1024);
        assertThat(reading.get(Metric.NETWORK_OUT)).isEqualTo(1.5 * 1024);
        assertThat(reading.get(Metric.MEMORY_IDLE)).as("no memory section").isNaN();
    }

    @Test
    void garbageFromSarIsMissing() {
        SarReport report = new SarReport(1000);
        report.add(List.of("", "\u0000", "11:00:01 all", "11:00:01 all x y z", "Cannot open file",
                "11:00:00 CPU %steal %idle", "11:00:01 all nan 1e5"));
        assertThat(report.hasCpu()).isFalse();
        assertThat(report.take().values()).isEmpty();
    }

    @Test
    void aCgroupOfVersion2UnderUnifiedWithVersion1Memory() throws Exception {
        host.files.put("/proc/stat", "cpu  1 2\ncpu0 1 2\ncpu1 1 2\n");
        host.files.put("/proc/meminfo", "MemTotal:       2000 kB\n");
        host.files.put(UNIFIED + "cpu.stat", "usage_usec 1000000\nuser_usec 1\n");
        host.files.put(UNIFIED + "cpu.pressure",
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=9000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
        String memory = "/sys/fs/cgroup/memory/web/";
        host.files.put(memory + "memory.usage_in_bytes", "1024000\n");
        host.files.put(memory + "memory.limit_in_bytes", "9223372036854771712\n");
        host.files.put(memory + "memory.stat", "pgmajfault 1\ntotal_active_anon 102400\ntotal_active_file 102400\n"
                + "total_inactive_file 512000\ntotal_pgmajfault 10\n");
        CgroupSensor sensor = new CgroupSensor(host, CgroupFiles.ROOT, "/sys/fs/cgroup/memory/web", Optional.of(1.0),
                nanos::get);
        assertThat(sensor.read().problem()).get().asString().contains("first reading");

        nanos.addAndGet(1_000_000_000);
        host.files.put(UNIFIED + "cpu.stat", "usage_usec 1500000\n");
        host.files.put(UNIFIED + "cpu.pressure", "some avg10=0 total=10000000\nfull avg10=0 total=400000\n");
        host.files.put(memory + "memory.stat", host.files.get(memory + "memory.stat").replace("pgmajfault 10",
                "pgmajfault 13"));
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.STEAL)).isCloseTo(0.4, within(1e-9));
        assertThat(reading.get(Metric.CPU_UTIL)).as("use and steal").isCloseTo(0.9, within(1e-9));
        assertThat(reading.get(Metric.CPU_USED)).isCloseTo(0.5, within(1e-9));
        assertThat(reading.get(Metric.PAGE_FAULTS)).isCloseTo(3, within(1e-9));
        assertThat(reading.get(Metric.MEMORY_IDLE)).isCloseTo((2048000.0 - 1024000 + 512000) / 2048000, within(1e-9));
        assertThat(reading.get(Metric.MEMORY_ACTIVE)).isCloseTo(0.1, within(1e-9));
        assertThat(reading.problem()).isEmpty();
    }

    private void twoCpus() {
        host.files.put("/proc/stat", "cpu0 1 2\ncpu1 1 2\n");
        host.files.put("/proc/meminfo", "MemTotal:       2000 kB\n");
    }

    @Test
    void aHierarchyItselfIsTheGroupOfAContainer() throws Exception {
        twoCpus();
        host.files.put("/sys/fs/cgroup/unified/cpu.stat", "usage_usec 1000000\n");
        host.files.put("/sys/fs/cgroup/unified/cpu.pressure", "full avg10=0.00 total=0\n");
        host.files.put("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "0\n");
        CgroupSensor sensor = new CgroupSensor(host, CgroupFiles.ROOT, "/sys/fs/cgroup/unified", Optional.empty(), nanos::get);
        sensor.read();
        nanos.addAndGet(1_000_000_000);
        host.files.put("/sys/fs/cgroup/unified/cpu.stat", "usage_usec 1500000\n");
        assertThat(sensor.read().get(Metric.CPU_USED)).as("of the one CPU of its cpuset").isCloseTo(0.5, within(1e-9));
    }

    @Test
    void aCgroupOfVersion1AloneHasNoStealAndSaysSo() throws Exception {
        twoCpus();
        host.files.put("/sys/fs/cgroup/cpu,cpuacct/web/cpuacct.usage", "1000000000");
        host.files.put("/sys/fs/cgroup/cpu,cpuacct/web/cpu.cfs_quota_us", "150000");
        host.files.put("/sys/fs/cgroup/cpu,cpuacct/web/cpu.cfs_period_us", "100000");
        CgroupSensor sensor = new CgroupSensor(host, CgroupFiles.ROOT, "web", Optional.empty(), nanos::get);
        sensor.read();
        nanos.addAndGet(2_000_000_000);
        host.files.put("/sys/fs/cgroup/cpu,cpuacct/web/cpuacct.usage", "2500000000");
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.CPU_UTIL)).as("0.75 of 1.5 CPUs").isCloseTo(0.5, within(1e-9));
        assertThat(reading.get(Metric.CPU_USED)).as("known without steal").isCloseTo(0.5, within(1e-9));
        assertThat(reading.get(Metric.STEAL)).isNaN();
        assertThat(reading.problem()).get().asString().contains("cpu.pressure");
    }

    @Test
    void aRemovedOrUnknownCgroupSaysSo() {
        host.files.put("/proc/meminfo", "MemTotal: 2000 kB\n");
        CgroupSensor sensor = new CgroupSensor(host, CgroupFiles.ROOT, "nowhere", Optional.empty(), nanos::get);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("no control group");
    }

    @Test
    void garbageInCgroupFilesIsAnErrorAndNotAValue() {
        host.files.put("/proc/meminfo", "MemTotal: 2000 kB\n");
        host.files.put("/proc/stat", "cpu0 1\n");
        host.files.put(UNIFIED + "cpu.stat", "nonsense\n");
        CgroupSensor sensor = new CgroupSensor(host, CgroupFiles.ROOT, "web", Optional.empty(), nanos::get);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("usage_usec");
    }

    @Test
    void pressureOfTheMachine() throws Exception {
        psi(0, 0, 0);
        PressureSensor sensor = new PressureSensor(host, "/proc/pressure", nanos::get);
        assertThat(sensor.read().problem()).isPresent();
        nanos.addAndGet(1_000_000_000);
        psi(700_000, 250_000, 100_000);
        Reading reading = sensor.read();
        assertThat(reading.extras().get("cpu_pressure")).isCloseTo(0.7, within(1e-9));
        assertThat(reading.get(Metric.MEMORY_PRESSURE)).isCloseTo(0.25, within(1e-9));
        assertThat(reading.get(Metric.IO_PRESSURE)).isCloseTo(0.1, within(1e-9));
        host.files.put("/proc/pressure/io", "garbage");
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("/proc/pressure/io");
        host.files.clear();
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("psi=1");
    }

    private void psi(long cpu, long memory, long io) {
        host.files.put("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + cpu + "\n");
        host.files.put("/proc/pressure/memory", "some avg10=0.00 total=0\nfull avg10=0.00 total=" + memory + "\n");
        host.files.put("/proc/pressure/io", "some avg10=0.00 total=0\nfull avg10=0.00 total=" + io + "\n");
    }

    @Test
    void runDelayOfAProcessAndItsChildren() throws Exception {
        host.files.put("/run/php-fpm.pid", "42\n");
        host.files.put("/proc/42/task/42/children", "43 44 ");
        host.files.put("/proc/42/schedstat", "0 0 1\n");
        host.files.put("/proc/43/schedstat", "1000 5000 1\n");
        host.files.put("/proc/44/schedstat", "1000 5000 1\n");
        RunDelaySensor sensor = new RunDelaySensor(host, Optional.of("/run/php-fpm.pid"), nanos::get);
        assertThat(sensor.read().values()).isEmpty();
        nanos.addAndGet(1_000_000_000);
        host.files.put("/proc/43/schedstat", "200001000 100005000 1\n");
        host.files.remove("/proc/44/schedstat");
        assertThat(sensor.read().get(Metric.RUN_DELAY)).as("a child that ended counts no more")
                .isCloseTo(1.0 / 3, within(1e-9));
    }

    /** Milliseconds per second that were run and waited, recorded in nine quiet seconds of a loaded tier. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        // httpd's children, of which the kernel shows the main threads: 0, 0.99, 0.19, 0, 0.45 and so on
        "true  | 0.04 0.00, 0.03 4.03, 0.09 0.02, 0.04 0.00, 0.07 0.05, 0.04 0.00, 0.05 0.00, 0.03 0.48, 0.06 0.00",
        // php-fpm's children, which do the work, at the same time
        "false | 292 609, 697 1382, 155 133, 285 598, 144 136, 141 106, 176 228, 276 547, 323 455",
    })
    void runDelayIsMissingWhereAWakeUpWouldDecide(boolean missing, String sequence) throws Exception {
        host.files.put("/run/server.pid", "42\n");
        host.files.put("/proc/42/task/42/children", "43 ");
        host.files.put("/proc/42/schedstat", "0 0 1\n");
        RunDelaySensor sensor = new RunDelaySensor(host, Optional.of("/run/server.pid"), nanos::get);
        long ran = 7_000_000;
        long waited = 3_000_000;
        host.files.put("/proc/43/schedstat", ran + " " + waited + " 1\n");
        sensor.read();
        for (String second : sequence.split(", ")) {
            nanos.addAndGet(1_000_000_000);
            ran += Math.round(Double.parseDouble(second.split(" ")[0]) * 1e6);
            waited += Math.round(Double.parseDouble(second.split(" ")[1]) * 1e6);
            host.files.put("/proc/43/schedstat", ran + " " + waited + " 9\n");
            Reading reading = sensor.read();
            if (missing) {
                assertThat(reading.values()).isEmpty();
                assertThat(reading.problem()).get().asString().contains("ms per second").contains("php-fpm");
            } else {
                assertThat(reading.get(Metric.RUN_DELAY)).isBetween(0.4, 0.7);
            }
        }
    }

    @Test
    void runDelayOfADeadServerOrAGarbledPidFile() throws Exception {
        RunDelaySensor sensor = new RunDelaySensor(host, Optional.of("/run/server.pid"), nanos::get);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("/run/server.pid");
        host.files.put("/run/server.pid", "42\n");
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("42 is not running");
        host.files.put("/run/server.pid", "../1\n");
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("expected a process id");
    }

    @Test
    void runDelayOfAllCpusAndAKernelWithoutIt() throws Exception {
        RunDelaySensor sensor = new RunDelaySensor(host, Optional.empty(), nanos::get);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("/proc/schedstat");
        host.files.put("/proc/schedstat", "version 15\ncpu0 0 0 0 0 0 0 100 50 3\ndomain0 3\n");
        sensor.read();
        nanos.addAndGet(1_000_000_000);
        host.files.put("/proc/schedstat", "version 15\ncpu0 0 0 0 0 0 0 300000100 100000050 3\n");
        assertThat(sensor.read().get(Metric.RUN_DELAY)).isCloseTo(0.25, within(1e-9));
        nanos.addAndGet(1_000_000_000);
        assertThat(sensor.read().problem()).as("an idle machine").get().asString().contains("too little");
    }

    @Test
    void acceptQueueOfAServerThatStartsMovesAndStops() throws Exception {
        String header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
        String other = "   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n";
        String ours = "   1: 00000000:0050 00000000:0000 0A 00000000:00000004 00:00000000 00000000     0\n";
        String connection = "   2: 00000000:0050 00000000:D001 01 00000000:00000000 00:00000000 00000000     0\n";
        AcceptQueueSensor sensor = new AcceptQueueSensor(host, Optional.empty(), 80);
        host.files.put("/proc/net/tcp", header + other + connection);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("port 80");
        host.files.put("/proc/net/tcp", header + other + ours + connection);
        assertThat(sensor.read().get(Metric.ACCEPT_QUEUE)).isEqualTo(4);
        host.files.put("/proc/net/tcp", header + ours.replace("00000004", "00000007") + other + connection);
        assertThat(sensor.read().get(Metric.ACCEPT_QUEUE)).as("its line moved").isEqualTo(7);
        host.files.put("/proc/net/tcp", header + other + other + other + ours + connection);
        assertThat(sensor.read().get(Metric.ACCEPT_QUEUE)).as("and moved back, beyond what was asked for").isEqualTo(4);
        host.files.put("/proc/net/tcp", header + other + connection);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("httpd running");
    }

    @Test
    void acceptQueueOfAllListenersOfAPort() throws IOException {
        String header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
        String table = header
                + "   0: 00000000:0050 00000000:0000 0A 00000000:0000001F 00:00000000 00000000     0        0 1\n"
                + "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000002 00:00000000 00000000     0        0 1\n"
                + "   2: 0200007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 1\n"
                + "   3: 0100007F:1F90 0100007F:D001 01 00000000:00000FFF 00:00000000 00000000     0        0 1\n";
        assertThat(AcceptQueueSensor.queueLength(table, 80)).hasValue(31);
        assertThat(AcceptQueueSensor.queueLength(table, 8080)).as("a connection's bytes are no queue").hasValue(5);
        assertThat(AcceptQueueSensor.queueLength(table, 81)).isEmpty();
        assertThat(AcceptQueueSensor.queueLength("garbage\n: : : :\n   0: xx:yy z 0A q:r\n", 80)).isEmpty();
        assertThat(AcceptQueueSensor.queueLength(Files.readString(RECORDED.resolve("proc-net-tcp.txt")), 2024))
                .hasValue(0);
    }
}

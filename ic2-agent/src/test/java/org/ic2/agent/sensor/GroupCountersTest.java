// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters of a real control group: software events everywhere, the processor's where the machine shows them. */
class GroupCountersTest {
    private static final String COUNTERS = Path.of("target/ic2-counters").toAbsolutePath().toString();
    private static final String PROBE = Path.of("target/ic2-memlat").toAbsolutePath().toString();

    private final AtomicLong nanos = new AtomicLong();
    private final LocalHost host = new LocalHost();

    /** The next whole set of counts. */
    private static List<String> next(LineSource lines, int events) throws Exception {
        List<String> got = new ArrayList<>();
        Waiting.until(events + " counts", () -> got.addAll(lines.drain(Duration.ofSeconds(1))) && got.size() >= events);
        return got;
    }

    @Test
    void onlyProcessesOfTheGroupAreCounted() throws Exception {
        try (RealGroup group = new RealGroup()) {
            group.start("sh", "-c", "while :; do :; done");
            try (LineSource lines = host.follow(List.of(COUNTERS, group.directory().toString(), "50", "cpu-clock", "task-clock",
                    "context-switches"))) {
                assertThat(next(lines, 3)).as("nobody is in it").allMatch(line -> line.startsWith("<not counted>,,"));
                group.burn();
                Waiting.until("counts", () -> lines.drain(Duration.ofSeconds(1)).stream()
                        .anyMatch(line -> line.matches("[1-9]\\d*,,task-clock,\\d+,100.00,,")));
                // in an interval in which the machine lets none of it run there is nothing to count
                Waiting.until("a whole set", () -> next(lines, 3).stream()
                        .allMatch(line -> line.matches("\\d+,,(cpu-clock|task-clock|context-switches),\\d+,100.00,,")));
            }
        }
    }

    @Test
    void aGroupThatVanishesIsNoticedAndCountedAgainWhenItComesBack() throws Exception {
        try (RealGroup group = new RealGroup(); CounterSensor sensor = sensor(group)) {
            group.burn();
            Waiting.until("counts", () -> counts(sensor));
            group.remove();
            Waiting.until("its end", () -> problem(sensor).contains("the control group is gone"));
            nanos.addAndGet(Duration.ofSeconds(6).toNanos());
            assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("no control group \"" + group.name);
            group.makeAgain();
            group.burn();
            nanos.addAndGet(Duration.ofSeconds(6).toNanos());
            Waiting.until("counts of the new one", () -> counts(sensor));
        }
    }

    @Test
    void aCounterThatDiesIsStartedAgain() throws Exception {
        try (RealGroup group = new RealGroup(); CounterSensor sensor = sensor(group)) {
            group.burn();
            Waiting.until("counts", () -> counts(sensor));
            counters().forEach(ProcessHandle::destroyForcibly);
            Waiting.until("its end", () -> problem(sensor).contains("ended"));
            nanos.addAndGet(Duration.ofSeconds(6).toNanos());
            Waiting.until("counts again", () -> counts(sensor));
        }
        Waiting.until("the end of what it has started", () -> counters().isEmpty());
    }

    private static List<ProcessHandle> counters() {
        return ProcessHandle.current().descendants().filter(one -> one.info().command().orElse("").equals(COUNTERS)).toList();
    }

    /** Hardware counters where there are some; elsewhere one line that says so. */
    @Test
    void theProcessorsCountersOrThatThereAreNone() throws Exception {
        try (RealGroup group = new RealGroup(); CounterSensor sensor = sensor(group)) {
            group.burn();
            Waiting.until("counts", () -> counts(sensor));
            Reading[] last = new Reading[1];
            Waiting.until("a whole reading", () -> {
                last[0] = sensor.read();
                return last[0].values().containsKey(Metric.CPI) || last[0].problem().orElse("").contains("PMU");
            });
            if (last[0].values().containsKey(Metric.CPI)) {
                assertThat(last[0].get(Metric.CPI)).isBetween(0.05, 100.0);
                System.out.println("hardware counters of a control group: " + last[0].values());
            } else {
                assertThat(last[0].values()).isEmpty();
                System.out.println("no hardware counters on this machine, so none of a control group were tested: "
                        + last[0].problem().orElseThrow());
            }
        }
    }

    private CounterSensor sensor(RealGroup group) {
        return new CounterSensor(host, new CounterTarget.Group(RealGroup.ROOT, group.name), directory -> List.of(COUNTERS, directory,
                "50", "cycles", "instructions", "cache-references", "cache-misses"), nanos::get);
    }

    /** Whether the program has printed its counts, be they supported or not. */
    private static boolean counts(CounterSensor sensor) throws Exception {
        Reading reading = sensor.read();
        return reading.values().containsKey(Metric.CPI) || reading.problem().orElse("").contains("support");
    }

    private static String problem(CounterSensor sensor) throws Exception {
        try {
            return sensor.read().problem().orElse("");
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    @Test
    void missingPermissionToCountIsNamed() throws Exception {
        assumeTrue(Integer.parseInt(Files.readString(Path.of("/proc/sys/kernel/perf_event_paranoid")).strip()) > 0);
        try (RealGroup group = new RealGroup()) {
            Process process = group.start("setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all", COUNTERS,
                    group.directory().toString(), "50", "cpu-clock");
            assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains("CAP_PERFMON");
            assertThat(process.waitFor()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "2 | usage                                | /tmp",
        "2 | usage                                | /tmp 5 cycles",
        "2 | usage                                | /tmp x cycles",
        "2 | no such event; there are cycles      | /tmp 100 cycles nonsense",
        "3 | No such file                         | /sys/fs/cgroup/ic2-no-such-group 100 cycles",
        "1 | Not a directory                      | /proc/self/stat 100 cycles",
        "1 | not of the hierarchy                 | /tmp 100 cpu-clock",
    })
    void nonsenseIsRefusedInOneLine(int status, String expected, String arguments) throws Exception {
        assumeTrue(Files.isWritable(Path.of("/proc/sys/kernel/perf_event_paranoid")), "needs root");
        List<String> command = new ArrayList<>(List.of(COUNTERS));
        command.addAll(List.of(arguments.split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains(expected).hasLineCount(1);
        assertThat(process.waitFor()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "/g/web/cgroup.procs,                                             web,              /g/web",
        "/g/unified/web/cgroup.procs,                                     web,              /g/unified/web",
        "/g/unified/web/cgroup.procs,                                     /g/cpu/web,       /g/unified/web",
        "/g/perf_event/cgroup.procs /g/perf_event/web/cgroup.procs,       /g/unified/web,   /g/perf_event/web",
        "/elsewhere/web/cgroup.procs,                                     /elsewhere/web,   /elsewhere/web",
    })
    void theGroupIsFoundInTheHierarchyByWhichTheMachineCounts(String files, String path, String expected) throws Exception {
        FakeHost fake = new FakeHost();
        List.of(files.split(" ")).forEach(file -> fake.files.put(file, "17\n"));
        assertThat(new CounterTarget.Group("/g/", path).find(fake)).isEqualTo(expected);
    }

    @Test
    void aGroupOfAnotherHierarchyThanTheCountersIsExplained() {
        FakeHost fake = new FakeHost();
        fake.files.put("/g/perf_event/cgroup.procs", "");
        fake.files.put("/g/unified/web/cgroup.procs", "17\n");
        assertThatThrownBy(() -> new CounterTarget.Group("/g/", "web").find(fake)).hasMessageContaining("under /g/perf_event, by which");
    }

    @Test
    void theMemoryProbeRunsInsideTheGroupAndIsBackAfterIt() throws Exception {
        try (RealGroup group = new RealGroup(); MemoryLatencySensor sensor = new MemoryLatencySensor(host,
                InsideGroup.command(RealGroup.ROOT, group.name, List.of(PROBE, "64", "100", "100")), nanos::get)) {
            Waiting.until("a figure", () -> sensor.read().values().containsKey(Metric.MEMORY_LATENCY));
            assertThat(group.members()).singleElement().satisfies(pid -> assertThat(ProcessHandle.of(Long.parseLong(pid)).orElseThrow()
                    .info().command()).contains(PROBE));
            group.remove();
            Waiting.until("its end", () -> missing(sensor).contains("no control group \"" + group.name));
            group.makeAgain();
            Waiting.until("a figure again", () -> missing(sensor).isEmpty() && !group.members().isEmpty());
        }
    }

    private static String missing(MemoryLatencySensor sensor) throws Exception {
        try {
            return sensor.read().problem().orElse("");
        } catch (IOException e) {
            return e.getMessage();
        }
    }
}

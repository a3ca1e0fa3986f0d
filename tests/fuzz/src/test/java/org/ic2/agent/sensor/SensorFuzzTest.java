// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.LoadAverageSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/** What sensors read: figures that are finite and not negative, or words for why there are none. */
class SensorFuzzTest {

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<String> lines(byte[] bytes) {
        return text(bytes).lines().limit(2000).toList();
    }

    private interface Parser {
        Reading read() throws IOException, InterruptedException;
    }

    private static void check(Parser parser) throws InterruptedException {
        try {
            Reading reading = parser.read();
            assertThat(reading.values().values()).allMatch(value -> value >= 0 && Double.isFinite(value));
            assertThat(reading.extras().values()).allMatch(value -> value >= 0 && Double.isFinite(value));
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @FuzzTest
    void statusPage(byte[] bytes) throws InterruptedException {
        check(() -> {
            ServerStatus status = ServerStatus.parse(text(bytes));
            return Reading.builder().extra("waiting", status.keepAliveWorkers())
                    .extra("accesses", status.number("Total Accesses").orElse(0))
                    .extra("workers", status.online() ? status.integer("MaxRequestWorkers").getAsInt() : 0).build();
        });
    }

    @FuzzTest
    void phpStatus(byte[] bytes) throws InterruptedException {
        check(() -> PhpFpmSensor.parse(text(bytes)));
    }

    @FuzzTest
    void faban(byte[] bytes) throws InterruptedException {
        check(() -> FabanSensor.combine(lines(bytes), 0.001, Optional.empty(), new HashMap<>()));
    }

    /** The first line is the format. */
    @FuzzTest
    void accessLog(byte[] bytes) {
        List<String> lines = lines(bytes);
        try {
            LogFormat format = LogFormat.parse(lines.isEmpty() ? "" : lines.get(0));
            lines.stream().skip(1).flatMap(line -> format.match(line).stream()).forEach(entry -> {
                assertThat(entry.seconds()).isBetween(0.0, 1e15);
                assertThat(entry.status()).isBetween(0, 999);
            });
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).startsWith("expected a LogFormat");
        }
    }

    @FuzzTest
    void sar(byte[] bytes) throws InterruptedException {
        SarReport report = new SarReport(1e6);
        report.add(lines(bytes));
        check(report::take);
    }

    @FuzzTest
    void counters(byte[] bytes) throws InterruptedException {
        CounterLines counters = new CounterLines();
        lines(bytes).forEach(counters::add);
        check(counters::reading);
    }

    @FuzzTest
    void memoryLatency(byte[] bytes) throws InterruptedException {
        List<String> lines = lines(bytes);
        check(() -> lines.isEmpty() ? Reading.missing("nothing") : MemoryLatencySensor.parse(lines));
    }

    @FuzzTest
    void listenQueue(byte[] bytes) {
        String table = text(bytes);
        for (int port : new int[] {80, 8080, 0x1F90}) {
            assertThat(AcceptQueueSensor.queueLength(table, port).orElse(0)).isNotNegative();
            assertThat(AcceptQueueSensor.endOfListener(table, port)).isBetween(0, table.length());
        }
    }

    @FuzzTest
    void hostNotice(byte[] bytes) throws InterruptedException {
        HostNoticeSensor sensor = new HostNoticeSensor(new SameEverywhere(text(bytes)),
                new HostNoticeSensor.Source(Optional.of("/notice"), Optional.empty()), Duration.ofSeconds(3), () -> 0);
        check(sensor::read);
        check(sensor::read);
    }

    /** Every file of the machine holds the same. */
    @FuzzTest
    void filesOfTheKernel(byte[] bytes) throws InterruptedException {
        Host host = new SameEverywhere(text(bytes));
        AtomicLong nanos = new AtomicLong();
        for (Sensor sensor : List.of(new LoadAverageSensor(host), new PressureSensor(host, "/proc/pressure", nanos::get),
                new RunDelaySensor(host, Optional.empty(), nanos::get), new RunDelaySensor(host, Optional.of("/pid"), nanos::get),
                new CgroupSensor(host, "/sys/fs/cgroup/", "web", Optional.empty(), nanos::get),
                new AcceptQueueSensor(host, Optional.of("/pid"), 80))) {
            for (int i = 0; i < 2; i++) {
                nanos.addAndGet(1_000_000_000L);
                check(sensor::read);
            }
        }
    }

    private record SameEverywhere(String text) implements Host {
        @Override
        public String name() {
            return "same";
        }

        @Override
        public String read(String path) {
            return text;
        }

        @Override
        public String head(String path, int bytes) {
            return text.substring(0, Math.min(bytes, text.length()));
        }

        @Override
        public void replace(String path, String fresh) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(String path, String fresh) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> list(String directory) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long inode(String path) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CommandResult run(List<String> command, Duration deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public LineSource follow(List<String> command) {
            throw new UnsupportedOperationException();
        }

        @Override
        public LineSource tail(String path) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketChannel connect(Endpoint endpoint) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // holds nothing
        }
    }
}

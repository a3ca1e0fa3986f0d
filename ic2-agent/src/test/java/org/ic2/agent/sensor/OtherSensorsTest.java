// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters, access log, php-fpm, memory latency, load average, and the deadline around every sensor. */
class OtherSensorsTest {

    private static final Path RECORDED = Path.of("src/test/resources/recorded");

    private final AtomicLong nanos = new AtomicLong();
    private final FakeHost host = new FakeHost();

    @Test
    void perfCsvWithAndWithoutTheTimeColumn() {
        Reading reading = counters(
                "     1.000123456,2000000,,cycles,1000000,100.00,,",
                "     1.000123456,1000000,,instructions:u,1000000,100.00,0.50,insn per cycle",
                "4000,,cache-references,1000000,100.00,,",
                "600,,cache-misses,1000000,100.00,15.000,of all cache refs");
        assertThat(reading.get(Metric.CPI)).isCloseTo(2, within(1e-9));
        assertThat(reading.get(Metric.CMR)).isCloseTo(0.15, within(1e-9));
        assertThat(reading.problem()).isEmpty();
    }

    @Test
    void perfJson() {
        Reading reading = counters(
                "{\"interval\" : 1.001, \"counter-value\" : \"3000.000000\", \"unit\" : \"\", \"event\" : \"cycles\"}",
                "{\"interval\" : 1.001, \"counter-value\" : \"1500.000000\", \"unit\" : \"\", \"event\" : \"instructions\"}",
                "{\"counter-value\" : \"<not counted>\", \"event\" : \"cache-misses\"}");
        assertThat(reading.get(Metric.CPI)).isCloseTo(2, within(1e-9));
        assertThat(reading.get(Metric.CMR)).isNaN();
        assertThat(reading.problem()).get().asString().contains("cache-misses not counted in this interval");
    }

    @ParameterizedTest
    @ValueSource(strings = {"perf-unsupported.csv", "perf-unsupported.json"})
    void notSupportedIsMissing(String file) throws IOException {
        Reading reading = counters(Files.readAllLines(RECORDED.resolve(file)).toArray(String[]::new));
        assertThat(reading.values()).isEmpty();
        assertThat(reading.problem()).get().asString().startsWith("this machine shows no hardware counters (PMU): ")
                .contains("no cmr and no cpi").contains("steal, run delay").doesNotContain("\n");
    }

    @Test
    void ocountBriefFormat() {
        Reading reading = counters("CPU_CLK_UNHALTED,4000,100.00", "INST_RETIRED,1000,100.00", "LLC_REFS,100,49.90",
                "LLC_MISSES,25,49.90");
        assertThat(reading.get(Metric.CPI)).isCloseTo(4, within(1e-9));
        assertThat(reading.get(Metric.CMR)).isCloseTo(0.25, within(1e-9));
    }

    @Test
    void garbageFromCountersIsMissing() {
        Reading reading = counters("", "perf: command not found", ",,,", "a,b,c,d,e", "600,,cache-misses,1,100.00,,",
                "3,,cache-references,1,100.00,,");
        assertThat(reading.values()).as("more misses than references").isEmpty();
    }

    @Test
    void countersWithStrangeNamesMakeNoLongMessage() {
        Reading reading = counters(IntStream.range(0, 1000).mapToObj(i -> "<not supported>,," + "x y".repeat(1000) + i + ",0,100.00,,")
                .toArray(String[]::new));
        assertThat(reading.problem().orElseThrow()).contains("a counter not supported").hasSizeLessThan(400);
        assertThat(counters(IntStream.range(0, 1000).mapToObj(i -> "<not counted>,,event" + i + ",0,100.00,,").toArray(String[]::new))
                .problem().orElseThrow()).hasSizeLessThan(400);
    }

    @Test
    void countersFollowTheProcessOfThePidFile() throws Exception {
        CounterSensor sensor = new CounterSensor(host, new CounterTarget.PidFile("/run/vm.pid"),
                pid -> List.of("perf", "-p", pid), nanos::get);
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("/run/vm.pid");
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        host.files.put("/run/vm.pid", "17\n");
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("17 is not running");
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        host.files.put("/proc/17/stat", "17 (qemu)");
        host.files.put("/proc/18/stat", "18 (qemu)");
        host.lines.addAll(List.of("2,,cycles,1,100.00,,", "1,,instructions,1,100.00,,"));
        assertThat(sensor.read().get(Metric.CPI)).isEqualTo(2);
        host.lines.add("GONE");
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class);
        host.files.put("/run/vm.pid", "18\n");
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        sensor.read();
        assertThat(host.followed).containsExactly(List.of("perf", "-p", "17"), List.of("perf", "-p", "18"));
    }

    private static Reading counters(String... lines) {
        CounterLines counters = new CounterLines();
        for (String line : lines) {
            counters.add(line);
        }
        return counters.reading();
    }

    @Test
    void accessLogPercentilesFailuresAndRecordedLines() throws Exception {
        AccessLogSensor sensor = new AccessLogSensor(host, "x",
                LogFormat.parse("%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D"), RequestFilter.all(),
                nanos::get);
        assertThat(sensor.read().problem()).get().asString().contains("first reading");
        nanos.addAndGet(2_000_000_000L);
        host.lines.addAll(Files.readAllLines(RECORDED.resolve("access.log")));
        Reading recorded = sensor.read();
        assertThat(recorded.get(Metric.THROUGHPUT)).isEqualTo(1.5);
        assertThat(recorded.get(Metric.RESPONSE_TIME)).isCloseTo((862 + 152 + 157) / 3.0 * 1e-6, within(1e-9));
        nanos.addAndGet(1_000_000_000L);
        for (int i = 1; i <= 100; i++) {
            host.lines.add("::1 - - [20/Nov/2026:11:38:25 +0000] \"GET /a?q=\\\"x\\\" HTTP/1.1\" 200 - \"-\" \"a b\" "
                    + i * 1000);
        }
        host.lines.add("::1 - - [20/Nov/2026:11:38:25 +0000] \"GET / HTTP/1.1\" 503 - \"-\" \"a\" 9000000");
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.THROUGHPUT)).isEqualTo(100);
        assertThat(reading.get(Metric.ERROR_RATE)).isEqualTo(1);
        assertThat(reading.get(Metric.RESPONSE_TIME_P95)).isCloseTo(0.095, within(1e-9));
        assertThat(reading.get(Metric.RESPONSE_TIME)).isCloseTo(0.0505, within(1e-9));
        assertThat(reading.get(Metric.REQUESTS)).isEqualTo(100);
    }

    @Test
    void accessLogOfAnotherFormatSaysSo() throws Exception {
        AccessLogSensor sensor = new AccessLogSensor(host, "x", LogFormat.parse("%>s %{ms}T"), RequestFilter.all(),
                nanos::get);
        sensor.read();
        nanos.addAndGet(1_000_000_000L);
        host.lines.add("something else");
        assertThat(sensor.read().problem()).get().asString().contains("something else");
        nanos.addAndGet(1_000_000_000L);
        host.lines.addAll(List.of("200 1500", "\u0000"));
        Reading half = sensor.read();
        assertThat(half.get(Metric.RESPONSE_TIME)).isCloseTo(1.5, within(1e-9));
        assertThat(half.problem()).get().asString().contains("1 of 2");
        assertThatThrownBy(() -> LogFormat.parse("%h %>s")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("%D");
    }

    @Test
    void phpFpmStatusAsRecorded(@TempDir Path directory) throws Exception {
        byte[] answer = Files.readAllBytes(RECORDED.resolve("php-fpm-answer.bin"));
        Path socket = directory.resolve("status.sock");
        try (ServerSocketChannel server = answering(socket, answer)) {
            Reading reading = new PhpFpmSensor(new LocalHost(), new Endpoint.Unix(socket.toString()), "/status").read();
            assertThat(reading.extras()).containsEntry("php_active", 0.0).containsEntry("php_processes", 3.0);
            assertThat(reading.get(Metric.PHP)).as("a static pool").isEqualTo(3);
            assertThat(server.isOpen()).isTrue();
        }
        try (ServerSocketChannel server = answering(socket, "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes())) {
            PhpFpmSensor sensor = new PhpFpmSensor(new LocalHost(), new Endpoint.Unix(socket.toString()), "/status");
            assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("FastCGI");
            assertThat(server.isOpen()).isTrue();
        }
        assertThatThrownBy(() -> PhpFpmSensor.parse("<html>")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> PhpFpmSensor.parse("active processes: many\n")).isInstanceOf(IOException.class)
                .hasMessageContaining("many");
    }

    /** A server that reads a little and then answers one connection with these bytes. */
    private static ServerSocketChannel answering(Path socket, byte[] answer) throws IOException {
        Files.deleteIfExists(socket);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread thread = new Thread(() -> {
            try (SocketChannel client = server.accept()) {
                client.read(ByteBuffer.allocate(4096));
                client.write(ByteBuffer.wrap(answer));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    @Test
    void memoryLatencyAndItsGarbage() {
        assertThat(MemoryLatencySensor.parse(List.of("17.3", "122.9")).get(Metric.MEMORY_LATENCY)).isEqualTo(122.9);
        assertThat(MemoryLatencySensor.parse(List.of("no memory")).problem()).get().asString().contains("no memory");
        assertThat(MemoryLatencySensor.parse(List.of("9999999.0")).values()).isEmpty();
    }

    @Test
    void memoryLatencyHoldsUntilTheNextFigureButNotForEver() throws Exception {
        MemoryLatencySensor sensor = new MemoryLatencySensor(host, List.of("ic2-memlat"), nanos::get);
        assertThat(sensor.read().problem()).get().asString().contains("nothing yet");
        host.lines.add("21.3");
        assertThat(sensor.read().get(Metric.MEMORY_LATENCY)).isEqualTo(21.3);
        nanos.addAndGet(MemoryLatencySensor.HOLDS.toNanos());
        assertThat(sensor.read().get(Metric.MEMORY_LATENCY)).isEqualTo(21.3);
        nanos.incrementAndGet();
        assertThat(sensor.read().problem()).get().asString().contains("nothing for 15 s");
        host.lines.add("141.8");
        assertThat(sensor.read().get(Metric.MEMORY_LATENCY)).isEqualTo(141.8);
        host.lines.add("garbage");
        assertThat(sensor.read().values()).isEmpty();
    }

    @Test
    void aSensorThatHangsIsMissingAtItsDeadlineAndWorksAgainLater() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Sensor hanging = new Sensor() {
            @Override
            public String name() {
                return "hanging";
            }

            @Override
            public Reading read() {
                while (release.getCount() > 0) {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        continue;   // as a native call that nothing can interrupt
                    }
                }
                return Reading.builder().extra("works", 1).build();
            }
        };
        try (DeadlineSensor sensor = new DeadlineSensor("web.x", hanging)) {
            long start = System.nanoTime();
            assertThat(sensor.readWithin(Duration.ofMillis(50)).problem()).get().asString().contains("deadline");
            assertThat(sensor.readWithin(Duration.ofMillis(50)).problem()).isPresent();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
            release.countDown();
            Optional<String> problem = Optional.of("still hanging");
            for (int i = 0; i < 100 && problem.isPresent(); i++) {
                problem = sensor.readWithin(Duration.ofSeconds(1)).problem();
            }
            assertThat(problem).isEmpty();
        }
    }

    @Test
    void aSensorThatThrowsIsMissingWithTheReason() throws Exception {
        Sensor broken = new Sensor() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public Reading read() {
                throw new IllegalStateException("absurd answer");
            }
        };
        try (DeadlineSensor sensor = new DeadlineSensor("web.x", broken)) {
            assertThat(sensor.readWithin(Duration.ofSeconds(20)).problem()).get().asString().contains("absurd answer");
        }
    }
}

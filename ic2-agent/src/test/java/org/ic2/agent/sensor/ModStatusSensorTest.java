// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** mod_status as httpd prints it, through a real socket. */
class ModStatusSensorTest {

    private static final Path RECORDED = Path.of("src/test/resources/recorded");

    private final AtomicLong nanos = new AtomicLong();
    private volatile String page;
    private volatile int status = 200;
    private HttpServer server;
    private ModStatusSensor sensor;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        page = Files.readString(RECORDED.resolve("mod-status-online.txt"));
        sensor = new ModStatusSensor(new HttpGet(new LocalHost(),
                "http://127.0.0.1:" + server.getAddress().getPort() + "/server-status?auto"), "MITIGATION",
                nanos::get);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void readsRunningValuesOfHttpdOnlineAtOnceAndRatesWithTheSecondReading() throws Exception {
        Reading first = sensor.read();
        assertThat(first.get(Metric.MXC)).isEqualTo(400);
        assertThat(first.get(Metric.KAT)).isEqualTo(15);
        assertThat(first.get(Metric.MITIGATION)).isEqualTo(2);
        assertThat(first.extras()).containsEntry("reconfigurations", 3.0).containsEntry("reconfigure_pending", 0.0);
        assertThat(first.get(Metric.THROUGHPUT)).isNaN();
        assertThat(first.problem()).isPresent();

        after(2, 1203 + 201, 90210 + 20_000);
        Reading second = sensor.read();
        assertThat(second.get(Metric.REQUESTS)).as("without the status request itself").isEqualTo(200);
        assertThat(second.get(Metric.THROUGHPUT)).isEqualTo(100);
        assertThat(second.get(Metric.RESPONSE_TIME)).isCloseTo(0.1, within(1e-9));
        assertThat(second.get(Metric.BUSY_WORKERS)).isEqualTo(12);
        assertThat(second.get(Metric.IDLE_WORKERS)).isEqualTo(7);
        assertThat(second.problem()).isEmpty();
    }

    @Test
    void aRestartOfHttpdIsNoNegativeThroughput() throws Exception {
        sensor.read();
        after(1, 5, 3);
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.THROUGHPUT)).isNaN();
        assertThat(reading.problem()).get().asString().contains("restarted");
        after(1, 16, 3);
        assertThat(sensor.read().get(Metric.THROUGHPUT)).isEqualTo(10);
    }

    /** Most who ask are refused in no time: that is no short response time, and no throughput. */
    @Test
    void refusedRequestsAreInNoOtherFigure() throws Exception {
        away(1000, 50);
        sensor.read();
        after(2, 1203 + 1001, 90_210 + 21_000);
        away(1000 + 800, 50 + 1000);
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.REQUESTS)).isEqualTo(200);
        assertThat(reading.get(Metric.THROUGHPUT)).isEqualTo(100);
        assertThat(reading.get(Metric.RESPONSE_TIME)).isCloseTo(0.1, within(1e-9));
        assertThat(reading.get(Metric.TURNED_AWAY)).isEqualTo(400);
        after(1, 1203 + 1001 + 101, 90_210 + 22_000);
        away(3, 7);     // another build of mod_standby counts anew
        assertThat(sensor.read().get(Metric.THROUGHPUT)).isEqualTo(100);
        after(1, 1203 + 1001 + 151, 90_210 + 22_001);
        away(1003, 1_000_000);
        assertThat(sensor.read().values()).as("more than all were turned away").containsEntry(Metric.THROUGHPUT, 0.0)
                .doesNotContainKey(Metric.RESPONSE_TIME);
    }

    private void away(int count, int millis) {
        page = page.replaceAll("(?m)^StandbyTurnedAway.*\n", "") + "StandbyTurnedAway: " + count + "\nStandbyTurnedAwayDuration: "
                + millis + "\n";
    }

    @Test
    void anIdleServerHasThroughputZeroAndNoResponseTime() throws Exception {
        sensor.read();
        after(1, 1204, 90211);
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.THROUGHPUT)).isZero();
        assertThat(reading.get(Metric.RESPONSE_TIME)).isNaN();
    }

    @Test
    void anUnpatchedServerHasNoRunningValues() throws Exception {
        page = Files.readString(RECORDED.resolve("mod-status-stock.txt"));
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.MXC)).isNaN();
        assertThat(reading.get(Metric.IDLE_WORKERS)).isEqualTo(74);
        assertThat(ServerStatus.parse(page).online()).isFalse();
    }

    @Test
    void extendedStatusOffIsNamed() throws Exception {
        page = page.replaceAll("(?m)^Total (Accesses|Duration).*\n", "");
        assertThat(sensor.read().problem()).get().asString().contains("ExtendedStatus On");
    }

    @Test
    void garbageAndErrorsSayWhatCame() {
        page = "<html><h1>Apache Server Status</h1>";
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("?auto");
        status = 403;
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining("403");
    }

    @Test
    void absurdNumbersAreMissing() throws Exception {
        page = page.replaceAll("BusyWorkers: .*", "BusyWorkers: 99999999999999999999").replaceAll(
                "MaxRequestWorkers: .*", "MaxRequestWorkers: -5").replaceAll("KeepAliveTimeoutMs: .*",
                "KeepAliveTimeoutMs: abc").replaceAll("MITIGATION=2", "MITIGATION=two");
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.BUSY_WORKERS)).isNaN();
        assertThat(reading.get(Metric.MXC)).isNaN();
        assertThat(reading.get(Metric.KAT)).isNaN();
        assertThat(reading.get(Metric.MITIGATION)).isNaN();
    }

    @Test
    void findsTheThinkTimeBehindTheHeldThreads() {
        double held = 1.0 * (1 - Math.exp(-4.0));
        assertThat(ModStatusSensor.thinkTime(held, 4)).isCloseTo(1.0, within(1e-3));
        assertThat(ModStatusSensor.thinkTime(3.9, 4)).as("the timeout cuts nearly all").isNaN();
        assertThat(ModStatusSensor.thinkTime(0, 4)).isNaN();
    }

    private void after(int seconds, int accesses, int durationMillis) {
        nanos.addAndGet(seconds * 1_000_000_000L);
        page = page.replaceAll("Total Accesses: .*", "Total Accesses: " + accesses)
                .replaceAll("Total Duration: .*", "Total Duration: " + durationMillis);
    }
}

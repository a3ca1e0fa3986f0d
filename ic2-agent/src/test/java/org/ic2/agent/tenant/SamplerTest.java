// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.TurnInterval;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many readings, one sample. */
class SamplerTest {

    private static final int WAITING = 3;
    private static final int TRIES = 20;

    @TempDir
    private Path directory;

    @Test
    void theWaitInTheKernelsQueueIsPartOfTheResponseTime() throws Exception {
        unlessHeldUp(() -> {
            List<Socket> clients = new ArrayList<>();
            try (FakeHttpd httpd = new FakeHttpd(directory);
                    ServerSocket crowded = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
                for (int i = 0; i < WAITING; i++) {
                    clients.add(new Socket(InetAddress.getLoopbackAddress(), crowded.getLocalPort()));
                }
                AgentConfig config = config(httpd, "10s", crowded.getLocalPort());
                AtomicLong nanos = new AtomicLong();
                try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts,
                        nanos::get)) {
                    measure(sampler, config, 0, 0, false);
                    nanos.addAndGet(1_000_000_000L);
                    TenantMeasurement sampled = measure(sampler, config, 0, 1, false);
                    Sample sample = sampled.managed();
                    assertThat(sample.get(Metric.THROUGHPUT)).isEqualTo(50);
                    assertThat(sample.get(Metric.ACCEPT_QUEUE)).isEqualTo(WAITING);
                    assertThat(sample.get(Metric.ACCEPT_QUEUE_WAIT)).isCloseTo(WAITING / 50.0, within(1e-9));
                    assertThat(sample.get(Metric.RESPONSE_TIME)).isCloseTo(51 * 0.02 / 50 + WAITING / 50.0, within(1e-9));
                    assertThat(sample.get(Metric.CONNECTED_USERS)).as("in a thread or waiting for one")
                            .isEqualTo(9 + WAITING);
                    assertThat(sample.straddlesEpochs()).isTrue();
                    assertThat(sample.get(Metric.MXC)).isEqualTo(650);
                    assertThat(sampled.problems()).containsOnlyKeys("web.broken");
                    assertThat(sampled.others()).extracting(Sample::member).containsExactly("db");
                }
            } finally {
                for (Socket client : clients) {
                    client.close();
                }
            }
        });
    }

    @Test
    void theWaitIsSharedByAllRequestsAlsoWherePagesAloneCount() throws Exception {
        unlessHeldUp(() -> {
            Path log = Files.writeString(directory.resolve("access.log"), "");
            List<Socket> clients = new ArrayList<>();
            try (ServerSocket crowded = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
                for (int i = 0; i < WAITING; i++) {
                    clients.add(new Socket(InetAddress.getLoopbackAddress(), crowded.getLocalPort()));
                }
                AgentConfig config = config("""
                        pages: {type: access-log, file: "%s", format: "%%U %%>s %%D", exclude: [static]}
                        all: {type: access-log, file: "%s", format: "%%U %%>s %%D"}
                        queue: {type: accept-queue, port: %d}
                        """.formatted(log, log, crowded.getLocalPort()).indent(6), "10s");
                AtomicLong nanos = new AtomicLong();
                try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts, nanos::get)) {
                    measure(sampler, config, 0, 0, false);
                    nanos.addAndGet(1_000_000_000L);
                    Files.writeString(log, "/page 200 2000000\n" + "/style.css 200 1000\n".repeat(29));
                    Sample sample = measure(sampler, config, 0, 0, false).managed();
                    assertThat(sample.get(Metric.THROUGHPUT)).isEqualTo(1);
                    assertThat(sample.get(Metric.ACCEPT_QUEUE_WAIT)).isCloseTo(WAITING / 30.0, within(1e-9));
                    assertThat(sample.get(Metric.RESPONSE_TIME)).isCloseTo(2 + WAITING / 30.0, within(1e-9));
                    assertThat(sample.get(Metric.RESPONSE_TIME_P95)).isCloseTo(2 + WAITING / 30.0, within(1e-9));
                    nanos.addAndGet(1_000_000_000L);
                    Files.writeString(log, "/style.css 200 1000\n", StandardOpenOption.APPEND);
                    Sample files = measure(sampler, config, 0, 0, false).managed();
                    assertThat(files.get(Metric.REQUESTS)).isZero();
                    assertThat(files.has(Metric.RESPONSE_TIME)).as("that of the files is no page's").isFalse();
                }
            } finally {
                for (Socket client : clients) {
                    client.close();
                }
            }
        });
    }

    @Test
    void aLateStatusPageCountsWhenItComesForTheWholeTimeSinceTheLastOne() throws Exception {
        try (FakeHttpd httpd = new FakeHttpd(directory)) {
            AgentConfig config = config(httpd, "200ms", URI.create(httpd.url()).getPort());
            Settings base = config.policy().baseline();
            AtomicLong nanos = new AtomicLong();
            AtomicReference<Sample> latest = new AtomicReference<>();
            try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts,
                    nanos::get)) {
                Waiting.until("the first page", () -> sampler.measure(new TurnInterval(Instant.EPOCH, 0, 0, base, false)).managed()
                        .has(Metric.BUSY_WORKERS));

                httpd.hang(true);
                TenantMeasurement hung = sampler.measure(new TurnInterval(Instant.EPOCH, 0, 1, base, false));
                assertThat(hung.managed().has(Metric.THROUGHPUT)).isFalse();
                assertThat(hung.problems().get("web.response")).contains("no answer before the deadline");

                nanos.addAndGet(2_000_000_000L);
                httpd.hang(false);
                Waiting.until("the late page", () -> {
                    latest.set(sampler.measure(new TurnInterval(Instant.EPOCH, 1, 1, base, false)).managed());
                    return latest.get().has(Metric.THROUGHPUT);
                });
                assertThat(latest.get().get(Metric.THROUGHPUT)).as("50 requests in 2 s").isEqualTo(25);
                assertThat(latest.get().straddlesEpochs()).as("it began before the action").isTrue();

                nanos.addAndGet(1_000_000_000L);
                Waiting.until("the next page", () -> {
                    latest.set(sampler.measure(new TurnInterval(Instant.EPOCH, 1, 1, base, false)).managed());
                    return latest.get().has(Metric.THROUGHPUT);
                });
                assertThat(latest.get().get(Metric.THROUGHPUT)).isEqualTo(50);
                assertThat(latest.get().straddlesEpochs()).isFalse();
            }
        }
    }

    @Test
    void inTheMiddleOfAnIntervalThoseAreReadThatCanAndRatesAreOverTheTrueTime() throws Exception {
        unlessHeldUp(() -> {
            try (FakeHttpd httpd = new FakeHttpd(directory)) {
                AgentConfig config = config("""
                        response: {type: mod-status, url: "%s"}
                        load: {type: load-average}
                        """.formatted(httpd.url()).indent(6), "10s");
                String load = "web.load.runnable_tasks";
                AtomicLong nanos = new AtomicLong();
                try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts, nanos::get)) {
                    assertThat(measure(sampler, config, 0, 0, false).extras()).containsKey(load);
                    nanos.addAndGet(200_000_000L);
                    TenantMeasurement middle = measure(sampler, config, 0, 1, true);
                    Sample part = middle.managed();
                    assertThat(part.get(Metric.THROUGHPUT)).as("50 requests in 0.2 s").isEqualTo(250);
                    assertThat(middle.extras()).as("read once an interval").doesNotContainKey(load);
                    assertThat(part.straddlesEpochs()).isTrue();
                    nanos.addAndGet(200_000_000L);
                    assertThat(measure(sampler, config, 1, 1, true).managed().straddlesEpochs()).isFalse();
                    nanos.addAndGet(600_000_000L);
                    TenantMeasurement end = measure(sampler, config, 1, 1, false);
                    Sample whole = end.managed();
                    assertThat(whole.get(Metric.THROUGHPUT)).isCloseTo(50 / 0.6, within(1e-9));
                    assertThat(end.extras()).containsKey(load);
                    assertThat(whole.straddlesEpochs()).as("the load was read before the action").isTrue();
                }
            }
        });
    }

    @Test
    void noOtherSensorReplacesTheClientsFigures() throws Exception {
        unlessHeldUp(() -> {
            Path log = Files.writeString(directory.resolve("driver.log"), "");
            try (FakeHttpd httpd = new FakeHttpd(directory)) {
                AgentConfig config = config("""
                        client: {type: faban-log, file: "%s"}
                        response: {type: mod-status, url: "%s"}
                        """.formatted(log, httpd.url()).indent(6), "10s");
                assertThat(config.policy().requests()).isEqualTo("the users of " + log);
                AtomicLong nanos = new AtomicLong();
                try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts, nanos::get)) {
                    for (int i = 0; i < 3; i++) {
                        Sample silent = measure(sampler, config, 0, 0, false).managed();
                        assertThat(silent.has(Metric.RESPONSE_TIME)).isFalse();
                        assertThat(silent.has(Metric.THROUGHPUT)).isFalse();
                        assertThat(silent.has(Metric.REQUESTS)).isFalse();
                        assertThat(silent.has(Metric.BUSY_WORKERS)).isTrue();
                        nanos.addAndGet(1_000_000_000L);
                    }
                }
            }
        });
    }

    @Test
    void aSecondSensorOfAQuantityAddsNoFastSample() throws Exception {
        unlessHeldUp(() -> {
            Path log = Files.writeString(directory.resolve("driver.log"), "");
            try (FakeHttpd httpd = new FakeHttpd(directory)) {
                AgentConfig config = config("""
                        client: {type: faban-log, file: "%s"}
                        response: {type: mod-status, url: "%s"}
                        """.formatted(log, httpd.url()).indent(6), "10s");
                AtomicLong nanos = new AtomicLong();
                try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts, nanos::get)) {
                    measure(sampler, config, 0, 0, false);
                    nanos.addAndGet(1_000_000_000L);
                    Files.writeString(log, "INFO: 20.00s - A: Op CThru=70.000 OThru=- CErr=0.000 CResp=0.500 OResp=- CSD=-"
                            + " OSD=- C90%Resp=- O90%Resp=-\n");
                    assertThat(measure(sampler, config, 0, 0, false).managed().get(Metric.THROUGHPUT)).isEqualTo(70);
                    nanos.addAndGet(200_000_000L);
                    Sample part = measure(sampler, config, 0, 0, true).managed();
                    assertThat(part.has(Metric.RESPONSE_TIME)).as("httpd's own is another one").isFalse();
                    assertThat(part.has(Metric.THROUGHPUT)).isFalse();
                    assertThat(part.has(Metric.BUSY_WORKERS)).isTrue();
                }
            }
        });
    }

    private interface Story {
        void tell() throws Exception;
    }

    /** A sensor got so little of the machine that it missed its deadline, which is another story. */
    private static final class HeldUp extends RuntimeException {
        private static final long serialVersionUID = 1;

        HeldUp(String problems) {
            super(problems);
        }
    }

    /** Tells a story, anew where a sensor was held up. */
    private static void unlessHeldUp(Story story) throws Exception {
        for (int tries = 1; true; tries++) {
            try {
                story.tell();
                return;
            } catch (HeldUp e) {
                assertThat(tries).as(e.getMessage()).isLessThan(TRIES);
            }
        }
    }

    @Test
    void hostChangesEndAnEpochButNotThreeTimesInARow() throws Exception {
        unlessHeldUp(() -> {
            Path notice = directory.resolve("notice.json");
            AgentConfig config = config("      host: {type: host-notice, file: \"%s\"}".formatted(notice), "10s");
            try (HostPool hosts = config.hosts(directory); Sampler sampler = new Sampler(config, hosts, System::nanoTime)) {
                List<Boolean> straddles = new ArrayList<>();
                List<Long> epochs = new ArrayList<>();
                for (int act : new int[] {0, 1, 1, 2, 3, 4, 5, 5}) {
                    Files.writeString(notice, "{\"v\":1,\"action\":{\"id\":\"turn-%d\",\"knob\":\"cap\",\"settled_at\":1}}".formatted(act));
                    Sample sample = measure(sampler, config, 7, 7, false).managed();
                    straddles.add(sample.straddlesEpochs());
                    epochs.add(sample.epochEnd());
                }
                assertThat(straddles).containsExactly(false, true, false, true, true, false, true, false);
                assertThat(epochs).containsExactly(7L, 8L, 8L, 9L, 10L, 10L, 11L, 11L);
            }
        });
    }

    private static TenantMeasurement measure(Sampler sampler, AgentConfig config, long first, long last, boolean between)
            throws InterruptedException {
        TenantMeasurement measured = sampler.measure(new TurnInterval(Instant.EPOCH, first, last, config.policy().baseline(), between));
        if (measured.problems().values().stream().anyMatch(problem -> problem.contains(DeadlineSensor.NO_ANSWER))) {
            throw new HeldUp(measured.problems().toString());
        }
        return measured;
    }

    private AgentConfig config(FakeHttpd httpd, String interval, int port) throws Exception {
        return config("""
                response: {type: mod-status, url: "%s"}
                queue: {type: accept-queue, port: %d}
                broken: {type: cgroup, path: nowhere-at-all}
                """.formatted(httpd.url(), port).indent(6), interval);
    }

    private AgentConfig config(String sensors, String interval) throws Exception {
        Path file = directory.resolve("ic2.yaml");
        Files.writeString(file, """
                application: shop
                interval: %s
                members:
                  web:
                    role: web
                    sensors:
                %s
                  db: {role: database, sensors: {load: {type: load-average}}}
                baseline: {}
                bounds: {}
                """.formatted(interval, sensors.stripTrailing()));
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file);
    }
}

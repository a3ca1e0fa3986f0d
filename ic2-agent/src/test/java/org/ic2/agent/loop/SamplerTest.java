// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.actuator.FakeHttpd;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.loop.SampleSource.Epochs;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many readings, one sample. */
class SamplerTest {

    private static final int WAITING = 3;

    @TempDir
    private Path directory;

    @Test
    void theWaitInTheKernelsQueueIsPartOfTheResponseTime() throws Exception {
        List<Socket> clients = new ArrayList<>();
        try (FakeHttpd httpd = new FakeHttpd(directory);
                ServerSocket crowded = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < WAITING; i++) {
                clients.add(new Socket(InetAddress.getLoopbackAddress(), crowded.getLocalPort()));
            }
            AgentConfig config = config(httpd, crowded.getLocalPort());
            AtomicLong nanos = new AtomicLong();
            try (HostPool hosts = new HostPool(config, directory); Sampler sampler = new Sampler(config, hosts,
                    nanos::get)) {
                sampler.sample(Instant.EPOCH, new Epochs(0, 0), config.policy().baseline());
                nanos.addAndGet(1_000_000_000L);
                Sampled sampled = sampler.sample(Instant.EPOCH, new Epochs(0, 1), config.policy().baseline());
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
    }

    private AgentConfig config(FakeHttpd httpd, int port) throws Exception {
        Path file = directory.resolve("ic2.yaml");
        Files.writeString(file, """
                application: shop
                interval: 10s
                members:
                  web:
                    role: web
                    sensors:
                      response: {type: mod-status, url: "%s"}
                      queue: {type: accept-queue, port: %d}
                      broken: {type: cgroup, path: nowhere-at-all}
                  db: {role: database, sensors: {load: {type: load-average}}}
                baseline: {}
                bounds: {}
                """.formatted(httpd.url(), port));
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file);
    }
}

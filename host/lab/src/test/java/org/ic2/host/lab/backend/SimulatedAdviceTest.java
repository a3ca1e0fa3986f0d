// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.loop.Advice;
import org.ic2.host.loop.Adviser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The product's advice on a simulated host, whose time is that of the test. */
class SimulatedAdviceTest {

    @TempDir
    private Path directory;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    @Test
    void itSaysWhichSchedulerEachPoolShouldHave() throws Exception {
        Path scenario = Files.writeString(directory.resolve("pools.yaml"), """
                memory: 4GiB
                pools: {Pool-0: {cpus: 2}, Pool-1: {cpus: 1, scheduler: credit2}}
                dom0: {memory: 256MiB}
                guests:
                  web: {vcpus: 4, memory: 512MiB, work: {type: barrier, wait: spin, grain: 5ms}}
                  batch: {count: 2, pool: Pool-1, memory: 512MiB, work: {type: burner}}
                """);
        HostConfig config = HostConfigReader.parse(directory.resolve("host.yaml"),
                "backend: {type: sim, scenario: pools.yaml}\nguests: {web: {waits: spin}}\n");
        Advice advice = Adviser.ofHost(config, SimBackend.open(scenario), clock, time -> now = now.plus(time));

        assertThat(advice.pools()).extracting(pool -> pool.pool().name() + " " + pool.verdict().key())
                .containsExactly("Pool-0 credit2", "Pool-1 credit");
        assertThat(advice.tells()).isTrue();
    }
}

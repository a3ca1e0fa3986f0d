// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real kernel with control groups of version 2 alone said ({@code host/testbed/v2/check --record}): a guest with a cap of a fifth
 * of a CPU, in which a burner runs in a group of its own, and whose heap is larger than its {@code memory.high}.
 */
class RecordedVersion2Test {
    @TempDir
    Path directory;
    private PlayedHost host;
    private final AtomicLong nanos = new AtomicLong();
    private CgroupBackend backend;

    @BeforeEach
    void begin() throws IOException {
        host = new PlayedHost(directory);
        backend = new CgroupBackend(host, "lab", nanos::get, Duration.ofMinutes(1));
        play("before.txt");
    }

    private void play(String name) throws IOException {
        String text;
        try (InputStream in = RecordedVersion2Test.class.getResourceAsStream("/cgroup2/" + name)) {
            text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
        for (String file : text.substring("==> ".length()).split("(?m)^==> ")) {
            int end = file.indexOf(" <==\n");
            host.file(file.substring(0, end), file.substring(end + " <==\n".length()));
        }
        nanos.set(Math.round(Double.parseDouble(host.read("/proc/uptime").split(" ")[0]) * 1e9));
    }

    @Test
    void allKnobsAndMetricsAreThere() throws Exception {
        Capabilities there = backend.capabilities();
        assertThat(there.knobs()).containsKeys(KnobKind.WEIGHT, KnobKind.CAP, KnobKind.MEMORY);
        assertThat(there.metrics()).containsKeys(GuestMetric.CPU_RUN, GuestMetric.CPU_THROTTLED, GuestMetric.CPU_WAIT,
                GuestMetric.MEM_ALLOC, GuestMetric.MEM_USED, GuestMetric.MEM_MAJFLT, GuestMetric.MEM_PRESSURE);
        Guest web = backend.guests().get(0);
        assertThat(backend.guests()).hasSize(1);
        assertThat(web.name()).isEqualTo("web");
        assertThat(web.vcpus()).isEqualTo(2);
        assertThat(backend.get(GuestKnob.of(KnobKind.WEIGHT, web))).isEqualTo(256);
        assertThat(backend.get(GuestKnob.of(KnobKind.CAP, web))).isEqualTo(200);
        assertThat(backend.get(GuestKnob.of(KnobKind.MEMORY, web))).isEqualTo(64);
    }

    @Test
    void aCappedGuestWithTooLittleMemoryIsSeenAsOne() throws Exception {
        Set<GuestMetric> all = EnumSet.allOf(GuestMetric.class);
        backend.read(Instant.EPOCH, all);
        play("after.txt");
        HostSample sample = backend.read(Instant.EPOCH, all);
        Guest web = sample.guests().get(0);
        assertThat(sample.interval()).isEqualTo(Duration.ofMillis(8250));
        assertThat(sample.get(web, GuestMetric.CPU_RUN)).as("of a cap of 0.2").isEqualTo(1.644 / 8.25, offset(0.001));
        assertThat(sample.get(web, GuestMetric.CPU_THROTTLED)).as("two threads'").isEqualTo(13.53 / 8.25, offset(0.01));
        assertThat(sample.get(web, GuestMetric.CPU_WAIT)).as("less throttled").isEqualTo((14.052 - 13.531) / 8.25, offset(0.001));
        assertThat(sample.get(web, GuestMetric.CPU_SWITCHES)).isPositive();
        assertThat(sample.get(web, GuestMetric.CPU_WAKEUPS)).isPositive();
        assertThat(sample.get(web, GuestMetric.MEM_ALLOC)).isEqualTo(64L << 20);
        assertThat(sample.get(web, GuestMetric.MEM_USED)).isEqualTo(62_218_240);
        assertThat(sample.get(web, GuestMetric.MEM_MAJFLT)).as("316 in 8.25 s").isEqualTo(38.3, offset(0.05));
        assertThat(sample.get(web, GuestMetric.MEM_PRESSURE)).as("it grew no more").isZero();
        assertThat(sample.get(HostMetric.CPU_UTIL)).isEqualTo(63 / 1504.0, offset(1e-9));
    }
}

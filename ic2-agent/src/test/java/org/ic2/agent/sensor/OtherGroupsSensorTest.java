// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Own batch work, as control groups tell it. */
class OtherGroupsSensorTest {
    private static final String SLICE = "/sys/fs/cgroup/system.slice/";

    private final List<String> names = new ArrayList<>(List.of("cpu.stat", "apache2.service/", "backup.service/", "cron.service/"));
    private final FakeHost host = new FakeHost() {
        @Override
        public List<String> list(String directory) {
            return List.copyOf(names);
        }
    };
    private final AtomicLong nanos = new AtomicLong();
    private final OtherGroupsSensor sensor = new OtherGroupsSensor(host, "/sys/fs/cgroup/", "system.slice", List.of("apache2.service"), nanos::get);

    @BeforeEach
    void twoCpus() {
        host.files.put("/proc/stat", "cpu 1 1\ncpu0 1 1\ncpu1 1 1\n");
        used("apache2.service", 0);
        used("backup.service", 0);
        used("cron.service", 0);
    }

    private void used(String group, long micros) {
        host.files.put(SLICE + group + "/cpu.stat", "usage_usec " + micros + "\nuser_usec 1\n");
    }

    private Reading after(double seconds) throws Exception {
        nanos.addAndGet((long) (seconds * 1e9));
        return sensor.read();
    }

    @Test
    void theBusiestOtherGroupIsNamedWithItsShareOfTheMachine() throws Exception {
        assertThat(after(1).problem()).contains("first reading: rates need a second one");
        used("apache2.service", 1_900_000);
        used("backup.service", 1_000_000);
        used("cron.service", 10_000);
        Reading reading = after(1);
        assertThat(reading.values()).containsEntry(Metric.OTHER_CPU, 0.5);
        assertThat(reading.extras()).containsOnlyKeys("other_cpu.backup.service");
        assertThat(after(1).values()).as("idle").containsEntry(Metric.OTHER_CPU, 0.0);
    }

    @Test
    void groupsThatComeGoOrTellNonsenseAreLeftOut() throws Exception {
        after(1);
        host.files.remove(SLICE + "cron.service/cpu.stat");
        host.files.put(SLICE + "backup.service/cpu.stat", "usage_usec many\n\u0000");
        assertThat(after(1).problem().orElseThrow()).contains("no group of /sys/fs/cgroup/system.slice but the tier's tells its CPU");
        names.add("late.service/");
        used("late.service", 0);
        after(6);
        used("late.service", 400_000);
        assertThat(after(1).values()).containsEntry(Metric.OTHER_CPU, 0.2);
    }

    @Test
    void wrongSettingsAreRefusedByName() throws Exception {
        for (String wrong : List.of("tier: []", "slice: /etc", "slice: a/../b", "tier: [a], slice: \"\"")) {
            assertThatThrownBy(() -> new SensorRegistry().parse(YamlMap.parse("f", "{type: other-groups, " + wrong + "}"))).as(wrong)
                    .isInstanceOf(ConfigException.class).hasMessageMatching("f:1: (tier|slice): expected .*");
        }
        assertThat(new SensorRegistry().parse(YamlMap.parse("f", "{type: other-groups, tier: [apache2.service]}"))).isNotNull();
    }
}

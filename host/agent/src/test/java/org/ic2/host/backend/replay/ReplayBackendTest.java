// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.host.model.SampleJson;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayBackendTest {
    private static final Guest WEB = new Guest("machine.slice/web", "cgroup-7", "web", 1, 0, 1L << 30, GuestClass.LS1, 0.1,
            Double.NaN);
    private static final String HEAD = "{\"v\":1,\"backend\":\"cgroup\",\"memory\":1073741824,"
            + "\"pools\":[{\"name\":\"linux\",\"scheduler\":\"cfs\",\"cpus\":[0,1]}]}\n";

    @TempDir
    Path directory;

    private static HostSample sample(int second, double run) {
        Instant time = Instant.EPOCH.plusSeconds(second);
        return new HostSample(time, Duration.ofSeconds(3), List.of(WEB), Map.of(WEB.uuid(),
                new Readings<>(GuestMetric.class).with(GuestMetric.CPU_RUN, run).without(GuestMetric.CPU_WAIT, "not wanted")),
                new Readings<>(HostMetric.class).with(HostMetric.CPU_UTIL, 0.5));
    }

    private static String turn(int second, double run, int cap) {
        ObjectNode turn = SampleJson.write(sample(second, run));
        turn.putArray("knobs").addObject().put("kind", "cap").put("uuid", WEB.uuid()).put("value", cap);
        turn.putArray("decided").addObject().put("controller", "joint").put("value", cap + 100);
        return Json.text(turn) + "\n";
    }

    private Path recording(String text) throws IOException {
        return Files.writeString(directory.resolve("recording"), text);
    }

    @Test
    void eachVirtualCpuHasItsOwnKnob() throws IOException {
        String turn = Json.text(SampleJson.write(sample(3, 0.5)));
        String knobs = "\"knobs\":[{\"kind\":\"affinity\",\"uuid\":\"cgroup-7\",\"name\":\"web\",\"vcpu\":0,\"value\":1},"
                + "{\"kind\":\"affinity\",\"uuid\":\"cgroup-7\",\"name\":\"web\",\"vcpu\":1,\"value\":-1}]}\n";
        String recorded = HEAD + turn.substring(0, turn.length() - 1) + "," + knobs;
        try (ReplayBackend replay = new ReplayBackend(recording(recorded))) {
            assertThat(replay.get(GuestKnob.of(KnobKind.AFFINITY, WEB, 0))).isEqualTo(1);
            assertThat(replay.get(GuestKnob.of(KnobKind.AFFINITY, WEB, 1))).isEqualTo(-1);
        }
        Path wrong = Files.writeString(directory.resolve("wrong"), recorded.replace("\"vcpu\":1,", ""));
        assertThatThrownBy(() -> new ReplayBackend(wrong)).isInstanceOf(IOException.class)
                .hasMessageContaining("vcpu: expected the number of a virtual CPU");
    }

    @Test
    void turnsComeOneByOneWithTheirKnobs() throws IOException {
        try (ReplayBackend replay = new ReplayBackend(recording(HEAD + turn(3, 0.5, 700) + turn(6, 0.6, 800)))) {
            GuestKnob cap = GuestKnob.of(KnobKind.CAP, WEB);
            assertThat(replay.pools()).containsExactly(new Pool("linux", "cfs", List.of(0, 1)));
            assertThat(replay.memory()).isEqualTo(1L << 30);
            assertThat(replay.guests()).extracting(Guest::uuid).containsExactly(WEB.uuid());
            HostSample first = replay.read(Instant.now(), Set.of());
            assertThat(first.time()).isEqualTo(Instant.EPOCH.plusSeconds(3));
            assertThat(first.get(WEB, GuestMetric.CPU_RUN)).isEqualTo(0.5);
            assertThat(first.byUuid().get(WEB.uuid()).why(GuestMetric.CPU_WAIT)).isEqualTo("not wanted");
            assertThat(replay.get(cap)).isEqualTo(700);
            assertThat(replay.decided().get(0).get("value").asInt()).isEqualTo(800);
            assertThat(replay.read(Instant.now(), Set.of()).get(WEB, GuestMetric.CPU_RUN)).isEqualTo(0.6);
            assertThat(replay.get(cap)).isEqualTo(800);
            assertThat(replay.hasNext()).isFalse();
            assertThatThrownBy(() -> replay.read(Instant.now(), Set.of())).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void aTurnMayHaveOtherPoolsThanTheOnesBefore() throws IOException {
        String turn = turn(6, 0.6, 800);
        String other = turn.substring(0, turn.length() - 2) + ",\"pools\":[{\"name\":\"linux\",\"scheduler\":\"cfs\",\"cpus\":[1]}]}\n";
        try (ReplayBackend replay = new ReplayBackend(recording(HEAD + turn(3, 0.5, 700) + other + turn(9, 0.7, 800)))) {
            List<List<Integer>> cpus = new ArrayList<>();
            while (replay.hasNext()) {
                replay.read(Instant.now(), Set.of());
                cpus.add(replay.pools().get(0).cpus());
            }
            assertThat(cpus).containsExactly(List.of(0, 1), List.of(1), List.of(1));
        }
        Path wrong = recording(HEAD + other.replace("\"scheduler\":\"cfs\",", ""));
        assertThatThrownBy(() -> new ReplayBackend(wrong)).isInstanceOf(IOException.class)
                .hasMessageContaining(wrong + ", line 2: expected pools with name and scheduler, got {\"name\":\"linux\"");
    }

    @Test
    void nothingCanBeMoved() throws IOException {
        try (ReplayBackend replay = new ReplayBackend(recording(HEAD + turn(3, 0.5, 700)))) {
            assertThatThrownBy(() -> replay.set(GuestKnob.of(KnobKind.CAP, WEB), 1)).isInstanceOf(NotDoneException.class);
            assertThatThrownBy(() -> replay.get(GuestKnob.of(KnobKind.MEMORY, WEB))).hasMessageContaining("web's memory");
            assertThat(replay.capabilities().knobs()).containsOnlyKeys(KnobKind.CAP);
            assertThat(replay.capabilities().metrics()).containsOnlyKeys(GuestMetric.CPU_RUN);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}\n", "{\"v\":2,\"memory\":1}\n", "half", "[1]\n", "{\"v\":1,\"memory\":1,\"pools\":[{}]}\n"})
    void whatIsNoRecordingIsRefusedWithItsLine(String text) throws IOException {
        Path file = recording(text);
        assertThatThrownBy(() -> new ReplayBackend(file)).isInstanceOf(IOException.class).hasMessageContaining(file + ", line 1");
    }

    @Test
    void aBrokenTurnIsNamed() throws IOException {
        Path file = recording(HEAD + turn(3, 0.5, 700) + "{\"time\":\"never\"}\n");
        try (ReplayBackend replay = new ReplayBackend(file)) {
            replay.read(Instant.now(), Set.of());
            assertThatThrownBy(() -> replay.read(Instant.now(), Set.of())).isInstanceOf(IOException.class)
                    .hasMessageContaining("line 3");
        }
        Path second = recording(HEAD + turn(3, 0.5, 700).replace("\"cap\"", "\"hat\""));
        assertThatThrownBy(() -> new ReplayBackend(second)).hasMessageContaining("line 2").hasMessageContaining("hat");
    }
}

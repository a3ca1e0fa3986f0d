// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The host's word, as it stands in a real file. */
class HostNoticeSensorTest {
    private static final String PLAIN = "{\"v\":1,\"time\":1767225600.000,\"run\":0.3333,\"wait\":0.01,\"throttled\":0.2,\"memory_taken\":0.5,"
            + "\"mem_intensity\":{\"value\":0.25,\"source\":\"perf-sq\"}%s}";
    private static final String ACT = ",\"action\":{\"id\":\"turn-%d\",\"knob\":\"cap\",\"settled_at\":1767225600.000}";

    @TempDir
    private Path directory;
    private final AtomicLong nanos = new AtomicLong(-7);
    private Path file;
    private HostNoticeSensor sensor;

    @BeforeEach
    void begin() {
        file = directory.resolve("notice.json");
        sensor = new HostNoticeSensor(new LocalHost(), new HostNoticeSensor.Source(Optional.of(file.toString()), Optional.empty()),
                Duration.ofSeconds(3), nanos::get);
    }

    private Reading read(String text) throws Exception {
        Files.writeString(file, text);
        return sensor.read();
    }

    private double acted(String act) throws Exception {
        return read(PLAIN.formatted(act)).extras().get(HostNoticeSensor.ACTED);
    }

    @Test
    void theGuestsFiguresAreExtrasAndTheMemoryIsTheHostsPressure() throws Exception {
        Reading reading = read(PLAIN.formatted(""));
        assertThat(reading.get(Metric.HOST_MEMORY_PRESSURE)).isEqualTo(0.5);
        assertThat(reading.extras()).containsEntry("run", 0.3333).containsEntry("wait", 0.01).containsEntry("throttled", 0.2)
                .containsEntry("mem_intensity", 0.25).containsEntry(HostNoticeSensor.ACTED, 0.0);
    }

    @Test
    void anActionCountsInTheIntervalInWhichItIsNew() throws Exception {
        assertThat(acted(ACT.formatted(1))).as("nobody knows when it was").isZero();
        assertThat(acted(ACT.formatted(1))).isZero();
        assertThat(acted(ACT.formatted(2))).isEqualTo(1);
        assertThat(acted(ACT.formatted(2))).isZero();
        assertThat(acted("")).isZero();
        assertThat(acted(ACT.formatted(3))).isEqualTo(1);
    }

    @Test
    void aNoticeThatDoesNotChangeIsStaleAfterThreePeriods() throws Exception {
        read(PLAIN.formatted(""));
        nanos.addAndGet(9_000_000_000L);
        assertThat(read(PLAIN.formatted("")).values()).isNotEmpty();
        nanos.addAndGet(1_000_000_000L);
        assertThatThrownBy(() -> sensor.read()).isInstanceOf(IOException.class).hasMessageContaining("has not changed for 10 s");
        assertThat(read(PLAIN.formatted(ACT.formatted(9))).values()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "``|expected an object of JSON", "[]|expected an object of JSON", "{\"v\":2}|expected an object of JSON with \"v\": 1",
        "{\"v\":1,\"run\":-1}|run: expected a number from 0", "{\"v\":1,\"memory_taken\":2}|memory_taken: expected a number from 0 to 1.0",
        "{\"v\":1,\"do\":1}|expected no member \"do\"", "{\"v\":1,\"action\":{\"id\":1}}|action: expected id, knob and settled_at",
        "{\"v\":1,\"mem_intensity\":{\"value\":1}}|mem_intensity: expected a value and its source"})
    void garbageIsOneClearLine(String text, String message) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(IOException.class).hasMessageContaining(message);
    }

    @Test
    void missingAndTooLongNoticesAreErrors() throws Exception {
        assertThatThrownBy(() -> sensor.read()).isInstanceOf(IOException.class).hasMessageContaining("notice.json");
        assertThatThrownBy(() -> read(" ".repeat(10) + "x".repeat(5000))).hasMessageContaining("at most 2048 letters");
    }

    @Test
    void xenstoreIsReadByItsCommand() throws Exception {
        AtomicReference<CommandResult> answer = new AtomicReference<>(new CommandResult(1, "", "couldn't read path data/ic2/notice\n", false));
        List<List<String>> asked = new ArrayList<>();
        HostNoticeSensor ofXen = new HostNoticeSensor(new FakeHost() {
            @Override
            public CommandResult run(List<String> command, Duration deadline) {
                asked.add(command);
                return answer.get();
            }
        }, new HostNoticeSensor.Source(Optional.empty(), Optional.of("data/ic2/notice")), Duration.ofSeconds(3), nanos::get);
        assertThatThrownBy(ofXen::read).hasMessage("xenstore-read failed: couldn't read path data/ic2/notice");
        answer.set(new CommandResult(0, "{\"v\":1,\"wait\":0.5}\n"));
        assertThat(ofXen.read().extras()).containsEntry("wait", 0.5);
        assertThat(asked).containsOnly(List.of("xenstore-read", "-R", "data/ic2/notice"));
        assertThat(ofXen.patience()).as("a guest that waits for its CPU").isEqualTo(Duration.ofSeconds(10));
        assertThat(sensor.patience()).as("of a file").isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"type: host-notice|a:1: file: missing, and no xenstore",
        "type: host-notice, file: f, xenstore: x|a:1: file: expected no xenstore beside it",
        "type: host-notice, xenstore: /local/domain/0|a:1: xenstore: expected a path below the guest's own"})
    void oneOfBothPlacesMustBeNamed(String settings, String message) throws ConfigException {
        assertThatThrownBy(() -> new SensorRegistry().parse(YamlMap.parse("a", "{" + settings + "}"))).isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }
}

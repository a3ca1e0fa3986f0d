// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faban's statistics lines, from the recorded runs of real Faban. */
class FabanSensorTest {

    private static final Path SAMPLES = Path.of("src/test/resources/faban");

    @ParameterizedTest
    @CsvSource({
        "dist-500/driver.log, 16",
        "dist-500/stdout-isoformat.log, 16",
        "dist-500/log-jul17.xml, 16",
        "harness-format/log.xml, 5",
        "dist-100-seconds/driver.log, 9",
        "local-100/driver.log, 9",
    })
    void parsesEveryStatisticsLineOfARecordedRun(String file, int expected) throws IOException {
        List<String> lines = Files.readAllLines(SAMPLES.resolve(file));
        List<FabanLine> parsed = lines.stream().map(FabanLine::parse).flatMap(Optional::stream).toList();
        assertThat(parsed).hasSize(expected);
        assertThat(parsed).allMatch(line -> line.driver().equals("ProbeDriver"));
    }

    @Test
    void combinesOperationsByThroughput() throws IOException {
        List<String> line = statistics("dist-500/driver.log").subList(3, 4);
        Reading reading = FabanSensor.combine(line, 0.001, Optional.empty(), new HashMap<>());
        double throughput = 98.879 + 181.946 + 51.841;
        assertThat(reading.get(Metric.THROUGHPUT)).isCloseTo(throughput, within(1e-9));
        assertThat(reading.get(Metric.ERROR_RATE)).isCloseTo(1.601, within(1e-9));
        assertThat(reading.get(Metric.RESPONSE_TIME)).isCloseTo(
                (98.879 * 10.680 + 181.946 * 20.818 + 51.841 * 40.518) / throughput / 1000, within(1e-9));
    }

    @Test
    void readsSecondsAsFabanWritesThemByDefault() throws IOException {
        Reading reading = FabanSensor.combine(statistics("dist-100-seconds/driver.log").subList(2, 3), 1,
                Optional.empty(), new HashMap<>());
        assertThat(reading.get(Metric.RESPONSE_TIME)).isBetween(0.019, 0.022);
    }

    @Test
    void saysWhatIsWrongWhenTheMasterRunsAlone() throws IOException {
        Reading reading = FabanSensor.combine(statistics("local-100/driver.log").subList(4, 5), 0.001,
                Optional.empty(), new HashMap<>());
        assertThat(reading.values()).isEmpty();
        assertThat(reading.problem()).get().asString().contains("master runs alone");
    }

    @Test
    void anIntervalWithoutALineIsMissingAndNotTheLastLineAgain() {
        assertThat(FabanSensor.combine(List.of(), 1, Optional.empty(), new HashMap<>()).values()).isEmpty();
    }

    @Test
    void averagesTwoLinesOfOneDriverAndAddsDrivers() {
        String first = line("A", "10.000", "0.000", "0.100");
        String second = line("A", "30.000", "2.000", "0.200");
        String other = line("B", "5.000", "0.000", "1.000");
        Reading reading = FabanSensor.combine(List.of(first, second, other), 1, Optional.empty(), new HashMap<>());
        assertThat(reading.get(Metric.THROUGHPUT)).isEqualTo(25);
        assertThat(reading.get(Metric.ERROR_RATE)).isEqualTo(1);
        assertThat(reading.get(Metric.RESPONSE_TIME)).isCloseTo((0.5 + 3 + 5) / 25, within(1e-9));
        Reading onlyB = FabanSensor.combine(List.of(first, second, other), 1, Optional.of("B"), new HashMap<>());
        assertThat(onlyB.get(Metric.THROUGHPUT)).isEqualTo(5);
    }

    @Test
    void requestsAreThoseSinceTheLineBefore() {
        Map<String, Double> written = new HashMap<>();
        assertThat(FabanSensor.combine(List.of(line("A", "10.000", "0.000", "0.100")), 1, Optional.empty(), written)
                .values()).as("nobody knows since when the first line speaks").doesNotContainKey(Metric.REQUESTS);
        String next = line("A", "30.000", "0.000", "0.100").replace("20.00s", "25.00s");
        assertThat(FabanSensor.combine(List.of(next), 1, Optional.empty(), written).get(Metric.REQUESTS)).isEqualTo(150);
        String anew = line("A", "7.000", "0.000", "0.100").replace("20.00s", "5.00s");
        assertThat(FabanSensor.combine(List.of(anew), 1, Optional.empty(), written).get(Metric.REQUESTS))
                .as("the first line of another run").isEqualTo(35);
    }

    @Test
    void aServerThatAnswersNothingHasThroughputZeroAndNoResponseTime() {
        Reading reading = FabanSensor.combine(List.of(line("A", "0.000", "7.000", "-")), 1, Optional.empty(), new HashMap<>());
        assertThat(reading.get(Metric.THROUGHPUT)).isZero();
        assertThat(reading.get(Metric.ERROR_RATE)).isEqualTo(7);
        assertThat(reading.get(Metric.RESPONSE_TIME)).isNaN();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "",
        "5.00s - D: A/B CThru=1.0 OThru=1.0 CErr=0.0 CResp=0.1 OResp=- CSD=- OSD=- C90%Resp=- O90%Resp=-",
        "5.00s - D: A CThru=abc OThru=1.0 CErr=0.0 CResp=0.1 OResp=- CSD=- OSD=- C90%Resp=- O90%Resp=-",
        "5.00s - D: A CThru=1e999 OThru=1.0 CErr=0.0 CResp=0.1 OResp=- CSD=- OSD=- C90%Resp=- O90%Resp=-",
        "5.00s - D: A CThru=-4 OThru=1.0 CErr=0.0 CResp=0.1 OResp=- CSD=- OSD=- C90%Resp=- O90%Resp=-",
        "5.00s - D: A CThru=1.0 OThru=1.0 CErr=0.0 CRe",
        "\u0000\u0001 CThru= \uffff",
        "WARNING: Missing 1 runtime stats from ProbeDriverAgent. Ignoring.",
    })
    void passesOverGarbage(String line) {
        assertThat(FabanLine.parse(line)).isEmpty();
    }

    @Test
    void followsAGrowingLogThroughRotationAndTruncation(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("driver.log");
        Files.writeString(log, line("A", "1.000", "0.000", "9.000") + "\n");
        try (FabanSensor sensor = new FabanSensor(new LocalHost().tail(log.toString()), "driver.log", 1,
                Optional.empty())) {
            assertThat(sensor.read().values()).as("what was there before the start is old").isEmpty();
            append(log, line("A", "2.000", "0.000", "0.100").substring(0, 40));
            assertThat(sensor.read().values()).as("half a line is no line").isEmpty();
            append(log, line("A", "2.000", "0.000", "0.100").substring(40) + "\n");
            assertThat(sensor.read().get(Metric.THROUGHPUT)).isEqualTo(2);
            append(log, line("A", "3.000", "0.000", "0.100") + "\n");
            Files.move(log, directory.resolve("driver.log.1"));
            Files.writeString(log, line("A", "5.000", "0.000", "0.100") + "\n");
            assertThat(sensor.read().get(Metric.THROUGHPUT)).as("end of the old file and the new one").isEqualTo(4);
            Files.writeString(log, "");
            sensor.read();
            append(log, line("A", "6.000", "0.000", "0.100") + "\n");
            assertThat(sensor.read().get(Metric.THROUGHPUT)).isEqualTo(6);
        }
    }

    @Test
    void aLogThatDoesNotExistYetIsReadFromItsStartWhenItAppears(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("driver.log");
        try (DeadlineSensor sensor = new DeadlineSensor("web.response",
                new FabanSensor(new LocalHost().tail(log.toString()), log.toString(), 1, Optional.empty()))) {
            assertThat(sensor.readWithin(Duration.ofSeconds(20)).problem()).get().asString().contains("no file");
            Files.writeString(log, line("A", "5.000", "0.000", "0.100") + "\n");
            assertThat(sensor.readWithin(Duration.ofSeconds(20)).get(Metric.THROUGHPUT)).isEqualTo(5);
        }
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardCharsets.UTF_8, java.nio.file.StandardOpenOption.APPEND);
    }

    private static List<String> statistics(String file) throws IOException {
        return Files.readAllLines(SAMPLES.resolve(file)).stream().filter(line -> line.contains("CThru=")).toList();
    }

    private static String line(String driver, String throughput, String errors, String response) {
        return "INFO: 20.00s - " + driver + ": Op CThru=" + throughput + " OThru=- CErr=" + errors + " CResp="
                + response + " OResp=- CSD=- OSD=- C90%Resp=- O90%Resp=-";
    }
}

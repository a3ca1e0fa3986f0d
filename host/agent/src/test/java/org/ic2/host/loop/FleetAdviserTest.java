// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.fleet.FleetJson;
import org.ic2.host.fleet.FleetReport;
import org.ic2.host.fleet.FleetStatus;
import org.ic2.host.model.GuestClass;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One look at several hosts. */
class FleetAdviserTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;
    private HostConfig config;
    private FleetFile fleet;

    @BeforeEach
    void write() throws Exception {
        config = HostConfigReader.parse(directory.resolve("host.yaml"), """
                backend: {type: xen}
                controllers: {placement: {latency: {s0-us: 500, c-us: 1000, threshold: 5ms}}}
                journal: journal.jsonl
                """);
        fleet = FleetFile.parse(directory.resolve("fleet.yaml"), "this: a\nhosts: {a: {}, b: {file: b.json}}\n");
        Files.writeString(directory.resolve("b.json"), FleetStatus.of(host("b", NOW, 0.3, Double.NaN)));
    }

    private static FleetHost host(String name, Instant time, double intensity, double latency) {
        return new FleetHost(name, time, 4e9, 8, List.of(
                new Resident("1 " + name, "1", "web", latency > 0 ? GuestClass.LS1 : GuestClass.NLS, 0.2, 1e9, 0.5, latency),
                new Resident("2 " + name, "2", "batch", GuestClass.NLS, intensity, 1e9, 0.5, Double.NaN)));
    }

    private FleetReport look(FleetHost measured) throws Exception {
        return FleetAdviser.look(config, fleet, Optional.ofNullable(measured), NOW);
    }

    @Test
    void oneLookIsEnoughForAdvice() throws Exception {
        FleetReport report = look(host("", NOW, 1, 0.02));

        assertThat(report.moves()).singleElement().satisfies(move -> assertThat(move.name() + move.from() + move.to()).isEqualTo("webab"));
        assertThat(report.tells()).isTrue();
        JsonNode json = FleetJson.write(report);
        assertThat(json.path("this").asText()).isEqualTo("a");
        assertThat(json.path("hosts").get(1).path("intensity").asDouble()).isEqualTo(0.5);
        assertThat(json.path("moves").get(0).path("ours").asBoolean()).isTrue();
        assertThat(json.path("moves").get(0).path("numbers").path("W").asDouble()).isEqualTo(0.02);
        assertThat(directory.resolve("journal.jsonl")).doesNotExist();
    }

    @Test
    void whereThereIsNoPlaceNobodyMovesAndThatIsSaid() throws Exception {
        Files.writeString(directory.resolve("b.json"), FleetStatus.of(host("b", NOW, 0.9, Double.NaN)));
        FleetReport report = look(host("", NOW, 1, 0.02));

        assertThat(report.held()).noneMatch(why -> why.contains("does not tell"));
        // the batch goes where nobody is latency-sensitive, though that is no gain there
        assertThat(report.moves()).singleElement().satisfies(move -> assertThat(move.name()).isEqualTo("batch"));
        Files.writeString(directory.resolve("b.json"), FleetStatus.of(new FleetHost("b", NOW, 1e6, 8, List.of())));
        assertThat(look(host("", NOW, 1, 0.02)).held()).singleElement().asString().contains("no host would be a gain of 10 %");
    }

    @Test
    void oldFiguresAndNoneAreSaid() throws Exception {
        Files.writeString(directory.resolve("b.json"), FleetStatus.of(host("b", NOW.minusSeconds(91), 0.3, Double.NaN)));
        assertThat(look(host("", NOW, 1, 0.02)).held()).anyMatch(why -> why.startsWith("b: its figures are of"));

        FleetReport report = look(null);
        assertThat(report.silent()).containsExactly("a: this host: nothing was measured, and no agent runs");
        assertThat(report.tells()).isFalse();
    }
}

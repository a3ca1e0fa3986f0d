// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.config.TellHost;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the tenant's agent writes for the host, in a real file. */
class HostTellerTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    /** One turn, as the loop tells it. */
    private record Told(Sample sample, boolean shedding, Optional<Result> acted) {
        void to(HostTeller teller) {
            teller.turned(sample, shedding, acted);
        }
    }

    private static Told turn(int second, double requests, double seconds, Result result) {
        return turn(second, requests, seconds, result, false);
    }

    private static Told turn(int second, double requests, double seconds, Result result, boolean shedding) {
        Sample sample = Sample.at(BEGIN.plusSeconds(second)).set(Metric.REQUESTS, requests).set(Metric.RESPONSE_TIME, seconds).build();
        return new Told(sample, shedding, Optional.ofNullable(result));
    }

    /** A turn, again and again, as a slow machine may let one pass untold. */
    private String told(HostTeller teller, Path file, Told turn, String word) throws Exception {
        String text = "";
        for (long end = System.nanoTime() + 60_000_000_000L; !text.contains(word) && System.nanoTime() < end;) {
            turn.to(teller);
            text = Files.exists(file) ? Files.readString(file) : "";
        }
        return text;
    }

    @Test
    void theHostLearnsOfTheLastSecondsAndOfChanges() throws Exception {
        Path file = directory.resolve("tenant.json");
        try (HostTeller teller = new HostTeller(new TellHost(Optional.of(file), Optional.empty()), Duration.ofSeconds(10))) {
            assertThat(told(teller, file, turn(0, 0, Double.NaN, null), "time"))
                    .isEqualTo("{\"v\":1,\"time\":1767225600.000,\"requests\":0,\"busy_until\":0.000}");
            Result applied = new Result.Applied(Settings.none(), 5, List.of());
            assertThat(told(teller, file, turn(60, 0, Double.NaN, applied), ":1767225670.000"))
                    .isEqualTo("{\"v\":1,\"time\":1767225660.000,\"requests\":0,\"busy_until\":1767225670.000}");
            assertThat(told(teller, file, turn(61, 0, Double.NaN, new Result.Refused("no")), ":1767225661.000"))
                    .as("what was refused changes nothing").contains("\"busy_until\":1767225670.000");
        }
    }

    @Test
    void theHostLearnsThatItSheds() throws Exception {
        Path file = directory.resolve("tenant.json");
        try (HostTeller teller = new HostTeller(new TellHost(Optional.of(file), Optional.empty()), Duration.ofSeconds(10))) {
            assertThat(told(teller, file, turn(0, 0, Double.NaN, null, true), "shedding")).endsWith(",\"shedding\":true}");
            assertThat(told(teller, file, turn(1, 0, Double.NaN, null, false), ":1767225601.000")).doesNotContain("shedding");
        }
    }

    @Test
    void theMeanIsOfAllRequestsOfThreeSeconds() throws Exception {
        Path file = directory.resolve("tenant.json");
        try (HostTeller teller = new HostTeller(new TellHost(Optional.of(file), Optional.empty()), Duration.ofSeconds(10))) {
            turn(0, 1000, 9, null).to(teller);
            turn(1, 30, 0.1, null).to(teller);
            turn(2, 0, Double.NaN, null).to(teller);
            assertThat(told(teller, file, turn(3, 10, 0.5, null), ":1767225603.000")).isEqualTo("{\"v\":1,\"time\":1767225603.000,"
                    + "\"response_time\":0.200000,\"requests\":40,\"busy_until\":0.000}");
        }
    }

    @Test
    void aPlaceThatIsGoneHoldsUpNothingAndIsUsedAgainWhenItIsBack() throws Exception {
        Path file = directory.resolve("gone/tenant.json");
        try (HostTeller teller = new HostTeller(new TellHost(Optional.of(file), Optional.empty()), Duration.ofSeconds(10))) {
            turn(0, 1, 1, null).to(teller);
            turn(1, 1, 1, null).to(teller);
            Files.createDirectories(file.getParent());
            assertThat(told(teller, file, turn(2, 1, 1, null), "time")).contains("\"v\":1");
        }
    }
}

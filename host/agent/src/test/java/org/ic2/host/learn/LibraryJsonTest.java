// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The library's file. */
class LibraryJsonTest {
    private static final Library LIBRARY = Discoverer.discover(Table1.points(Table1.TIGHT, 1), Scaling.Kind.ZSCORE, 5, 5, 1)
            .library()
            .with(3, new RegionSettings(SchedulerVector.table3(), 500.5, 187, -0.02, "simulator, seed 1"))
            .with(4, new RegionSettings(SchedulerVector.linux(), 10, 5, 0.5, ""));

    @Test
    void isReadAsItWasWritten() throws ConfigException {
        String text = LibraryJson.write(LIBRARY);
        assertThat(LibraryJson.read("regions.json", text)).isEqualTo(LIBRARY);
        assertThat(text).contains("\"cpu_percent\"", "\"tslice_ms\" : 34", "\"LS1\" : 43008", "\"held_out_gain\" : -0.02");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"format\" : 1 | \"format\" : 2 | format: expected 1, got 2",
        "\"format\" : 1 | \"format\" : \"1\" | format: expected 1, got \"1\"",
        "\"kind\" : \"zscore\" | \"kind\" : \"log\" | scaling.kind: expected none or zscore, got \"log\"",
        "\"silhouette\" | \"silhouete\" | top level: unknown key \"silhouete\"",
        "\"tslice_ms\" : 34 | \"tslice_ms\" : 1001 | regions[3].settings.tslice_ms: expected a whole number from 1 to 1000",
        "\"tslice_ms\" : 34 | \"tslice_ms\" : 1.5 | settings.tslice_ms: expected a whole number from 1 to 1000, got 1.5",
        "\"tslice_ms\" : 34 | \"tslice_ms\" : 1 | settings: ratelimit: expected at most the time slice of 1 ms, got 1600 us",
        "\"ratelimit_us\" : 1600 | \"ratelimit_us\" : 99 | settings: ratelimit: expected 100 to 500000 us or 0, got 99",
        "\"LS1\" : 43008 | \"LS1\" : 0 | regions[3].settings.weights.LS1: expected a whole number from 1 to 65535, got 0",
        "\"LS1\" : 43008 | \"LS9\" : 1 | regions[3].settings.weights: unknown key \"LS9\"",
        "\"cost\" : 187.0 | \"cost\" : \"much\" | regions[3].settings.cost: expected a number not below 0, got \"much\"",
        "\"held_out_gain\" : -0.02 | \"held_out_gain\" : 2 | held_out_gain: expected a number and not above 1, got 2",
        "\"provenance\" : \"simulator, seed 1\" | \"provenance\" : null | provenance: expected a text, got null",
        "\"points\" : 576 | \"points\" : 0 | regions[1].points: expected a whole number from 1",
        "\"points\" : 576 | \"points\" : 576, \"points\" : 576 | Duplicate field 'points'"})
    void whatIsNotUnderstoodIsRefused(String found, String instead, String says) {
        String text = LibraryJson.write(LIBRARY);
        assertThat(text).contains(found);
        int at = text.indexOf(found);
        String broken = text.substring(0, at) + instead + text.substring(at + found.length());
        assertThatThrownBy(() -> LibraryJson.read("regions.json", broken)).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("regions.json: ").hasMessageContaining(says).hasMessageContaining("ic2-host discover");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', value = {"'' | top level", "null | top level", "[] | top level",
            "{ | not JSON",
        "{} | key \"format\" is missing",
        "{\"format\":1,\"scaling\":3,\"silhouette\":0,\"regions\":[]} | scaling: expected an object",
        "nul | not JSON", "{\"format\":1} x | not JSON"})
    void whatIsNoLibraryIsRefused(String text, String says) {
        assertThatThrownBy(() -> LibraryJson.read("f", text)).isInstanceOf(ConfigException.class).hasMessageContaining(says)
                .hasMessageNotContaining("\n");
    }

    @Test
    void garbageIsNeverMoreThanAConfigException() {
        String text = LibraryJson.write(LIBRARY);
        SplittableRandom random = new SplittableRandom(17);
        for (int i = 0; i < 3000; i++) {
            StringBuilder broken = new StringBuilder(text);
            for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
                int at = random.nextInt(broken.length());
                switch (random.nextInt(3)) {
                    case 0 -> broken.setCharAt(at, (char) random.nextInt(1, 128));
                    case 1 -> broken.delete(at, Math.min(broken.length(), at + random.nextInt(1, 40)));
                    default -> broken.insert(at, text, at / 2, at / 2 + Math.min(20, text.length() - at / 2));
                }
            }
            try {
                assertThat(LibraryJson.read("f", broken.toString()).regions()).isNotEmpty();
            } catch (ConfigException e) {
                assertThat(e).hasMessageStartingWith("f: ");
                assertThat(e.getMessage().lines()).hasSize(1);
            }
        }
    }
}

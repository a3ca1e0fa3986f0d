// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.executor.BaselineOutcome;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.SshAddress;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.sensor.ProcFiles;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import org.ic2.runtime.yaml.YamlMap;

/** What the runtime reads from files and people: any input is understood or refused in words. */
class RuntimeFuzzTest {

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @FuzzTest
    void yaml(byte[] bytes) {
        try {
            walk(YamlMap.parse("f.yaml", text(bytes)), 0);
        } catch (ConfigException e) {
            assertThat(e.getMessage()).startsWith("f.yaml:");
        }
    }

    /** Asks for each key as if it held each kind of value. */
    private static void walk(YamlMap map, int depth) throws ConfigException {
        for (String key : map.names()) {
            each(() -> map.text(key), () -> map.duration(key), () -> map.integer(key), () -> map.number(key),
                    () -> map.flag(key, true), () -> map.texts(key), () -> map.maps(key), () -> map.contents());
            if (depth < 30) {
                each(() -> walk(map.map(key), depth + 1));
            }
        }
        map.done();
    }

    private interface Reading {
        void read() throws ConfigException;
    }

    private static void each(Reading... readings) {
        for (Reading reading : readings) {
            try {
                reading.read();
            } catch (ConfigException e) {
                assertThat(e.getMessage()).startsWith("f.yaml:");
            }
        }
    }

    @FuzzTest
    void journal(byte[] bytes) throws IOException {
        JournalReader reader = new JournalReader(Terms.shipped().knobs());
        List<Line> lines = text(bytes).lines().limit(2000).flatMap(line -> reader.line(line).stream()).toList();
        lines.forEach(line -> assertThat(reader.line(line.toString())).isPresent());
        JournalReplay.of(lines, Lever.settings(650, 5000, 50, 0));
    }

    @FuzzTest
    void baselineOutcome(byte[] bytes) {
        BaselineOutcome.parse(text(bytes), Terms.shipped().knobs()).ifPresent(read -> {
            assertThat(read.plan()).isNotBlank();
            assertThat(read.running().knobs()).containsAll(read.foreign().knobs());
        });
    }

    @FuzzTest
    void numbers(byte[] bytes) {
        String text = text(bytes);
        refusedOr(text, word -> {
            Duration read = Durations.parse(word);
            assertThat(read.toNanos()).isNotNegative();
            assertThat(Durations.parse(Durations.format(read))).isEqualTo(read);
        });
        for (Lever lever : Lever.values()) {
            refusedOr(text, word -> assertThat(lever.parse(lever.format(lever.parse(word)))).isEqualTo(lever.parse(word)));
        }
        refusedOr(text, Endpoint::parse);
        refusedOr(text, SshAddress::parse);
        refusedOr(text, HttpGet::parse);
    }

    private static void refusedOr(String text, Consumer<String> parser) {
        try {
            parser.accept(text);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @FuzzTest
    void kernelFiles(byte[] bytes) {
        String text = text(bytes);
        for (String key : List.of("MemTotal", "usage_usec", "inactive_file", "pgmajfault")) {
            assertThat(ProcFiles.field(text, key).orElse(0)).isBetween(0.0, 1e18);
        }
        for (String kind : List.of("some", "full")) {
            assertThat(ProcFiles.pressureMicros(text, kind).orElse(0)).isBetween(0.0, 1e18);
        }
        try {
            assertThat(ProcFiles.number("/f", text)).isBetween(0.0, 1e19);
            assertThat(BoundedText.lines(text, "f")).noneMatch(line -> line.contains("\n"));
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        assertThat(ProcFiles.cpuCount(text)).isNotNegative();
    }
}

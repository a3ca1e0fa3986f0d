// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.ic2.runtime.knob.Quantity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplesCsvTest {
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00.050Z");

    @Test
    void aSampleThatWasWrittenReadsBackEqual() {
        Random random = new Random(7);
        SamplesCsv.Reader reader = SamplesCsv.reader("samples.csv", SamplesCsv.header());
        for (int i = 0; i < 2000; i++) {
            Sample.Builder builder = Sample.at(Instant.ofEpochMilli(random.nextLong(4_000_000_000_000L)))
                    .epochs(random.nextInt(3), 2).member(random.nextBoolean() ? "web" : "db-1");
            for (Metric metric : Metric.values()) {
                if (random.nextBoolean()) {
                    builder.set(metric, random.nextBoolean() ? random.nextInt(700)
                            : random.nextDouble() * Math.pow(10, random.nextInt(20) - 10));
                }
            }
            builder.label(random.nextBoolean() ? null : Label.values()[random.nextInt(3)]);
            Sample sample = builder.build();
            assertThat(reader.sample(SamplesCsv.line(sample), 2)).isEqualTo(sample);
        }
    }

    @Test
    void aPlugInsQuantityHasAColumnAtTheEnd() {
        record Temperature(String column, String unit) implements Quantity {
        }
        List<Quantity> own = SamplesCsv.own(Terms.shipped().with(List.of(), List.of(new Temperature("temperature", "K"))));
        Sample sample = Sample.at(TIME).set(Metric.STEAL, 0.1).set(own.get(0), 300).epoch(1).build();
        assertThat(SamplesCsv.header(own)).isEqualTo(SamplesCsv.header() + ",temperature");
        assertThat(SamplesCsv.line(sample, own)).isEqualTo(SamplesCsv.line(sample) + ",300");
        SamplesCsv.Reader reader = SamplesCsv.reader("samples.csv", SamplesCsv.header(own), own);
        assertThat(reader.sample(SamplesCsv.line(sample, own), 2)).isEqualTo(sample);
        assertThat(SamplesCsv.own(Terms.shipped())).isEmpty();
        assertThatThrownBy(() -> SamplesCsv.own(Terms.shipped().with(List.of(), List.of(new Temperature("epoch", "1")))))
                .hasMessageContaining("the column 'epoch' is taken");
        Attribute attribute = Attribute.parse("temperature", Terms.shipped().with(List.of(), own));
        assertThat(new Features(sample, Medians.none()).get(attribute)).isEqualTo(300);
        assertThatThrownBy(() -> new Attribute(own.get(0), Attribute.Form.RATIO)).hasMessageContaining("no median");
    }

    @Test
    void missingIsEmptyAndNeverZero() {
        String header = SamplesCsv.header();
        String line = SamplesCsv.line(Sample.at(TIME).set(Metric.THROUGHPUT, 0).epoch(4).build());
        List<String> names = List.of(header.split(",", -1));
        List<String> cells = List.of(line.split(",", -1));
        assertThat(cells).hasSameSizeAs(names);
        assertThat(cells.get(names.indexOf("time"))).isEqualTo("1767225600.050");
        assertThat(cells.get(names.indexOf("throughput"))).isEqualTo("0");
        assertThat(cells.get(names.indexOf("response_time"))).isEmpty();
        assertThat(cells.get(names.indexOf("epoch"))).isEqualTo("4");
        assertThat(cells.get(names.indexOf("epoch_end"))).isEmpty();
        assertThat(cells.get(names.indexOf("label"))).isEmpty();
    }

    @Test
    void theHeaderHasTheNamesOfTheDesign() {
        assertThat(SamplesCsv.columns()).startsWith("time").contains("response_time", "throughput", "error_rate",
                "cpu_util", "steal", "run_delay", "cmr", "cpi", "memory_latency", "load_per_operation", "work_done",
                "accept_queue", "pending_users", "oldest_wait", "interactive_response_time", "mxc", "kat", "php",
                "mitigation", "epoch", "label");
    }

    @Test
    void readsAFileOfFewColumnsInAnyOrder() {
        List<Sample> samples = SamplesCsv.read("few.csv",
                List.of("throughput,time,label", "100,1767225600.5,INTERFERENCE", "", ",1767225601,"));
        assertThat(samples).hasSize(2);
        assertThat(samples.get(0).get(Metric.THROUGHPUT)).isEqualTo(100);
        assertThat(samples.get(0).label()).contains(Label.INTERFERENCE);
        assertThat(samples.get(1).has(Metric.THROUGHPUT)).isFalse();
        assertThat(samples.get(1).time()).isEqualTo(Instant.parse("2026-01-01T00:00:01Z"));
    }

    @Test
    void knowsFurtherColumnsOnRequestOnly() {
        SamplesCsv.Reader reader = SamplesCsv.reader("x.csv", "time,run", Set.of("run"));
        assertThat(reader.cell("1,r7", "run")).contains("r7");
        assertThat(reader.cell("1,", "run")).isEmpty();
        assertThatThrownBy(() -> SamplesCsv.reader("x.csv", "time,run"))
                .isInstanceOf(FormatException.class).hasMessageStartingWith("x.csv: line 1: unknown column 'run'");
    }

    @Test
    void aRecordingMaySayWhoseItIs() {
        SamplesCsv.Reader reader = SamplesCsv.reader("x.csv", "time,tenant,cpu_util,host,application");
        String line = "1,shop-12,0.5,rack 7,wordpress";
        assertThat(SamplesCsv.ORIGIN.stream().map(column -> reader.cell(line, column).orElse("?")))
                .containsExactly("shop-12", "rack 7", "wordpress");
        assertThat(reader.sample(line, 2)).isEqualTo(SamplesCsv.reader("x.csv", "time,cpu_util").sample("1,0.5", 2));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1,2,3        | x.csv: line 9: expected 2 cells as in the header, got 3",
        "1            | x.csv: line 9: expected 2 cells as in the header, got 1",
        "noon,2       | x.csv: line 9: column 'time': expected a number or nothing, got 'noon'",
        "1,NaN        | x.csv: line 9: column 'cpu_util': expected a number or nothing, got 'NaN'",
        "1,much       | x.csv: line 9: column 'cpu_util': expected a number or nothing, got 'much'"})
    void refusesABrokenLineByNameAndNumber(String line, String message) {
        SamplesCsv.Reader reader = SamplesCsv.reader("x.csv", "time,cpu_util");
        assertThatThrownBy(() -> reader.sample(line, 9)).isInstanceOf(FormatException.class).hasMessage(message);
    }

    @Test
    void refusesABrokenHeaderAndBrokenNames() {
        assertThatThrownBy(() -> SamplesCsv.reader("x.csv", "cpu_util")).hasMessageContaining("no column 'time'");
        assertThatThrownBy(() -> SamplesCsv.reader("x.csv", "time,time")).hasMessageContaining("there twice");
        assertThatThrownBy(() -> SamplesCsv.read("x.csv", List.of())).hasMessageContaining("empty");
        assertThatThrownBy(() -> SamplesCsv.reader("x.csv", "time,label").sample("1,BUSY", 2))
                .hasMessageContaining("column 'label'").hasMessageContaining("BUSY");
        assertThatThrownBy(() -> SamplesCsv.reader("x.csv", "time,member").sample("1,:web", 2)).isInstanceOf(FormatException.class)
                .hasMessage("x.csv: line 2: column 'member': expected letters, digits, '-', '_', '.', got ':web'");
    }
}

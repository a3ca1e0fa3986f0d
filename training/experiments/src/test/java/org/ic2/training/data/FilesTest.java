// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.Generated;
import org.ic2.training.cli.Ic2Train;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesTest {
    @TempDir
    private Path folder;

    @Test
    void aRunComesBackAsItWasWritten() throws IOException {
        Run run = Generated.run("a", 1, 2, 30, 0.2).with("seed", "7");
        for (boolean zipped : List.of(false, true)) {
            RunFolder.write(folder.resolve("a"), run, zipped);
            assertThat(RunFolder.read(folder.resolve("a"))).isEqualTo(run);
        }
        assertThat(folder.resolve("a").toFile().list()).containsExactlyInAnyOrder("run.json", "samples.csv.gz");
    }

    @Test
    void packedRunsAreTheSameAndNothingIsOverwritten() throws IOException {
        Run run = Generated.run("a", 1, 2, 30, 0.2);
        RunFolder.write(folder.resolve("runs/a"), run, false);
        Files.writeString(folder.resolve("runs/a/agent.log"), "a log\n");
        List<String> pack = List.of("pack", folder.resolve("runs").toString(), "--out", folder.resolve("packed").toString());
        assertThat(Ic2Train.run(pack)).isZero();
        assertThat(DataSet.read(List.of(folder.resolve("packed")))).containsExactly(run);
        assertThat(folder.resolve("packed/a").toFile().list()).containsExactlyInAnyOrder("run.json", "samples.csv.gz");
        Files.delete(folder.resolve("packed/a/samples.csv.gz"));
        assertThat(Ic2Train.run(pack)).as("the folder is there already").isEqualTo(1);
        assertThat(folder.resolve("packed/a").toFile().list()).containsExactly("run.json");
    }

    @Test
    void aFolderWithoutFactsIsNotARunYet() throws IOException {
        RunFolder.write(folder.resolve("b"), Generated.run("b", 2, 1, 30, 0), false);
        Files.delete(folder.resolve("b/run.json"));
        RunFolder.write(folder.resolve("a"), Generated.run("a", 1, 1, 30, 0), false);
        assertThat(DataSet.read(List.of(folder))).extracting(Run::id).containsExactly("a");
        assertThatThrownBy(() -> DataSet.read(List.of(folder.resolve("b")))).hasMessageContaining("run.json");
    }

    @Test
    void twoRunsOfOneNameAreRefused() throws IOException {
        RunFolder.write(folder.resolve("a"), Generated.run("x", 1, 1, 30, 0), false);
        RunFolder.write(folder.resolve("b"), Generated.run("x", 2, 1, 30, 0), false);
        assertThatThrownBy(() -> DataSet.read(List.of(folder))).hasMessageContaining("id x");
    }

    @Test
    void arffSaysMissingAndNeverZero() {
        Run run = Generated.run("a", 1, 1, 30, 0);
        List<Row> rows = Rows.labelled(Rows.of(List.of(run)));
        List<String> arff = DataSet.arff("r", List.of("seed 7", "broken: the load ended\nno data set"),
                List.of(Attribute.parse("response_time"), Attribute.parse("cmr")), rows);
        assertThat(arff).startsWith("% seed 7", "% broken: the load ended", "% no data set", "@relation r", "@attribute response_time numeric", "@attribute cmr numeric",
                "@attribute label {NO_INTERFERENCE,TRANSIENT,INTERFERENCE}", "@data", "% run a");
        assertThat(arff.get(arff.size() - 1)).isEqualTo("0.4,?,INTERFERENCE");
    }

    @Test
    void fiveSecondsAreMadeOfOne() {
        Run run = Generated.run("a", 1, 1, 60, 0.3);
        Run coarse = Resampling.to(Duration.ofSeconds(5), run);
        assertThat(coarse.samples()).hasSize(24);
        double completed = 0;
        double weighted = 0;
        for (var sample : run.samples().subList(0, 5)) {
            completed += sample.get(Metric.THROUGHPUT);
            weighted += sample.get(Metric.THROUGHPUT) * sample.get(Metric.RESPONSE_TIME);
        }
        var first = coarse.samples().get(0);
        assertThat(first.time()).isEqualTo(run.samples().get(4).time());
        assertThat(first.get(Metric.RESPONSE_TIME)).isCloseTo(weighted / completed, org.assertj.core.data.Offset.offset(1e-12));
        assertThat(first.get(Metric.REQUESTS)).isEqualTo(500);
        assertThat(coarse.samples().get(12).label()).contains(Label.TRANSIENT);
        assertThat(coarse.samples().get(14).label()).contains(Label.INTERFERENCE);
    }

    @Test
    void aChangeByHandInTheMiddleOfFiveSecondsCountsThere() {
        Run run = Generated.run("a", 1, 1, 60, 0.3);
        List<Sample> samples = new ArrayList<>(run.samples());
        samples.set(12, samples.get(12).toBuilder().epochs(0, 1).build());
        Run coarse = Resampling.to(Duration.ofSeconds(5), run.with(samples));
        assertThat(coarse.samples().stream().filter(Sample::straddlesEpochs)).containsExactly(coarse.samples().get(2));
    }

    @Test
    void aCompressedFileThatWasCutOffIsNamed() throws IOException {
        TextFiles.write(folder.resolve("a.csv.gz"), "time,member\n".repeat(1000));
        byte[] whole = Files.readAllBytes(folder.resolve("a.csv.gz"));
        Files.write(folder.resolve("a.csv.gz"), java.util.Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> TextFiles.lines(folder.resolve("a.csv.gz"))).isInstanceOf(IOException.class)
                .hasMessageContaining("a.csv.gz: cannot be read to its end");
    }

    @Test
    void aGapLeavesAHoleAndMovesNothing() {
        Run run = Generated.run("a", 1, 1, 60, 0);
        Run gappy = run.with(run.samples().stream().filter(s -> run.samples().indexOf(s) / 7 != 2).toList());
        Run coarse = Resampling.to(Duration.ofSeconds(5), gappy);
        assertThat(coarse.samples()).allMatch(s -> Duration.between(Generated.START.plusSeconds(3600), s.time()).toSeconds() % 5 == 0);
        assertThat(coarse.samples()).as("of 24 windows one is empty, two have 4 of 5").hasSize(23);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.ic2.fleet.Recordings;
import org.ic2.fleet.Spark;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command from recordings to a judged classifier, and every bad input that has a name: one line, status 1, nothing written. */
class Ic2FleetTest {
    @TempDir
    private Path folder;

    private String out = "";
    private String err = "";

    @BeforeAll
    static void spark() {
        Spark.session();
    }

    private int run(Object... words) {
        StringWriter errors = new StringWriter();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            CommandLine line = Ic2Fleet.commands();
            line.setErr(new PrintWriter(errors, true));
            return Ic2Fleet.run(line, Stream.of(words).map(String::valueOf).toList());
        } finally {
            System.setOut(before);
            out = printed.toString(StandardCharsets.UTF_8);
            err = errors.toString();
        }
    }

    private void refused(int status, String message, Path notWritten, Object... words) {
        assertThat(run(words)).as(err).isEqualTo(status);
        assertThat(err).startsWith("ic2-fleet: ").contains(message);
        assertThat(err.strip().lines()).hasSize(1);
        assertThat(notWritten).doesNotExist();
    }

    private List<String> left() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void recordingsBecomeAJudgedClassifier() throws IOException {
        Path store = folder.resolve("store");
        assertThat(run("ingest", Recordings.fleet(folder.resolve("in"), 5, 400), "--store", store)).as(err).isZero();
        assertThat(out).contains("5 files, 2000 samples");
        Path fit = folder.resolve("fit");
        assertThat(run("fit", store, "--out", fit)).as(err).isZero();
        assertThat(out).contains("the exported tree and Spark's agree on all").contains("1 tenants; 95 %").contains("missed a value")
                .contains("learning what is normal");
        ClassifierModel model = ClassifierJson.read("it", Files.readString(fit.resolve("classifier.json")));
        assertThat(model.tree().attributes()).extracting(Attribute::name).contains("steal_excess");
        assertThat(model.tree().classify(attribute -> Map.of("steal_excess", 0.15).getOrDefault(attribute.name(), 3.0)).label())
                .isEqualTo(Label.INTERFERENCE);
        assertThat(model.provenance()).containsKeys("made", "data", "pruned", "figures", "samples made");
        assertThat(fit.resolve("table")).doesNotExist();
        assertThat(run("evaluate", store, "--classifier", fit.resolve("classifier.json"), "--beside", fit.resolve("classifier.json"),
                "--out", folder.resolve("judged"), "--by", "host")).as(err).isZero();
        assertThat(out).contains("5 tenants; 95 % intervals by drawing tenants").contains("both say the same of 100.00 %")
                .containsPattern("h0 .*%").containsPattern("h1 .*%");
        assertThat(left()).containsExactly("fit", "in", "judged", "store");
        refused(1, "fit: is there already; name another folder, or remove it", folder.resolve("x"), "fit", store, "--out", fit);
    }

    @Test
    void storesThatCannotTeachOrJudgeAreRefused() throws IOException {
        Path quiet = folder.resolve("quiet");
        Recordings.write(folder.resolve("in/a.csv"), Recordings.lines(Recordings.samples(1, 60, true, true)));
        Recordings.write(folder.resolve("in/b.csv"), Recordings.lines(Recordings.samples(2, 60, true, false)));
        assertThat(run("ingest", folder.resolve("in"), "--store", quiet, "--tenant", "one")).as(err).isZero();
        Path fit = folder.resolve("fit");
        refused(1, "none labelled INTERFERENCE; samples that were not used: ", fit, "fit", quiet, "--out", fit, "--held-out", 0);
        refused(1, "expected tenants that teach and others that judge, got 1 tenant;", fit, "fit", quiet, "--out", fit);
        refused(2, "depth: expected 1 to 30, got 0", fit, "fit", quiet, "--out", fit, "--depth", 0);
        refused(2, "'speed' is neither", fit, "fit", quiet, "--out", fit, "--attributes", "speed");
        refused(2, "cost matrix: expected a:b:c", fit, "fit", quiet, "--out", fit, "--costs", "5");
        refused(1, "no such folder", fit, "fit", folder.resolve("none"), "--out", fit);
        Path shipped = Path.of("../../knowledge-base/src/main/resources/org/ic2/knowledge/classifier.json");
        Path judged = folder.resolve("judged");
        refused(1, "no sample says its host", judged, "evaluate", quiet, "--classifier", shipped, "--out", judged, "--by", "host");
        refused(1, "there is no such file", judged, "evaluate", quiet, "--classifier", folder.resolve("x.json"), "--out", judged);
        Path half = Files.writeString(folder.resolve("half.json"), Files.readString(shipped).substring(0, 300));
        refused(1, "not JSON", judged, "evaluate", quiet, "--classifier", half, "--out", judged);
        refused(1, "whose web tier is it?", folder.resolve("other"), "ingest", folder.resolve("in"), "--store", folder.resolve("other"));
        Path manifest = quiet.resolve("batch=000001/manifest.json");
        Files.delete(manifest.resolveSibling(".manifest.json.crc"));
        Files.writeString(manifest, Files.readString(manifest).replace("\"schema\" : 1", "\"schema\" : 2"));
        refused(1, "schema: expected version 1, got 2", fit, "fit", quiet, "--out", fit);
        assertThat(left()).containsExactly("half.json", "in", "quiet");
    }
}

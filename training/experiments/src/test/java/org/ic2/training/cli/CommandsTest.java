// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.Generated;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.TextFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The command line: what it reads, and how it refuses. */
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
public class CommandsTest {
    @TempDir
    private Path folder;

    /** Exit status, then all that was printed. */
    public record Outcome(int status, String text) {
    }

    /** Runs the command, as its users do. */
    public static Outcome run(Object... words) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (PrintStream both = new PrintStream(text, true, StandardCharsets.UTF_8)) {
            System.setOut(both);
            System.setErr(both);
            int status = Ic2Train.run(List.of(words).stream().map(Object::toString).toList());
            return new Outcome(status, text.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private Path recording(Run run) throws IOException {
        Path file = folder.resolve("monday.csv");
        TextFiles.write(file, SamplesCsv.header() + "\n" + TextFiles.joined(run.samples().stream().map(SamplesCsv::line).toList()));
        return file;
    }

    @Test
    void theListOfVerbsHasAWholeSentenceForEach() {
        Ic2Train.commands(Ic2Train.verbs()).getSubcommands().forEach((verb, line) -> {
            UsageMessageSpec usage = line.getCommandSpec().usageMessage();
            assertThat((usage.header().length > 0 ? usage.header() : usage.description())[0]).as(verb).endsWith(".").doesNotContain(". ");
        });
    }

    @Test
    void outliersReadsWhatTheAgentRecordedAsItIs() throws IOException {
        Run run = Generated.run("x", 1, 4, 60, 0.1);
        Outcome found = run("outliers", recording(run.with(run.samples().subList(0, 150))));
        assertThat(found.status()).isZero();
        assertThat(found.text()).contains("of 150 samples are outliers", "monday.csv,2026-01-01T01:01:00Z,");
        assertThat(run("outliers", folder.resolve("tuesday.csv")).text()).startsWith("ic2-train: ").contains("tuesday.csv");
    }

    @Test
    void aColumnThatHardlyMovesIsSaidToTellNothing() throws IOException {
        Run run = Generated.run("x", 1, 1, 60, 0);
        assertThat(run("outliers", "--metric", "mxc", recording(run)).text()).contains("the deviation is 0");
        assertThat(run("outliers", recording(run.with(run.samples().subList(0, 1)))))
                .isEqualTo(new Outcome(2, "ic2-train: " + folder + "/monday.csv: expected at least two samples of a member, got fewer\n"));
    }

    @Test
    void labelOverwritesNoRun() throws IOException {
        Path ranges = Files.writeString(folder.resolve("truth.csv"), "from,to,label\n0,4000000000,NO_INTERFERENCE\n");
        Path recording = recording(Generated.run("x", 1, 1, 60, 0.1));
        assertThat(run("label", recording, "--ranges", ranges, "--out", folder.resolve("run")).status()).isZero();
        Run before = RunFolder.read(folder.resolve("run"));
        Outcome again = run("label", recording, "--ranges", ranges, "--out", folder.resolve("run"));
        assertThat(again.status()).isEqualTo(2);
        assertThat(again.text()).contains("run: holds a run already");
        assertThat(RunFolder.read(folder.resolve("run"))).isEqualTo(before);
    }

    @Test
    void optionsThatWouldDoNothingAreRefused() {
        assertThat(run("evaluate", folder, "--classifier", "x.json", "--costs", "1:1:1").text())
                .contains("expected one of --classifier FILE");
        assertThat(run("evaluate", folder, "--training", folder, "--by", "DAY").text()).contains("expected one of --classifier FILE");
        assertThat(run("evaluate", folder, "--training", folder, "--leave-out", "DAY").text()).contains("expected one of --classifier FILE");
        assertThat(run("evaluate", folder, "--classifier", folder.resolve("x.json"))).isEqualTo(new Outcome(1,
                "ic2-train: " + folder + "/x.json: there is no such file\n"));
    }

    @Test
    void aLeverOfASweepHasItsOwnValuesOrTheUsualOnes() {
        assertThat(SweepCommand.axis("keep-alive-timeout=4s,300ms,1s").values()).containsExactly(300, 1000, 4000);
        assertThat(SweepCommand.axis("max-request-workers").values()).containsExactly(60, 120, 180, 240);
        assertThatThrownBy(() -> SweepCommand.axis("keep-alive-timeout=4")).hasMessageStartingWith("--lever keep-alive-timeout=4: expected");
        assertThatThrownBy(() -> SweepCommand.axis("max-request-workers=60,")).hasMessageStartingWith("--lever max-request-workers=60,: ");
        assertThatThrownBy(() -> SweepCommand.axis("mxc=60")).hasMessageStartingWith("--lever: expected one of max-request-workers, ").hasMessageEndingWith("got 'mxc'");
    }

    /** As when the folder of a run is deleted while it runs. */
    @Test
    void aFileThatIsGoneIsOneLineWhereverItIsMissed() throws Exception {
        NoSuchFileException gone = new NoSuchFileException("/out/run-1/usage.csv");
        String line = "ic2-train: /out/run-1/usage.csv: there is no such file\n";
        assertThat(failed(gone)).isEqualTo(new Outcome(1, line));
        assertThat(failed(new UncheckedIOException(gone))).isEqualTo(new Outcome(1, line));
        assertThat(failed(new UncheckedIOException("cannot write it", gone))).isEqualTo(new Outcome(1, line));
        assertThatThrownBy(() -> failed(new IllegalStateException("a fault of ours"))).isInstanceOf(IllegalStateException.class);
    }

    private static Outcome failed(Exception e) throws Exception {
        StringWriter text = new StringWriter();
        return new Outcome(Ic2Train.failed(e, new PrintWriter(text, true)), text.toString());
    }

    @Test
    void verbsThatNeedWekaSayHowToBuildThem() {
        String how = "training/weka, which links Weka (GPL-3.0); build it with: make java";
        assertThat(run("--help").text().replaceAll("\\s+", " ")).contains(" fit Needs " + how, " pipeline Needs " + how, " paper Needs " + how);
        assertThat(run("--version").text()).contains("Apache-2.0, without fit, pipeline, paper and evaluate");
        for (Object[] words : new Object[][] {{"fit", folder, "--phase", 1}, {"pipeline", "--help"}, {"paper", "--short"}}) {
            assertThat(run(words)).isEqualTo(new Outcome(2, "ic2-train: " + words[0] + ": needs " + how + "\n"));
        }
        assertThat(run("evaluate", folder, "--training", folder))
                .isEqualTo(new Outcome(2, "ic2-train: evaluate --training: needs " + how + "\n"));
        assertThat(run("evaluate", folder, "--leave-out", "neighbour"))
                .isEqualTo(new Outcome(2, "ic2-train: evaluate --leave-out: needs " + how + "\n"));
    }
}

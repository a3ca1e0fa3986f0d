// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.training.Generated;
import org.ic2.training.compare.Neighbour;
import org.ic2.training.compare.StoredPaper;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.run.FakeTestbed;
import org.ic2.training.run.RunPlan;
import org.ic2.training.run.Testbed;
import org.ic2.training.sweep.SweepRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ic2-train paper} would run, the tree that it trains on the repository's recordings, and its report of made-up runs. */
class PaperTest {
    /** Of the sources. */
    private static final Path HOME = Path.of("../..").toAbsolutePath().normalize();
    private static final Duration PAPER = Duration.ofSeconds(5);

    @TempDir
    private Path folder;
    private Testbed testbed;

    @BeforeEach
    void describe() throws IOException {
        FakeTestbed fake = new FakeTestbed(folder.resolve("home"));
        Path state = fake.file("testbed.json");
        Files.writeString(state, Files.readString(state).replace("\"files\": {", "\"baseline\": {\"php_children\": 60}, \"files\": {"));
        testbed = fake.testbed();
    }

    private PaperPlan plan(boolean brief, int repeat, Duration on, Duration interval, Optional<Double> recorded) {
        return new PaperPlan(folder.resolve("out"), testbed, 100, 1, brief, repeat, on, interval, recorded);
    }

    @Test
    void byDefaultItIsThePapersExperiment() {
        PaperPlan plan = plan(false, 5, Duration.ofSeconds(240), PAPER, Optional.empty());
        assertThat(plan.compare().runs()).hasSize(5 * 3 * 3).allSatisfy(run -> {
            assertThat(run.length()).isEqualTo(Duration.ofHours(1));
            assertThat(run.neighbours().get(0).schedule()).contains("240000ms on");
        });
        assertThat(plan.compare().neighbours()).isEqualTo(Neighbour.USUAL);
        assertThat(plan.compare().firstHalf()).isEqualTo(Duration.ofSeconds(60));
        assertThat(plan.compare().agents().interval()).isEqualTo(PAPER);
        assertThat(plan.estimate()).as("the paper: 48 h").isBetween(Duration.ofHours(40), Duration.ofHours(60));
        assertThat(plan.runs()).contains("compare: r5-llcprobe-paper-graceful", "beside llcprobe: sweep-max-request-workers-x-keep-alive-timeout-3",
                "beside dcopy-low: sweep-keep-alive-timeout-1", "beside dcopy-high: sweep-php-max-children-2");
    }

    @Test
    void theShortFormTakesHalfAnHourAtThePapersTimes() {
        PaperPlan plan = plan(true, 1, Duration.ofSeconds(240), PAPER, Optional.empty());
        assertThat(plan.compare().runs()).hasSize(3).extracting(RunPlan::length).containsOnly(Duration.ofSeconds(480));
        assertThat(plan.estimate()).isLessThanOrEqualTo(Duration.ofMinutes(30));
    }

    @Test
    void optionsOfWhichNoRunCanBeMadeAreRefused() {
        Duration on = Duration.ofSeconds(240);
        assertThatThrownBy(() -> plan(true, 0, on, PAPER, Optional.empty())).hasMessage("--repeat: expected 1 or more, got 0");
        assertThatThrownBy(() -> plan(true, 1, on, Duration.ZERO, Optional.empty()))
                .hasMessage("--interval: expected from 1000ms to an eighth of --on (30000ms), got 0ms");
        assertThatThrownBy(() -> plan(true, 1, Duration.ofSeconds(39), PAPER, Optional.empty())).hasMessageContaining("(4875ms), got 5000ms");
        for (double part : List.of(0.0, -1.0, 1.1, Double.NaN)) {
            assertThatThrownBy(() -> plan(true, 1, on, PAPER, Optional.of(part))).hasMessage("--record: expected more than 0 and at most 1, got " + part);
        }
    }

    @Test
    void theThreePhasesAreRecordedWhereAskedWithThePapersAgentAndWithoutALadder() {
        PaperPlan plan = plan(true, 1, Duration.ofSeconds(240), PAPER, Optional.of(0.1));
        assertThat(plan.runs()).anyMatch(run -> run.startsWith("training: phase-1-")).anyMatch(run -> run.startsWith("training: phase-3-"))
                .noneMatch(run -> run.contains("ladder"));
        assertThat(plan.estimate()).isGreaterThan(Duration.ofHours(3));
    }

    @Test
    void theRepositorysRecordingsTeachThePapersTree() throws IOException {
        PaperPlan plan = plan(true, 1, Duration.ofSeconds(240), PAPER, Optional.empty());
        Paper paper = new Paper(plan, HOME);
        paper.train();
        assertThat(paper.taught()).as("all three phases").anyMatch(run -> run.id().startsWith("phase-1-")).anyMatch(run -> run.id().startsWith("phase-3-"))
                .allMatch(run -> run.interval().equals(PAPER));
        for (int phase = 1; phase <= 3; phase++) {
            Path file = PhaseTrees.tree(plan.training(), phase).resolve("classifier.json");
            ClassifierModel tree = ClassifierJson.read(file.toString(), Files.readString(file));
            assertThat(tree.attributes()).extracting(Attribute::name).containsExactlyInAnyOrder("load_per_operation", "work_done", "response_time");
            assertThat(tree.costs()).isEqualTo(CostMatrix.parse("5:1:10"));
            assertThat(tree.provenance()).containsEntry("interval", "5000 ms");
        }
        assertThat(plan.tree()).isEqualTo(PhaseTrees.tree(plan.training(), 3).resolve("classifier.json")).exists();
    }

    @Test
    void theReportIsOfWhatIsThereAndSaysWhatIsMissing() throws IOException {
        PaperPlan plan = plan(true, 3, Duration.ofSeconds(20), Duration.ofSeconds(1), Optional.empty());
        Paper paper = new Paper(plan, HOME);
        assertThatThrownBy(paper::report).isInstanceOf(IOException.class).hasMessageContaining("expected what `ic2-train paper` has measured");
        StoredPaper.in(plan.compared(), plan.compare());
        List<String> lines = paper.report();
        assertThat(lines).last().isEqualTo("report: " + plan.folder().resolve(Paper.REPORT));
        String text = String.join("\n", lines);
        assertThat(text).contains("More than the paper's gain", "paper, private: online", "(the paper's Table 2)", "(the paper's figure 7)",
                "| paper, EC2 | 1:1:1 | 12 % |", "| ours | 5:1:10 | ", "Note: the sweep of php-max-children beside llcprobe is missing.",
                "trained on the repository's recordings").doesNotContain("NaN");
        String page = Files.readString(plan.folder().resolve(Paper.REPORT));
        assertThat(page).contains("the paper's figure 11", "the paper's figure 10", "Figure 9", "the paper's figure 7", "Table 2")
                .doesNotContain("NaN").doesNotContain("src=");
        assertThat(plan.folder().resolve("paper.md")).exists();
        assertThat(plan.compared().resolve("periods.csv")).as("the comparison's own files too").exists();
    }

    /** As after an interrupt: what was measured of the round is kept, but it says nothing of most pairs. */
    @Test
    void aSweepThatWasBrokenOffIsMissing() throws IOException {
        PaperPlan plan = plan(true, 1, Duration.ofSeconds(20), Duration.ofSeconds(1), Optional.empty());
        SweepRun map = plan.sweeps().get("llcprobe").get(0);
        RunPlan round = map.plans().get(0);
        Run run = Generated.run(round.id(), 1, 1, 30, 0.1);
        RunFolder.write(map.folder().resolve(round.id()), run, false);
        assertThat(map.complete()).isTrue();
        RunFolder.write(map.folder().resolve(round.id()), run.with(Run.BROKEN, "after 60 s: interrupted"), false);
        assertThat(map.complete()).isFalse();
    }

    @Test
    void withoutARunOfItsAgentThereIsNoFigureEleven() throws IOException {
        PaperPlan plan = plan(true, 1, Duration.ofSeconds(20), Duration.ofSeconds(1), Optional.empty());
        StoredPaper.in(plan.compared(), plan.compare());
        Files.delete(plan.compared().resolve("r1-llcprobe-paper-online/run.json"));
        assertThat(String.join("\n", new Paper(plan, HOME).report())).contains("Note: figure 11 and the accuracy are missing: no run of the arm paper-online is there.");
    }
}

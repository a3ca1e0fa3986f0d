// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.training.Generated;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.ic2.training.data.TextFiles;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Product;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StudyTest {
    @TempDir
    private Path folder;

    private static Study study(double noise) {
        List<Run> training = Generated.runs(4, noise);
        List<Run> heldOut = new ArrayList<>();
        for (int i = 10; i < 14; i++) {
            heldOut.add(Generated.run("evaluation-" + i, i, 3, 60, noise).with(Run.KIND, "evaluation"));
        }
        Run quiet = Generated.run("surge-1", 20, 1, 200, noise);
        heldOut.add(new Run("surge-1", quiet.interval(), quiet.baseline(), List.of(), Map.of(Run.KIND, "surge"),
                quiet.samples().subList(0, 200)));
        return Study.make(new Study.Plan(training, List.of(), heldOut, List.of("paper", "extended"),
                List.of(Duration.ofSeconds(1), Duration.ofSeconds(5)), Costs.PRODUCTION, List.of("1:1:1", "5:1:10"), 1));
    }

    @Test
    void aClearCaseReachesEveryGoalAndThePageSaysSo() {
        Study study = study(0.1);
        assertThat(study.cases()).hasSize(4).allSatisfy(one -> {
            assertThat(one.figures().missRate().value()).isZero();
            assertThat(one.figures().recall().value()).isEqualTo(1);
            assertThat(one.figures().onset().median()).isLessThanOrEqualTo(one.interval().toSeconds() * 3);
        });
        assertThat(study.of("extended").ofKind("surge").falseAlarms().value()).isZero();
        String page = StudyReport.html(study, "extended", Map.of("scale", "made up"));
        assertThat(page).contains("All three goals are reached", "made up", "1:1:1").doesNotContain("http://localhost")
                .doesNotContain("src=").doesNotContain("NaN");
        assertThat(page.split("<svg").length - 1).as("figure 11 twice, one run, the tree").isEqualTo(4);
    }

    @Test
    void aRunThatTaughtCannotJudge() {
        List<Run> runs = Generated.runs(4, 0.1);
        assertThatThrownBy(() -> Study.make(new Study.Plan(runs.subList(0, 2), runs.subList(2, 3), runs.subList(2, 4), List.of("paper"),
                List.of(Duration.ofSeconds(1)), Costs.PRODUCTION, List.of(), 1))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("run-2");
    }

    @Test
    void longIntervalsLearnFromEarlierPhasesTooAndAreLeftOutWithAWordIfEvenSoTheyAreTooFew() {
        List<Run> heldOut = List.of(Generated.run("evaluation-1", 10, 3, 60, 0.1).with(Run.KIND, "evaluation"));
        Run brief = Generated.run("brief", 5, 1, 30, 0.1);
        List<Duration> intervals = List.of(Duration.ofSeconds(1), Duration.ofSeconds(5));
        Study alone = Study.make(new Study.Plan(List.of(brief), List.of(), heldOut, List.of("paper"), intervals, Costs.PRODUCTION,
                List.of(), 1));
        assertThat(alone.cases()).hasSize(1);
        assertThat(alone.leftOut()).singleElement().asString().startsWith("at 5.0 s nothing is judged: one side has ");
        assertThat(StudyReport.html(alone, "paper", Map.of())).contains("At 5.0 s nothing is judged");
        Study both = Study.make(new Study.Plan(List.of(brief), Generated.runs(4, 0.1), heldOut, List.of("paper"), intervals,
                Costs.PRODUCTION, List.of(), 1));
        assertThat(both.cases()).hasSize(2);
        assertThat(both.cases().get(0).product().order().runs()).containsExactly(brief);
        assertThat(both.cases().get(1).product().order().runs()).hasSize(5);
        assertThat(both.leftOut()).isEmpty();
    }

    @Test
    void aNeighbourOnAnotherCoreHasALineOfItsOwnAndTheReportSaysWhatHappenedInANegative() {
        Run beside = Generated.run("beside-1", 30, 2, 60, 0).with(Run.KIND, "beside");
        List<Run> heldOut = new ArrayList<>(study(0.1).plan().heldOut());
        int before = study(0.1).of("extended").figures().runs();
        heldOut.add(new Run(beside.id(), beside.interval(), beside.baseline(), beside.switches().stream().map(one -> new Switch(
                one.time(), one.on(), "dcopy", "other-core")).toList(), beside.facts(), beside.samples()));
        Study study = Study.make(new Study.Plan(Generated.runs(4, 0.1), List.of(), heldOut, List.of("extended"),
                List.of(Duration.ofSeconds(1)), Costs.PRODUCTION, List.of(), 1));
        assertThat(study.of("extended").figures().runs()).isEqualTo(before);
        assertThat(study.of("extended").ofKind(Study.BESIDE).runs()).isEqualTo(1);
        assertThat(StudyReport.html(study, "extended", Map.of())).contains("dcopy, other-core").contains("10.0 times")
                .contains("times the operations, ");
    }

    @Test
    void aBadResultIsSaidPlainly() {
        String page = StudyReport.html(study(1.6), "extended", Map.of());
        assertThat(page).contains("Missed: ").contains("percentage points").doesNotContain("All three goals");
    }

    @Test
    void aProductCanBeReadByTheAgent() throws Exception {
        Study study = study(0.1);
        study.of("extended").product().write(folder);
        var model = ClassifierJson.read("c", TextFiles.joined(TextFiles.lines(folder.resolve(Product.CLASSIFIER))));
        assertThat(model.tree()).isEqualTo(study.of("extended").product().fitted().tree());
        assertThat(model.provenance()).containsKeys("data", "neighbours", "settings", "figures");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("classifier.json", "tree.txt", "tree.svg", "training.arff");
        StudyFiles.write(study, "extended", folder.resolve("report.html"), Map.of());
        List<String> csv = TextFiles.lines(folder.resolve("figures.csv"));
        assertThat(csv).hasSize(1 + 4 * 7 + 4).allMatch(line -> line.split(",", -1).length == 31);
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.training.cli.Ic2Train;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.ic2.training.evaluate.Confusion;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.fit.Agreement;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Fitted;
import org.ic2.training.fit.Trainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shipped trees are what the recordings in {@code data/} and the commands of docs/training.md give. */
class ShippedTreeTest {
    private static final Path DATA = Path.of("../data");
    private static final List<String> PARTS =
            List.of("phase-1", "phase-2", "phase-3", "evaluation", "onsets", "observed", "steady", "later", "apart");

    @TempDir
    private Path folder;

    private static List<Run> runs(String... parts) throws IOException {
        return DataSet.read(Stream.of(parts).map(DATA::resolve).toList());
    }

    private String fitted(List<String> parts, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("fit"));
        parts.forEach(part -> command.add(DATA.resolve(part).toString()));
        command.addAll(List.of("--phase", "3", "--least-harm", "2", "--out", folder.toString()));
        command.addAll(List.of(options));
        assertThat(Ic2Train.run(command)).isZero();
        return Files.readString(folder.resolve("classifier.json"));
    }

    @Test
    void theDocumentedCommandsMakeThem() throws IOException {
        assertThat(fitted(List.of("phase-3"), "--phase-1", DATA.resolve("phase-1").toString(), "--attributes", "extended"))
                .isEqualTo(Shipped.text(Shipped.CLASSIFIER));
        assertThat(fitted(List.of("phase-1", "phase-2", "phase-3"), "--attributes", "relative+mitigation"))
                .isEqualTo(Shipped.text(Shipped.WITHOUT_STEAL));
        assertThat(fitted(List.of("phase-1", "phase-2", "phase-3"), "--attributes", "paper", "--interval", "5s"))
                .isEqualTo(Shipped.text(Shipped.PAPER));
    }

    @Test
    void thePapersTreeAsksForItsThreeAttributesAlone() {
        assertThat(Shipped.classifier(Shipped.PAPER).tree().attributes()).isNotEmpty().allSatisfy(attribute -> {
            assertThat(attribute.quantity()).isIn(Metric.LOAD_PER_OPERATION, Metric.WORK_DONE, Metric.RESPONSE_TIME);
            assertThat(attribute.relative()).isFalse();
        });
    }

    @Test
    void noTrainingSawTheProbeThatJudges() throws IOException {
        assertThat(runs("phase-1", "phase-2", "phase-3").stream().flatMap(run -> run.switches().stream()).map(Switch::program))
                .isNotEmpty().allMatch(program -> program.startsWith("dcopy "));
        assertThat(runs("evaluation").stream().flatMap(run -> run.switches().stream()).map(Switch::program))
                .anyMatch(program -> program.startsWith("llcprobe ")).anyMatch(program -> program.startsWith("dcopy "));
    }

    @Test
    void theTreeWithoutStealNeedsNothingButResponseTimeThroughputAndCpu() {
        assertThat(Shipped.classifier(Shipped.WITHOUT_STEAL).tree().attributes()).isNotEmpty().allSatisfy(attribute ->
                assertThat(attribute.quantity()).isIn(Metric.LOAD_PER_OPERATION, Metric.WORK_DONE, Metric.RESPONSE_TIME,
                        Metric.MITIGATION));
    }

    /** On the shipped recordings, which hold a surge, each tree is at least as good as is said of it. */
    @Test
    void theyAreAsGoodAsTheDocumentsSay() throws IOException {
        Confusion shipped = judged(Shipped.classifier().tree(), "evaluation");
        assertThat(shipped.missRate()).isZero();
        assertThat(shipped.recall(Label.INTERFERENCE)).isEqualTo(1);
        assertThat(shipped.precision(Label.INTERFERENCE)).isEqualTo(1);
        Confusion without = judged(Shipped.classifier(Shipped.WITHOUT_STEAL).tree(), "evaluation");
        assertThat(without.recall(Label.INTERFERENCE)).isGreaterThan(0.8);
        assertThat(without.precision(Label.INTERFERENCE)).isGreaterThan(0.97);
    }

    /** Weka and the exported tree agree on every row of every data set we have, also those that no training saw. */
    @Test
    void theExportedTreesAndWekasAgreeOnEveryShippedRow() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String part : PARTS) {
            rows.addAll(Rows.of(runs(part)));
        }
        assertThat(DATA.toFile().list()).as("all of them").containsExactlyInAnyOrderElementsOf(PARTS);
        List<Row> taught = Rows.labelled(Rows.of(runs("phase-1", "phase-2", "phase-3")));
        for (String attributes : Attributes.sets()) {
            Agreement agreement = Agreement.on(Trainer.fit(taught, Attributes.parse(attributes),
                    Fitted.Settings.of(Costs.parse(Costs.PRODUCTION))), rows);
            assertThat(agreement.rows()).isEqualTo(rows.size());
            assertThat(agreement.disagreements()).as(attributes).isZero();
        }
    }

    /** Pages of 1.5 times the CPU for a while are no interference to the shipped tree; nor is a neighbour that does no harm. */
    @Test
    void aDearerDeploymentIsNoInterference() throws IOException {
        Confusion deployment = judged(Shipped.classifier().tree(), "later/deployment-1");
        assertThat(deployment.of(Label.NO_INTERFERENCE)).isGreaterThan(250);
        assertThat(deployment.falseAlarms()).isZero();
        assertThat(judged(Shipped.classifier(Shipped.WITHOUT_STEAL).tree(), "later/deployment-1").falseAlarms()).isLessThan(0.06);
        assertThat(judged(Shipped.classifier().tree(), "later").falseAlarms()).isZero();
    }

    private static Confusion judged(DecisionTree tree, String part) throws IOException {
        return Evaluation.of(runs(part), row -> tree.classify(row::get).believed()).confusion();
    }
}

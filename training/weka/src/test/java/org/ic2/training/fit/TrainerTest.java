// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.knowledge.tree.TreeNode.Split;
import org.ic2.training.Generated;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Confusion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrainerTest {
    private static final Fitted.Settings PRODUCTION = Fitted.Settings.of(Costs.parse(Costs.PRODUCTION));

    /** Runs in which many values are missing, of which some attributes are pure noise. */
    private static List<Row> holedRows() {
        Random random = new Random(3);
        List<Run> runs = new ArrayList<>();
        for (Run run : Generated.runs(5, 0.9)) {
            List<Sample> holed = run.samples().stream().map(sample -> {
                Sample.Builder builder = sample.toBuilder().set(Metric.MEMORY_PRESSURE, random.nextDouble());
                for (Metric metric : List.of(Metric.STEAL, Metric.RUN_DELAY, Metric.MEMORY_LATENCY, Metric.CPU_UTIL)) {
                    if (random.nextInt(4) == 0) {
                        builder.set(metric, Double.NaN);
                    }
                }
                return builder.build();
            }).toList();
            runs.add(run.with(holed));
        }
        return Rows.labelled(Rows.of(runs));
    }

    @ParameterizedTest
    @ValueSource(strings = {"paper", "relative", "extended", "paper+steal+mitigation+cmr"})
    void exportedTreeAndWekaAgreeOnEveryRowAndOnAMillionRandomOnes(String attributes) {
        List<Row> rows = holedRows();
        Fitted.Settings bushy = new Fitted.Settings(Costs.parse("5:1:10"), 0.5, 2);
        Fitted fitted = Trainer.fit(rows, Attributes.parse(attributes), bushy);
        assertThat(fitted.tree().attributes()).as("a tree worth comparing").hasSizeGreaterThan(1);
        assertThat(Agreement.on(fitted, rows).disagreements()).isZero();
        Agreement random = Agreement.onRandom(fitted, rows, 1_000_000, 11);
        assertThat(random.disagreements()).isZero();
        assertThat(random.ties()).as("ties are rare").isLessThan(random.rows() / 100);
    }

    @Test
    void theComparisonSeesAMovedThreshold() {
        List<Row> rows = holedRows();
        Fitted fitted = Trainer.fit(rows, Attributes.parse("paper"), PRODUCTION);
        Split root = (Split) fitted.tree().root();
        var moved = new org.ic2.knowledge.tree.DecisionTree(new Split(root.attribute(), Math.nextUp(root.threshold()),
                root.le(), root.gt(), root.weight()));
        Fitted wrong = new Fitted(fitted.attributes(), fitted.settings(), fitted.rows(), moved, fitted.weka(),
                fitted.schema());
        assertThat(Agreement.onRandom(wrong, rows, 200_000, 1).disagreements()).isPositive();
    }

    @Test
    void findsTheThresholdThatWasPutIn() {
        List<Attribute> attributes = Attributes.parse("response_time");
        Fitted fitted = Trainer.fit(Rows.labelled(Rows.of(Generated.runs(4, 0.1))), attributes, PRODUCTION);
        assertThat(((Split) fitted.tree().root()).threshold()).isBetween(0.05, 0.35);
        assertThat(fitted.tree().classify(a -> 0.04).label()).isEqualTo(Label.NO_INTERFERENCE);
        assertThat(fitted.tree().classify(a -> 0.4).label()).isEqualTo(Label.INTERFERENCE);
    }

    @Test
    void costsMoveTheTree() {
        List<Row> rows = Rows.labelled(Rows.of(Generated.runs(6, 1.2)));
        List<Attribute> attributes = Attributes.parse("response_time");
        long careless = missed(Trainer.fit(rows, attributes, PRODUCTION.with(Costs.parse("10:1:1"))), rows);
        long careful = missed(Trainer.fit(rows, attributes, PRODUCTION.with(Costs.parse("1:1:10"))), rows);
        assertThat(careful).as("a missed interference that costs ten times is missed less").isLessThan(careless);
    }

    private static long missed(Fitted fitted, List<Row> rows) {
        return rows.stream().filter(row -> row.truth().orElseThrow() == Label.INTERFERENCE
                && fitted.label(row) == Label.NO_INTERFERENCE).count();
    }

    @Test
    void theFileGivesTheSameTreeBack() {
        List<Row> rows = holedRows();
        Fitted fitted = Trainer.fit(rows, Attributes.parse("extended"), PRODUCTION);
        ClassifierModel model = new ClassifierModel(fitted.attributes(), PRODUCTION.costs(), java.util.Map.of("seed", "1"),
                fitted.tree());
        assertThat(ClassifierJson.read("x", ClassifierJson.write(model))).isEqualTo(model);
    }

    @Test
    void heldOutRunsAreNeverTrainedOn() {
        List<Run> runs = new ArrayList<>(Generated.runs(4, 0.05));
        Run liar = Generated.run("liar", 9, 3, 60, 0.05);
        runs.add(liar.with(liar.samples().stream().map(sample -> sample.toBuilder().label(swapped(sample)).build()).toList()));
        List<Row> rows = Rows.of(runs);
        Confusion liars = Confusion.by(answer -> answer.row().run(), CrossValidation.of(rows, Rows.labelled(rows),
                Attributes.parse("response_time"), PRODUCTION, 5, 1).orElseThrow()).get("liar");
        assertThat(liars.recall(Label.INTERFERENCE)).as("the other runs say the truth").isZero();
    }

    @Test
    void withoutBothSidesInEveryFoldThereIsNoCrossValidationButATree() {
        Run both = Generated.run("monday", 1, 3, 60, 0.05);
        Run quiet = Generated.run("tuesday", 9, 3, 60, 0.05);
        List<Run> runs = List.of(both, quiet.with(quiet.samples().stream()
                .filter(sample -> sample.label().orElseThrow() == Label.NO_INTERFERENCE).toList()));
        List<Row> rows = Rows.of(runs);
        Product product = Product.make(new Product.Order("x", runs, rows, Rows.labelled(rows), Attributes.parse("paper"), PRODUCTION,
                10, 1));
        assertThat(product.validated()).isEmpty();
        assertThat(product.model().provenance().get("figures")).startsWith("not cross-validated: with one run left out");
    }

    @Test
    void tooLittleToTrainOnIsSaidWithWhatCouldNotBeUsed() {
        Run run = Generated.run("idle", 1, 2, 60, 0.05);
        List<Run> runs = List.of(run.with(run.samples().stream().map(sample -> sample.toBuilder().set(Metric.REQUESTS, 9).build())
                .toList()));
        List<Row> rows = Rows.of(runs);
        assertThatThrownBy(() -> Product.make(new Product.Order("x", runs, rows, Rows.labelled(rows), Attributes.parse("paper"),
                PRODUCTION, 10, 1))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("got 0 rows").hasMessageContaining("240 (fewer than 10 requests)");
    }

    private static Label swapped(Sample sample) {
        return switch (sample.label().orElseThrow()) {
            case INTERFERENCE -> Label.NO_INTERFERENCE;
            case NO_INTERFERENCE -> Label.INTERFERENCE;
            case TRANSIENT -> Label.TRANSIENT;
        };
    }

    @Test
    void phaseTwoTakesHalfOfEach() {
        List<Row> first = Rows.labelled(Rows.of(Generated.runs(2, 0.1)));
        List<Row> second = Rows.labelled(Rows.of(List.of(Generated.run("p2", 20, 3, 60, 0.1))));
        List<Row> mixed = Phases.second(first, second, 1);
        assertThat(mixed.stream().filter(row -> row.run().equals("p2")).count() / (double) second.size())
                .isBetween(0.49, 0.51);
        assertThat(mixed).hasSizeBetween((first.size() + second.size()) / 2, (first.size() + second.size()) / 2 + 12)
                .doesNotHaveDuplicates();
        assertThat(Phases.second(first, second, 1)).isEqualTo(mixed);
        assertThat(Phases.second(first, second, 2)).isNotEqualTo(mixed);
    }

    @Test
    void refusesDataOfOneSide() {
        List<Row> quiet = Rows.labelled(Rows.of(Generated.runs(2, 0.1))).stream()
                .filter(row -> row.truth().orElseThrow() == Label.NO_INTERFERENCE).toList();
        assertThatThrownBy(() -> Trainer.fit(quiet, Attributes.parse("paper"), PRODUCTION))
                .hasMessageContaining("none labelled INTERFERENCE");
        assertThatThrownBy(() -> Costs.parse("5:1")).hasMessageContaining("a:b:c");
        assertThatThrownBy(() -> Attributes.parse("paper+stael")).hasMessageContaining("stael");
    }
}

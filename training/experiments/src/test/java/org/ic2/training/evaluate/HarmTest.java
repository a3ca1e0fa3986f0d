// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.Generated;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.junit.jupiter.api.Test;

/** What is beside neighbours that do no harm is neither interference nor quiet. */
public class HarmTest {
    private final Run harmful = Generated.run("harmful", 1, 2, 30, 0);

    /** A run whose neighbour, on the other core, makes the tier {@code factor} times slower. */
    public static Run harmless(String id, double factor) {
        Run run = Generated.run(id, 2, 2, 30, 0);
        List<Switch> switches = run.switches().stream().map(one -> new Switch(one.time(), one.on(), "dcopy", "other-core")).toList();
        return new Run(id, run.interval(), run.baseline(), switches, run.facts(), run.samples().stream()
                .map(sample -> sample.toBuilder().set(Metric.RESPONSE_TIME, sample.get(Metric.RESPONSE_TIME) > 0.1 ? 0.04 * factor
                        : 0.04).build()).toList());
    }

    @Test
    void isHowMuchSlowerTheTierIsBesideEachNeighbour() {
        assertThat(Harm.of(List.of(harmful, harmless("other", 1.5))).ratios())
                .containsExactly(entry("dcopy other-core", 1.5), entry("dcopy same-core", 10.0));
    }

    @Test
    void samplesBesideAHarmlessNeighbourHaveNoLabel() {
        Run other = harmless("other", 1.4);
        Harm harm = Harm.of(List.of(harmful, other));
        List<Run> labelled = harm.labelled(List.of(harmful, other), 1.5);
        assertThat(labelled.get(0)).isEqualTo(harmful);
        assertThat(labelled.get(1).fact(Harm.HARMLESS)).isEqualTo("dcopy other-core: response time 1.4 times the quiet one, less than 1.5");
        assertThat(labelled.get(1).samples()).extracting(Sample::label).containsOnly(Optional.empty(), Optional.of(Label.NO_INTERFERENCE));
        List<Label> quiet = labelled.get(1).samples().stream().flatMap(sample -> sample.label().stream()).toList();
        assertThat(quiet).as("without the first seconds after the episode").hasSize(2 * 30 - 10);
        assertThat(Rows.labelled(Rows.of(labelled))).filteredOn(row -> row.run().equals("harmful")).isEqualTo(
                Rows.labelled(Rows.of(List.of(harmful))));
        assertThat(harm.labelled(List.of(harmful, other), 1)).containsExactly(harmful, other);
        assertThat(harm.labelled(List.of(harmful, other), 1.4)).containsExactly(harmful, other);
    }

    @Test
    void itIsReportedByItselfAndInNoneOfTheFigures() {
        List<Run> runs = Harm.of(List.of()).labelled(List.of(harmful, harmless("other", 1.1)), 1.5);
        Evaluation evaluation = Evaluation.of(runs, row -> row.sample().get(Metric.RESPONSE_TIME) > 0.042 ? Label.INTERFERENCE
                : Label.NO_INTERFERENCE);
        assertThat(evaluation.confusion().falseAlarms()).isZero();
        assertThat(evaluation.confusion().recall(Label.INTERFERENCE)).isEqualTo(1);
        assertThat(evaluation.harmless()).containsExactly(entry("dcopy other-core", new Harmless(Duration.ofSeconds(60), Duration.ofSeconds(60))));
        assertThat(evaluation.latencies()).as("of the harmful one").hasSize(3);
        assertThat(Figures.of(evaluation, new Bootstrap(1)).text())
                .contains("harmless        60 s, 60 s of them labelled INTERFERENCE beside dcopy other-core, left out");
        assertThat(Kind.PLACEMENT.table(evaluation).lines().map(line -> line.replaceAll(" +", " "))).containsExactly(
                "placement runs interference recall precision without false alarms harmless",
                "other-core 1 0 s - - " + without(evaluation, "other") + " s 0.0 % 60 s",
                "same-core 1 40 s 100.0 % 100.0 % " + without(evaluation, "harmful") + " s 0.0 % 0 s",
                "all 2 40 s 100.0 % 100.0 % " + evaluation.confusion().of(Label.NO_INTERFERENCE) + " s 0.0 % 60 s");
    }

    private static long without(Evaluation evaluation, String run) {
        return evaluation.byRun().get(run).of(Label.NO_INTERFERENCE);
    }

    @Test
    void clientResponseTimeIsPreferredToTheTiers() {
        Run seen = harmful.with(Run.HARM, "1.20 unknown");
        Run labelled = Harm.of(List.of(seen)).labelled(List.of(seen), 1.5).get(0);
        assertThat(labelled.fact(Harm.HARMLESS)).contains("1.2 times");
        assertThat(labelled.samples().subList(30, 60)).as("the first episode").allMatch(sample -> sample.label().isEmpty());
        assertThat(labelled.samples().subList(100, 120)).as("the second, by the tier's response time")
                .allMatch(sample -> sample.label().equals(Optional.of(Label.INTERFERENCE)));
    }

    @Test
    void theSameNeighbourMayHarmAtOneLoadAndNotAtAnother() {
        Run low = at(harmless("low", 1.1), 100);
        Run high = at(harmless("high", 4), 200);
        Run acted = at(mitigated(harmless("acted", 1)), 200);
        Harm harm = Harm.of(List.of(low, high));
        assertThat(harm.ratios()).containsExactly(entry("dcopy other-core at 100 users", 1.1), entry("dcopy other-core at 200 users", 4.0));
        List<Run> labelled = harm.labelled(List.of(low, high, acted), 1.5);
        assertThat(labelled.get(0).fact(Harm.HARMLESS)).isNotEmpty();
        assertThat(labelled.subList(1, 3)).as("what a mitigation hides is known of its kind").containsExactly(high, acted);
    }

    private static Run at(Run run, int users) {
        return run.with("testbed.layout", "apart").with("users", Integer.toString(users));
    }

    private static Run mitigated(Run run) {
        return run.with(run.samples().stream().map(sample -> sample.toBuilder()
                .settings(Generated.BASELINE.with(Lever.MITIGATION, 2)).build()).toList());
    }

    @Test
    void aMitigatedRunSaysNothingOfHarmAndAnUnknownNeighbourIsHarmful() {
        Run hidden = mitigated(harmful);
        assertThat(Harm.of(List.of(hidden)).ratios()).isEmpty();
        assertThat(Harm.of(List.of(hidden)).labelled(List.of(hidden), 2)).containsExactly(hidden);
    }

    @Test
    void runsAreGroupedByWhatTheyHaveInCommon() {
        assertThat(Kind.NEIGHBOUR.of(harmful)).isEqualTo("dcopy");
        assertThat(Kind.APPLICATION.of(harmful)).isEqualTo("olio public");
        assertThat(Kind.LOAD.of(at(harmful, 190))).isEqualTo("apart, 190 users, cycle ? ms");
        assertThat(Kind.DAY.of(harmful)).isEqualTo("2026-01-01");
        assertThat(Kind.RECORDING.of(harmful)).isEqualTo("harmful");
        Run stress = new Run("s", harmful.interval(), harmful.baseline(), List.of(new Switch(Generated.START, true, "stress-ng --cache 1",
                "same-core")), harmful.facts(), harmful.samples());
        assertThat(Kind.NEIGHBOUR.of(stress)).isEqualTo("stress-ng --cache");
        assertThat(Kind.PLACEMENT.of(new Run("q", harmful.interval(), harmful.baseline(), List.of(), harmful.facts(), harmful.samples())))
                .isEqualTo("none");
    }
}

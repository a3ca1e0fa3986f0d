// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.Generated;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static Label byResponseTime(Row row) {
        return row.sample().get(Metric.RESPONSE_TIME) > 0.15 ? Label.INTERFERENCE : Label.NO_INTERFERENCE;
    }

    private static Label truth(Row row) {
        return row.truth().orElse(Label.TRANSIENT);
    }

    @Test
    void figuresFollowThePaper() {
        // 100 s quiet, 10 of them taken for interference; 100 s loud, 5 taken for quiet and 3 for transient
        Run run = Generated.run("a", 1, 2, 60, 0);
        List<Row> rows = Rows.of(List.of(run));
        int[] seen = new int[3];
        List<Answer> answers = Answer.of(rows, row -> {
            int number = seen[truth(row).ordinal()]++;
            return switch (truth(row)) {
                case NO_INTERFERENCE -> number < 10 ? Label.INTERFERENCE : Label.NO_INTERFERENCE;
                case INTERFERENCE -> number < 5 ? Label.NO_INTERFERENCE : number < 8 ? Label.TRANSIENT : Label.INTERFERENCE;
                case TRANSIENT -> Label.INTERFERENCE;
            };
        });
        Confusion confusion = Confusion.of(answers);
        long quiet = confusion.of(Label.NO_INTERFERENCE);
        assertThat(quiet).isEqualTo(90);
        assertThat(confusion.of(Label.INTERFERENCE)).isEqualTo(100);
        assertThat(confusion.missRate()).isEqualTo(15.0 / 190);
        assertThat(confusion.recall(Label.INTERFERENCE)).isEqualTo(0.92);
        assertThat(confusion.precision(Label.INTERFERENCE)).isEqualTo(92.0 / 102);
        assertThat(confusion.falseAlarms()).isEqualTo(10.0 / 90);
        assertThat(confusion.get(Label.TRANSIENT, Label.INTERFERENCE)).as("reported, in no figure").isEqualTo(30);
        assertThat(Confusion.empty().missRate()).as("nothing is not zero").isNaN();
    }

    @Test
    void latencyIsFromTheSwitchToTheConfirmedState() {
        Run run = Generated.run("a", 1, 3, 60, 0);
        List<Detection.Latency> latencies = Evaluation.of(List.of(run), FiguresTest::byResponseTime).latencies();
        // T, I1, I2: the third loud second; T, NI1, NI2: the third quiet one
        assertThat(latencies).hasSize(5).allMatch(latency -> latency.seconds().equals(Optional.of(3.0)));
        assertThat(Detection.Spread.of(latencies, true).count()).isEqualTo(3);
        assertThat(Detection.Spread.of(latencies, false).count()).isEqualTo(2);
    }

    @Test
    void unnoticedInterferenceIsMissedAndItsEndDoesNotCount() {
        Run run = Generated.run("a", 1, 2, 60, 0);
        Evaluation blind = Evaluation.of(List.of(run), row -> Label.NO_INTERFERENCE);
        assertThat(blind.latencies()).containsExactly(new Detection.Latency(true, Optional.empty()),
                new Detection.Latency(true, Optional.empty()));
        assertThat(Detection.Spread.of(blind.latencies(), true).missed()).isEqualTo(2);
        assertThat(Detection.Spread.of(blind.latencies(), true).median()).isNaN();
        assertThat(blind.reconfigurations()).isZero();
    }

    @Test
    void oneWrongLabelReconfiguresNothingThreeDo() {
        Run run = Generated.run("a", 1, 1, 200, 0);
        List<Integer> wrong = new ArrayList<>(List.of(50));
        assertThat(withWrongLabels(run, wrong).wrongReconfigurations()).isZero();
        wrong.addAll(List.of(51, 52));
        Evaluation three = withWrongLabels(run, wrong);
        assertThat(three.wrongReconfigurations()).isEqualTo(1);
        assertThat(three.detections().get(0).mitigations()).as("and the real one").isEqualTo(2);
        assertThat(three.wrongAnHour()).isCloseTo(3600.0 / 380, within(0.1));
    }

    private static Evaluation withWrongLabels(Run run, List<Integer> seconds) {
        List<Row> rows = Rows.of(List.of(run));
        return Evaluation.of(List.of(run), Answer.of(rows, row ->
                seconds.contains(rows.indexOf(row)) ? Label.INTERFERENCE : byResponseTime(row)));
    }

    @Test
    void steadyInterferenceCountsSwingsAndWhatIsStillSeen() {
        Settings mitigated = Generated.BASELINE.with(Lever.MITIGATION, 1);
        Run run = Generated.run("a", 1, 1, 120, 0);
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < run.samples().size(); i++) {
            boolean away = i >= 140 && i < 170 || i >= 180;
            samples.add(run.samples().get(i).toBuilder().settings(away ? mitigated : Generated.BASELINE).build());
        }
        Evaluation evaluation = Evaluation.of(List.of(run.with(samples)),
                row -> row.sample().get(Metric.MITIGATION) > 0 && row.sample().time().getEpochSecond() % 2 == 0
                        ? Label.NO_INTERFERENCE : byResponseTime(row));
        assertThat(evaluation.steady().mitigated()).isEqualTo(90);
        assertThat(evaluation.steady().share()).isEqualTo(0.5);
        assertThat(evaluation.steady().swings()).isEqualTo(1);
        assertThat(evaluation.steady().actions()).isEqualTo(3);
        assertThat(evaluation.steady().time()).isEqualTo(Duration.ofSeconds(110));
    }

    @Test
    void runsAreDrawnNotSamples() {
        Bootstrap bootstrap = new Bootstrap(5);
        List<Confusion> alike = new ArrayList<>();
        List<Confusion> different = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int index = i;
            Run run = Generated.run("r" + i, i, 2, 60, 0);
            List<Row> rows = Rows.of(List.of(run));
            alike.add(Confusion.of(Answer.of(rows, row -> row.sample().time().getEpochSecond() % 2 == 0
                    ? Label.INTERFERENCE : Label.NO_INTERFERENCE)));
            different.add(Confusion.of(Answer.of(rows, row -> index < 4 ? Label.INTERFERENCE : Label.NO_INTERFERENCE)));
        }
        Estimate same = bootstrap.of(alike, confusion -> confusion.recall(Label.INTERFERENCE));
        Estimate spread = bootstrap.of(different, confusion -> confusion.recall(Label.INTERFERENCE));
        assertThat(same.value()).isEqualTo(0.5);
        assertThat(same.known()).as("every run says the same, which is no proof that others would").isFalse();
        assertThat(spread.value()).isEqualTo(0.5);
        assertThat(spread.high() - spread.low()).as("all or nothing by run").isGreaterThan(0.4);
        assertThat(bootstrap.of(different, Confusion::missRate)).isEqualTo(bootstrap.of(different, Confusion::missRate));
        assertThat(bootstrap.of(different.subList(3, 5), Confusion::missRate).known()).as("two runs tell no spread").isFalse();
        List<Confusion> mostlyEmpty = new ArrayList<>(different.subList(3, 5));
        mostlyEmpty.add(Confusion.empty());
        assertThat(bootstrap.of(mostlyEmpty, Confusion::missRate).known()).as("nor does a third without samples").isFalse();
    }

    @Test
    void equationOneFindsTheEpisodesWithoutLabels() {
        List<Sample> samples = new ArrayList<>();
        for (int second = 1; second <= 600; second++) {
            boolean loud = second > 100 && second <= 130 || second > 400 && second <= 540;
            double value = (loud ? 0.9 : 0.1) + 0.001 * (second % 7);
            samples.add(Sample.at(Generated.START.plusSeconds(second)).set(Metric.RESPONSE_TIME, value).build());
        }
        Run run = new Run("a", Duration.ofSeconds(1), Optional.empty(), List.of(), Map.of(), samples);
        Outliers outliers = Outliers.of(List.of(run), Metric.RESPONSE_TIME, 5, 0);
        assertThat(outliers.outliers()).isEqualTo(170);
        assertThat(outliers.episodes()).extracting(episode -> episode.length().toSeconds()).containsExactly(30L, 140L);
        assertThat(outliers.episodes().get(0).worst()).isEqualTo(0.906, within(1e-9));
    }
}

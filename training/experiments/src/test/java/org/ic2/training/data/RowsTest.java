// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.Generated;
import org.junit.jupiter.api.Test;

class RowsTest {
    private static final Attribute RATIO = Attribute.parse("response_time_ratio");

    @Test
    void normalIsLearnedFromTheQuietPastOnly() {
        List<Row> rows = Rows.of(List.of(Generated.run("a", 1, 2, 60, 0)));
        assertThat(rows.subList(0, 20)).allMatch(row -> row.lack().isPresent());
        assertThat(rows.get(20).lack()).isEmpty();
        assertThat(rows.get(20).get(RATIO)).isEqualTo(1);
        assertThat(rows.get(110).get(RATIO)).as("loud samples do not become normal").isEqualTo(10);
    }

    @Test
    void mitigatedSamplesAreNotNormal() {
        Run run = Generated.run("a", 1, 2, 60, 0);
        List<Sample> mitigated = run.samples().stream().map(s -> s.toBuilder()
                .settings(Generated.BASELINE.with(Lever.MITIGATION, 2)).build()).toList();
        assertThat(Rows.of(List.of(run.with(mitigated)))).allMatch(row -> row.lack().isPresent());
    }

    @Test
    void theNextRunKnowsWhatTheLastOneLearned() {
        List<Row> rows = Rows.of(List.of(Generated.run("b", 2, 1, 30, 0), Generated.run("a", 1, 1, 30, 0)));
        assertThat(rows.get(0).run()).as("order of time, not of the list").isEqualTo("a");
        assertThat(rows.get(60).run()).isEqualTo("b");
        assertThat(rows.get(60).lack()).isEmpty();
    }

    @Test
    void normalIsKeptByTierAndLoad() {
        Run one = Generated.run("a", 1, 1, 30, 0).with("testbed.layout", "apart").with("users", "100");
        Run other = Generated.run("b", 2, 1, 30, 0).with("testbed.layout", "apart").with("users", "200");
        Run again = Generated.run("c", 3, 1, 30, 0).with("testbed.layout", "apart").with("users", "100");
        List<Row> rows = Rows.of(List.of(one, other, again));
        assertThat(rows.get(60).lack()).as("of the busier tier nothing is known").contains("learning what is normal");
        assertThat(rows.get(120).lack()).isEmpty();
        Run surge = Generated.run("d", 4, 1, 30, 0).with("testbed.layout", "apart").with("users", "50").with("changes", "[Surge[...]]");
        assertThat(Rows.of(List.of(one, surge)).get(60).lack()).as("its agent had learned before the users came").isEmpty();
        assertThat(Rows.of(List.of(one, surge.with("testbed.layout", "overcommitted"))).get(60).lack()).as("another tier").isPresent();
    }

    @Test
    void rowsThatADetectorSkipsAreLeftOutWithTheirReason() {
        Run run = Generated.run("a", 1, 1, 60, 0);
        List<Sample> samples = new java.util.ArrayList<>(run.samples());
        samples.set(30, samples.get(30).toBuilder().epochs(1, 2).build());
        samples.set(31, samples.get(31).toBuilder().set(Metric.REQUESTS, 3).build());
        samples.set(32, samples.get(32).toBuilder().set(Metric.RESPONSE_TIME, Double.NaN).build());
        samples.set(33, samples.get(33).toBuilder().label(null).build());
        List<Row> rows = Rows.of(List.of(run.with(samples)));
        assertThat(Rows.leftOut(rows)).containsEntry("a reconfiguration fell into the interval", 1)
                .containsEntry("fewer than 10 requests", 1).containsEntry("no response time or throughput", 1)
                .containsEntry("no label", 1).containsEntry("learning what is normal", 20);
        assertThat(Rows.labelled(rows)).hasSize(120 - 24).allMatch(row -> row.truth().orElseThrow() != null);
        assertThat(rows.get(40).truth()).contains(Label.NO_INTERFERENCE);
    }
}

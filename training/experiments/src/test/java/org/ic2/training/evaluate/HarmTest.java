// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.training.Generated;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.junit.jupiter.api.Test;

/** Neighbours that do no harm teach no interference. */
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
    void onlyTheQuietOfAHarmlessOneTeaches() {
        Run other = harmless("other", 1.5);
        Harm harm = Harm.of(List.of(harmful, other));
        List<Run> marked = harm.marked(List.of(harmful, other), 2);
        assertThat(marked.get(0)).isEqualTo(harmful);
        assertThat(marked.get(1).fact(Harm.HARMLESS)).contains("dcopy other-core").contains("1.5 times").contains("less than 2.0");
        List<Row> rows = Rows.of(marked);
        List<Row> taught = Harm.teaching(marked, rows);
        assertThat(taught).filteredOn(row -> row.run().equals("other")).isNotEmpty()
                .allMatch(row -> row.truth().orElseThrow() == Label.NO_INTERFERENCE);
        assertThat(taught).filteredOn(row -> row.run().equals("harmful")).hasSameElementsAs(Rows.labelled(rows).stream()
                .filter(row -> row.run().equals("harmful")).toList());
        assertThat(harm.marked(List.of(harmful, other), 1)).containsExactly(harmful, other);
        assertThat(harm.marked(List.of(harmful, other), 1.5)).containsExactly(harmful, other);
    }

    @Test
    void aMitigatedRunSaysNothingOfHarmAndAnUnknownNeighbourTeaches() {
        Run mitigated = harmful.with(harmful.samples().stream().map(sample -> sample.toBuilder()
                .settings(Generated.BASELINE.with(Lever.MITIGATION, 2)).build()).toList());
        assertThat(Harm.of(List.of(mitigated)).ratios()).isEmpty();
        assertThat(Harm.of(List.of(mitigated)).marked(List.of(harmful), 2)).containsExactly(harmful);
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.training.Generated;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;
import org.junit.jupiter.api.Test;

/** Neighbours that do no harm teach no interference. */
class HarmTest {
    private final Run harmful = Generated.run("harmful", 1, 2, 30, 0);

    private static Run harmless(String id, double factor) {
        Run run = Generated.run(id, 2, 2, 30, 0);
        List<Switch> switches = run.switches().stream().map(one -> new Switch(one.time(), one.on(), "dcopy", "other-core")).toList();
        return new Run(id, run.interval(), run.baseline(), switches, run.facts(), run.samples().stream()
                .map(sample -> sample.toBuilder().set(Metric.RESPONSE_TIME, sample.get(Metric.RESPONSE_TIME) > 0.1 ? 0.04 * factor
                        : 0.04).build()).toList());
    }

    private static long count(Run run, Label label) {
        return Rows.of(List.of(run)).stream().filter(row -> row.truth().equals(Optional.of(label))).count();
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
        List<Run> taught = harm.leaveOutHarmless(List.of(harmful, other), 2);
        assertThat(taught.get(0)).isEqualTo(harmful);
        assertThat(count(taught.get(1), Label.INTERFERENCE)).isZero();
        assertThat(count(taught.get(1), Label.TRANSIENT)).isZero();
        assertThat(count(taught.get(1), Label.NO_INTERFERENCE)).isEqualTo(count(other, Label.NO_INTERFERENCE)).isPositive();
        assertThat(taught.get(1).fact(Harm.HARMLESS)).contains("dcopy other-core").contains("1.5 times").contains("less than 2.0");
        assertThat(harm.leaveOutHarmless(List.of(harmful, other), 1)).containsExactly(harmful, other);
        assertThat(harm.leaveOutHarmless(List.of(harmful, other), 1.5)).containsExactly(harmful, other);
    }

    @Test
    void aMitigatedRunSaysNothingOfHarmAndAnUnknownNeighbourTeaches() {
        Run mitigated = harmful.with(harmful.samples().stream().map(sample -> sample.toBuilder()
                .configuration(Generated.BASELINE.with(Lever.MITIGATION, 2)).build()).toList());
        assertThat(Harm.of(List.of(mitigated)).ratios()).isEmpty();
        assertThat(Harm.of(List.of(mitigated)).leaveOutHarmless(List.of(harmful), 2)).containsExactly(harmful);
    }
}

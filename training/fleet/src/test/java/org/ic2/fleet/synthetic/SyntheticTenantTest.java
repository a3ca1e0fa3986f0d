// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Quantiles;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A generated fleet: the same for the same seed, true to the recordings, and with hosts that have something in common. */
class SyntheticTenantTest {
    private static final int TENANTS = 16;
    private static Material material;

    @BeforeAll
    static void recordings() throws IOException {
        material = Material.of(DataSet.read(Stream.of("phase-1", "observed", "apart", "later").map(Path.of("../data")::resolve).toList()), 1.5);
    }

    private static Blueprint fleet(long seed, Blueprint.Shape shape) {
        return new Blueprint(seed, TENANTS * 3600, 1, 3600, 4, LocalDate.of(2026, 5, 4), 6, 0.9, 0.5, shape);
    }

    private static List<Sample> samples(Blueprint fleet, int tenant) {
        List<Sample> samples = new ArrayList<>();
        new SyntheticTenant(fleet, material, tenant, 0).forEachRemaining(samples::add);
        return samples;
    }

    private static String text(Blueprint fleet) {
        return IntStream.range(0, TENANTS).boxed().flatMap(tenant -> samples(fleet, tenant).stream()).map(SamplesCsv::line)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void theSameSeedGivesTheSameBytesAndAnotherOneDoesNot() {
        Blueprint one = fleet(1, Blueprint.Shape.USUAL);
        assertThat(text(one)).isEqualTo(text(fleet(1, Blueprint.Shape.USUAL))).isNotEqualTo(text(fleet(2, Blueprint.Shape.USUAL)));
    }

    @Test
    void tenantsOfAHostHaveTheirNeighboursInTheSameSecondsAndThoseOfOthersDoNot() {
        Blueprint fleet = new Blueprint(3, TENANTS * 7200, 1, 7200, 4, LocalDate.of(2026, 5, 4), 1, 0.9, 0.5, Blueprint.Shape.USUAL);
        List<Set<Long>> loud = IntStream.range(0, TENANTS).mapToObj(tenant -> samples(fleet, tenant).stream()
                .filter(sample -> sample.label().orElse(null) == Label.INTERFERENCE).map(sample -> sample.time().getEpochSecond())
                .collect(Collectors.toSet())).toList();
        int together = 0;
        int apart = 0;
        for (int a = 0; a < TENANTS; a++) {
            for (int b = a + 1; b < TENANTS; b++) {
                Set<Long> both = new HashSet<>(loud.get(a));
                both.retainAll(loud.get(b));
                together += fleet.hostOf(a) == fleet.hostOf(b) ? both.size() : 0;
                apart += fleet.hostOf(a) == fleet.hostOf(b) ? 0 : both.size();
            }
        }
        // 24 pairs share a host and 96 do not
        assertThat(together / 24.0).isGreaterThan(3 * apart / 96.0).isGreaterThan(60);
    }

    @Test
    void asRecordedEachSampleIsOneOfARecordingAndSlowWhereItWas() {
        Blueprint fleet = fleet(4, Blueprint.Shape.AS_RECORDED);
        double quiet = median(fleet, Label.NO_INTERFERENCE);
        assertThat(median(fleet, Label.INTERFERENCE) / quiet).isBetween(1.5, 40.0);
        assertThat(samples(fleet, 0)).hasSize(3600).allMatch(sample -> sample.has(Metric.RESPONSE_TIME));
    }

    private static double median(Blueprint fleet, Label label) {
        return Quantiles.median(IntStream.range(0, 4).boxed().flatMap(tenant -> samples(fleet, tenant).stream())
                .filter(sample -> sample.label().orElse(null) == label).mapToDouble(sample -> sample.get(Metric.RESPONSE_TIME)).toArray());
    }

    @Test
    void tenantsDifferDriftAndLackSensors() {
        Blueprint fleet = new Blueprint(5, 40L * 2 * 600, 2, 600, 8, LocalDate.of(2026, 5, 4), 0, 0.9, 0, Blueprint.Shape.USUAL);
        assertThat(fleet.tenants()).isEqualTo(40);
        assertThat(fleet.hosts()).isEqualTo(5);
        Set<Double> medians = new HashSet<>();
        int withoutSteal = 0;
        for (int tenant = 0; tenant < 40; tenant++) {
            List<Sample> day = samples(fleet, tenant);
            medians.add(Quantiles.median(day.stream().mapToDouble(sample -> sample.get(Metric.RESPONSE_TIME)).toArray()));
            withoutSteal += day.stream().noneMatch(sample -> sample.has(Metric.STEAL)) ? 1 : 0;
            assertThat(day).allMatch(sample -> sample.label().orElseThrow() == Label.NO_INTERFERENCE);
        }
        assertThat(medians).hasSizeGreaterThan(30);
        assertThat(withoutSteal).isBetween(1, 15);
    }

    @Test
    void theLastTenantHasWhatIsLeft() {
        Blueprint fleet = new Blueprint(5, 1000, 2, 300, 8, LocalDate.of(2026, 5, 4), 1, 0.9, 0, Blueprint.Shape.USUAL);
        assertThat(fleet.tenants()).isEqualTo(2);
        assertThat(List.of(fleet.samplesOf(0, 0), fleet.samplesOf(0, 1), fleet.samplesOf(1, 0), fleet.samplesOf(1, 1)))
                .containsExactly(300, 300, 300, 100);
    }

    @Test
    void recordingsWithoutAnyHarmAreRefused() throws IOException {
        List<Run> quiet = DataSet.read(List.of(Path.of("../data/later")));
        assertThatThrownBy(() -> Material.of(quiet, 1.5)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("no episode of a neighbour");
    }
}

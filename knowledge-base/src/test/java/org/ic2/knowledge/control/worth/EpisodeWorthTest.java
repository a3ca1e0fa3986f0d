// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.worth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

class EpisodeWorthTest {
    private static final double NO = Double.NaN;

    private static WorthInterval interval(int level, double stored, double demand) {
        return new WorthInterval(1, level, 100, 0.05, stored, stored, 0.008, demand, 0.02);
    }

    private static Settings at(int level) {
        return Settings.of(Lever.MITIGATION, level);
    }

    private static Settings walled(int level) {
        return at(level).with(Wall.FLAG, Wall.UP);
    }

    private static List<Sample> recorded(String run) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(
                Path.of("../training/data/apart/" + run + "/samples.csv.gz"))), StandardCharsets.UTF_8))) {
            return SamplesCsv.read(run, lines.lines().toList());
        }
    }

    /** By hand: ten seconds at level 3, ten at level 4, demand 1.5 and 0.5 times the CPU. */
    @Test
    void theSumsAreThoseOfTheFormula() {
        EpisodeWorth worth = EpisodeWorth.none();
        for (int i = 0; i < 10; i++) {
            worth = worth.plus(interval(3, 50, 1.5), 0.8).plus(interval(6, 20, 0.5), 0.8);
        }
        assertThat(worth.seconds()).isEqualTo(20);
        assertThat(worth.saved().high()).isCloseTo(10 * 50 * 0.008 + 10 * 20 * 0.008, within(1e-9));
        assertThat(worth.saved().low()).isCloseTo(0.8 * worth.saved().high(), within(1e-9));
        assertThat(worth.meanDemand()).isCloseTo(1, within(1e-9));
        assertThat(worth.peak()).isEqualTo(1.5);
        // overloaded: 0.8 to 10 s; else 0.04 s as in a queue to 0.8 s
        assertThat(worth.waiting().low()).isCloseTo(1000 * 0.75 + 1000 * (0.04 - 0.05), within(1e-6));
        assertThat(worth.waiting().high()).isCloseTo(1000 * 9.95 + 1000 * 0.75, within(1e-6));
        assertThat(worth.pages().low()).isEqualTo(500);
        assertThat(worth.older().low()).isEqualTo(200);
        assertThat(worth.partSeconds()).isEqualTo(10);
        assertThat(worth.partRequests()).isEqualTo(1000);
        assertThat(worth.describe()).isEqualTo("20 s away from the baseline; CPU saved 4.48 to 5.6 s of the whole CPU (stored pages x the cost"
                + " of building them); demand without mitigation at least 1 times the CPU that was there, 1.5 at most in an interval; users'"
                + " waiting avoided 740 to 10700 s (as just before the first action, and as in a queue in which nobody waits longer than 10 s);"
                + " users got 500 stored pages at most 60 s old, 200 at most 300 s old; without optional parts 10 s, 1000 requests");
    }

    /**
     * A run through the levels, as it was recorded. Beside level 2, which stores nothing, a request at level 3 and 4 takes less CPU by what
     * is said to be saved, as far as a few seconds tell.
     */
    @Test
    void onRecordedIntervalsWhatWasSavedIsWhatWasNotUsed() throws IOException {
        MetricBaseline known = MetricBaseline.none();
        for (Sample sample : recorded("apart-free-mix-1")) {
            known = sample.get(Metric.MITIGATION) == 0 && !sample.straddlesEpochs() ? known.plus(sample) : known;
        }
        EpisodeWorth worth = EpisodeWorth.none();
        double used = 0;
        double requests = 0;
        double without = 0;
        double withoutRequests = 0;
        for (Sample sample : recorded("apart-ladder-ladder-1")) {
            int level = (int) sample.get(Metric.MITIGATION);
            if (sample.straddlesEpochs() || !sample.has(Metric.MIX_STORED) || !sample.has(Metric.CPU_USED)) {
                continue;
            }
            if (level == 2) {
                without += sample.get(Metric.CPU_USED);
                withoutRequests += sample.get(Metric.THROUGHPUT);
            } else if (level == 3 || level == 4) {
                worth = worth.plus(WorthInterval.of(sample, 1, at(level), at(0), known), NO);
                used += sample.get(Metric.CPU_USED);
                requests += sample.get(Metric.THROUGHPUT);
            }
        }
        double saved = without / withoutRequests * requests - used;
        assertThat(saved).isBetween(0.9 * worth.saved().low(), 1.1 * worth.saved().high());
        assertThat(worth.pages().low()).isPositive();
        assertThat(worth.older().low()).isPositive();
        assertThat(worth.meanDemand()).isBetween(0.6, 1.2);
        assertThat(worth.waiting().measured()).as("nobody knows how users waited before").isFalse();
        assertThat(worth.describe()).as("docs/operations.md shows it").startsWith("27 s away from the baseline; CPU saved 4.92 to 6.15 s of the whole CPU")
                .contains("at least 0.865 times the CPU that was there, 0.949 at most in an interval; users' waiting avoided not measured; users got"
                + " 1166 stored pages at most 60 s old, 1385 at most 300 s old");
    }

    /** Pages a second, so many of them from a store. */
    private static Sample.Builder pages(double built, double stored) {
        Sample.Builder sample = Sample.at(Instant.EPOCH).set(Metric.REQUESTS, built + stored).set(Metric.THROUGHPUT, built + stored)
                .set(Metric.RESPONSE_TIME, 0.05).set(Metric.CPU_UTIL, 0.1 + 0.008 * built).set(Metric.STEAL, 0);
        Metric.MIX.forEach(metric -> sample.set(metric, 0));
        return sample.set(Metric.MIX_HOME, built).set(Metric.MIX_STORED, stored);
    }

    private static MetricBaseline learned(double built, double stored) {
        MetricBaseline known = MetricBaseline.none();
        for (int i = 0; i < 100; i++) {
            known = known.plus(pages(built + i % 7, stored).build());
        }
        assertThat(known.mix().known()).isTrue();
        return known;
    }

    private static EpisodeWorth worth(double built, double stored, Settings running, Settings baseline, MetricBaseline known) {
        return EpisodeWorth.none().plus(WorthInterval.of(pages(built, stored).build(), 1, running, baseline, known), 0.8);
    }

    /** The wall gives pages of the oldest age, on every level. */
    @Test
    void pagesOfTheWallAreCountedWhateverTheLevel() {
        MetricBaseline known = learned(50, 0);
        for (int level = 0; level <= 4; level++) {
            EpisodeWorth worth = worth(10, 40, walled(level), at(0).with(Wall.FLAG, 0), known);
            assertThat(worth.older().low()).as("level " + level).isEqualTo(40);
            assertThat(worth.pages().low()).isZero();
            assertThat(worth.saved().high()).isCloseTo(40 * known.mix().page(), within(1e-9));
        }
        assertThat(worth(10, 40, at(3).with(Wall.FLAG, 0), at(0).with(Wall.FLAG, 0), known).pages().low()).isEqualTo(40);
    }

    /** Half of the pages come from the store at the baseline, too: the rest alone is the mitigation's. */
    @Test
    void whatTheBaselineStoresIsNotTheMitigations() {
        MetricBaseline known = learned(25 - 3, 25);
        double usual = known.mix().usuallyStored(pages(10, 40).build());
        assertThat(usual).isBetween(24.0, 26.0);
        EpisodeWorth worth = worth(10, 40, at(4), at(3), known);
        assertThat(worth.saved().high()).isCloseTo((40 - usual) * known.mix().page(), within(1e-9));
        assertThat(worth.older().low()).as("all of them are older than at level 3").isEqualTo(40);
        assertThat(worth(10, 40, at(6), at(4), known).older().low()).isCloseTo(40 - usual, within(1e-9));
        assertThat(worth(10, 40, at(1), at(0), known).older().low()).as("of a cache that is always there").isZero();
        assertThat(worth(10, 40, at(3), at(0), known).pages().low()).isCloseTo(40 - usual, within(1e-9));
        assertThat(worth(50, 0, at(3), at(3), known).saved().high()).as("fewer than usual").isZero();
        assertThat(worth.meanDemand()).isLessThan(worth(50, 0, at(0), at(0), learned(50, 0)).meanDemand());
        assertThat(worth(10, 40, at(6), at(6), known).partSeconds()).isZero();
        assertThat(worth(10, 40, at(6), at(5), known).partSeconds()).isEqualTo(1);
    }

    /** Nobody knows what the baseline stores where no mix was learned; a baseline without a store stores nothing. */
    @Test
    void withoutAMixAStoreOfTheBaselineIsNotMeasured() {
        assertThat(worth(10, 40, at(4), at(3), MetricBaseline.none()).older().low()).isEqualTo(40);
        assertThat(worth(10, 40, at(5), at(4), MetricBaseline.none()).older().measured()).isFalse();
        assertThat(worth(10, 40, walled(2), at(0), MetricBaseline.none()).older().low()).isEqualTo(40);
    }

    @Test
    void unmeasuredWorthIsReportedAsNotMeasured() {
        EpisodeWorth blind = EpisodeWorth.none().plus(new WorthInterval(1, 4, 100, 0.05, NO, NO, NO, NO, NO), NO);
        assertThat(blind.describe()).isEqualTo("1 s away from the baseline; CPU saved not measured; demand without mitigation not measured;"
                + " users' waiting avoided not measured; users got stored pages: not measured; without optional parts 0 s, 0 requests");
        EpisodeWorth partly = blind.plus(interval(4, 10, 2), 0.8);
        assertThat(partly.describe()).contains("CPU saved 0.064 to 0.08 s of the whole CPU (stored pages x the cost of building them), measured for 1 s");
        // one of the two ends of a range alone is none
        assertThat(EpisodeWorth.none().plus(interval(4, 10, 2), NO).waiting().measured()).isFalse();
        assertThat(EpisodeWorth.none().plus(interval(4, 10, NO), 0.8).waiting().measured()).isFalse();
    }

    /** Users who waited longer behind the level than before are no gain. */
    @Test
    void aLevelWithoutAnEffectIsReported() {
        EpisodeWorth worth = EpisodeWorth.none().plus(new WorthInterval(1, 4, 100, 3, 10, 10, 0.008, 0.5, 0.02), 0.8);
        assertThat(worth.waiting().high()).isNegative();
    }

    @Test
    void garbageChangesNoSumIntoNonsense() throws IOException {
        double[] values = {0, -1, NO, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MAX_VALUE, Double.MIN_VALUE, 1e9, 0.5, 7};
        Random random = new Random(5);
        EpisodeWorth worth = EpisodeWorth.none();
        for (int i = 0; i < 20_000; i++) {
            double[] some = random.ints(9, 0, values.length).mapToDouble(index -> values[index]).toArray();
            worth = worth.plus(new WorthInterval(some[0], random.nextInt(9) - 1, some[1], some[2], some[3], some[4], some[5], some[6], some[8]), some[7]);
            for (Amount amount : List.of(worth.saved(), worth.demand(), worth.waiting(), worth.pages(), worth.older())) {
                assertThat(Double.isFinite(amount.low()) && Double.isFinite(amount.high()) && amount.low() <= amount.high()).isTrue();
                assertThat(amount.seconds()).isBetween(0.0, worth.seconds());
            }
            assertThat(Double.isFinite(worth.peak()) && Double.isFinite(worth.partRequests())).isTrue();
        }
        assertThat(worth.describe()).doesNotContain("missing", "Infinity", "NaN");
        Sample.Builder garbage = Sample.at(Instant.EPOCH);
        for (Metric metric : Metric.values()) {
            garbage.set(metric, values[random.nextInt(values.length)]);
        }
        assertThat(EpisodeWorth.none().plus(WorthInterval.of(garbage.build(), 1, at(3), at(0), MetricBaseline.none()), 1).seconds()).isEqualTo(1);
    }

    @Test
    void itsJsonReadsBackEqualAndGarbageIsNone() throws IOException {
        EpisodeWorth worth = EpisodeWorth.none().plus(interval(3, 50, 1.5), 0.8).plus(interval(6, 20, NO), 0.8);
        for (EpisodeWorth each : List.of(worth, EpisodeWorth.none())) {
            EndedEpisode episode = new EndedEpisode(Instant.parse("2026-01-01T00:00:00Z"), Instant.parse("2026-01-01T00:05:00.5Z"), "surge, neighbour",
                    6, each);
            assertThat(WorthJson.read(Json.read(Json.text(WorthJson.tree(episode))))).contains(episode);
        }
        ObjectNode good = WorthJson.tree(new EndedEpisode(Instant.EPOCH, Instant.EPOCH, "surge", 3, worth));
        for (String text : List.of("null", "{}", "[]", "7", Json.text(good).replace("\"seconds\":2.0", "\"seconds\":\"2\""),
                Json.text(good).replace("1970-01-01T00:00:00Z", "yesterday"), Json.text(good).replace("\"level\":3", "\"level\":-3"),
                Json.text(good).replace("\"level\":3", "\"level\":1e999"), Json.text(good).replace("\"low\":", "\"lo\":"),
                Json.text(good).replace("\"high\":", "\"high\":9e15,\"high_\":"), Json.text(good).replace("\"seconds\":1.0", "\"seconds\":0"))) {
            assertThat(WorthJson.read(Json.read(text))).as(text).isEmpty();
        }
    }

    @Test
    void twoEpisodesAddUp() {
        EpisodeWorth one = EpisodeWorth.none().plus(interval(3, 50, 1.5), 0.8);
        EpisodeWorth two = EpisodeWorth.none().plus(interval(6, 20, 0.5), 0.8);
        assertThat(one.plus(two)).isEqualTo(one.plus(interval(6, 20, 0.5), 0.8));
        assertThat(one.plus(EpisodeWorth.none())).isEqualTo(one);
    }
}

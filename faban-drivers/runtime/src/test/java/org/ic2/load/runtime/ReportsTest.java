// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportsTest {
    private static final long SECOND = 1_000_000_000L;
    private final DriverModel model = Samples.probe();
    private final Buckets buckets = Buckets.forLimit(2000);

    /** Rows of one section of the sample, split into cells. */
    private static List<String[]> rows(String sample, String section) {
        List<String> lines = sample.lines().toList();
        int start = lines.indexOf("Section: ProbeDriver " + section) + 4;
        List<String[]> rows = new ArrayList<>();
        for (int i = start; !lines.get(i).isBlank(); i++) {
            rows.add(lines.get(i).strip().split(" +"));
        }
        return rows;
    }

    /** The numbers of the sample go in, the file of the sample comes out, byte by byte. */
    @Test
    void detailIsTheFileThatFabanWrites() {
        String sample = Samples.text("detail.xan");
        TimeSeries series = new TimeSeries(3, 5 * SECOND);
        List<String[]> throughput = rows(sample, "Throughput");
        List<String[]> times = rows(sample, "Response Times (milliseconds)");
        for (int row = 0; row < throughput.size(); row++) {
            for (int op = 0; op < 3; op++) {
                long n = Math.round(Double.parseDouble(throughput.get(row)[op + 1]) * 5);
                for (long i = 0; i < n; i++) {
                    series.add(op, row * 5 * SECOND + i, Double.parseDouble(times.get(row)[op + 1]) / 1000);
                }
            }
        }
        List<Totals> steady = List.of(new Totals(), new Totals(), new Totals());
        List<Delays> delays = List.of(new Delays(model.cycle()), new Delays(model.cycle()), new Delays(model.cycle()));
        fill(rows(sample, "Frequency Distribution of Response Times (milliseconds)"), steady.stream().map(t -> t.histogram).toList());
        fill(rows(sample, "Frequency Distribution of Cycle/Think Times (seconds)"), delays.stream().map(d -> d.actualCounts).toList());
        fill(rows(sample, "Frequency Distribution of Targeted Cycle/Think Times (seconds)"),
                delays.stream().map(d -> d.targetCounts).toList());
        String ours = DetailXan.format(model, new Results(buckets, steady, delays, series), 4);
        // the sample's last two sections were cut after 20 rows; ours end with the first empty bucket
        String cut = ours.replaceAll("(?m)^1\\.500 +0 +0 +0\n", "\n");
        assertThat(cut).isEqualTo(sample);
    }

    private static void fill(List<String[]> rows, List<long[]> counts) {
        for (int row = 0; row < rows.size(); row++) {
            for (int op = 0; op < 3; op++) {
                counts.get(op)[row] = Long.parseLong(rows.get(row)[op + 1]);
            }
        }
    }

    private Results sampleResults() {
        List<Totals> steady = List.of(Samples.totals(6117, 10.4801, 3.137, buckets), Samples.totals(10580, 20.4871, 2.438, buckets),
                Samples.totals(3275, 40.5261, 1.974, buckets));
        for (int i = 0; i < 106; i++) {
            steady.get(2).failure();
        }
        for (Totals totals : steady) {
            Arrays.fill(totals.histogram, 0);
            totals.histogram[buckets.indexOf(totals.mean() * 1000)] = totals.successes();
        }
        List<Delays> delays = List.of(new Delays(model.cycle()), new Delays(model.cycle()), new Delays(model.cycle()));
        delays.forEach(d -> d.add(1.475, 1.475));
        return new Results(buckets, steady, delays, new TimeSeries(3, 5 * SECOND));
    }

    private static String masked(String xml) {
        return xml.replaceFirst("<!-- .* -->\n", "").replaceAll("(Time>)[A-Z][^<]*", "$1DATE")
                .replaceAll("(?<=>)\\d+(\\.\\d+)?(?=<)", "#");
    }

    @Test
    void summaryIsTheFileThatFabanWritesButForTheFigures() {
        String ours = SummaryXml.format(model, sampleResults(), 60, new SummaryXml.Run(4, 500,
                Instant.parse("2026-11-20T09:13:16.950Z"), Instant.parse("2026-11-20T09:14:36.950Z"), ZoneId.of("UTC")));
        assertThat(masked(ours)).isEqualTo(masked(Samples.text("summary.xml")));
        assertThat(ours).contains("<startTime>Fri Nov 20 09:13:16 UTC 2026</startTime>",
                "<endTime>Fri Nov 20 09:14:36 UTC 2026</endTime>", "<metric unit=\"ops/sec\">332.867</metric>",
                "<totalOps unit=\"operations\">19972</totalOps>", "<mix>0.3063</mix>", "<requiredMix>0.3030</requiredMix>",
                "<requiredMix>0.5303</requiredMix>", "<requiredMix>0.1667</requiredMix>", "<failures>106</failures>",
                "<avg>10.480</avg>", "<sd>3.137</sd>",
                "<percentile nth=\"90\" suffix=\"th\" limit=\"500.000\">20.000</percentile>",
                "<passed>true</passed>");
        assertThat(ours).contains("embedded runtime of IC2, not by Faban");
    }

    @Test
    void summarySaysWhatDidNotPass() {
        Results results = sampleResults();
        results.steady().get(0).histogram[299] += 100_000;
        String ours = SummaryXml.format(model, results, 60, new SummaryXml.Run(1, 500, Instant.EPOCH, Instant.EPOCH,
                ZoneId.of("UTC")));
        assertThat(ours).contains("limit=\"500.000\">3000.000</percentile>").contains("        <passed>false</passed>");
    }

    @Test
    void anOperationThatNeverHappenedHasEmptyFigures() {
        Results empty = new Results(buckets, List.of(new Totals(), new Totals(), new Totals()),
                List.of(new Delays(model.cycle()), new Delays(model.cycle()), new Delays(model.cycle())),
                new TimeSeries(3, SECOND));
        String ours = SummaryXml.format(model, empty, 60, new SummaryXml.Run(1, 5, Instant.EPOCH, Instant.EPOCH,
                ZoneId.of("UTC")));
        assertThat(ours).contains("<avg/>", "<metric unit=\"ops/sec\">0.000</metric>").doesNotContain("NaN");
        assertThat(DetailXan.format(model, empty, 1)).doesNotContain("NaN");
    }

    @Test
    void bucketsAreThreeHundredNarrowOnesThenSeventyWideOnes() {
        assertThat(buckets.indexOf(10.2)).isEqualTo(1);
        assertThat(buckets.indexOf(2999.9)).isEqualTo(299);
        assertThat(buckets.indexOf(3000)).isEqualTo(300);
        assertThat(buckets.indexOf(3100)).isEqualTo(301);
        assertThat(buckets.indexOf(1e9)).isEqualTo(369);
        assertThat(buckets.lowerEdge(370)).isEqualTo(10_000);
        long[] counts = new long[Buckets.COUNT];
        assertThat(buckets.percentile(counts, 90)).isNaN();
        counts[1] = 90;
        counts[5] = 10;
        assertThat(buckets.percentile(counts, 90)).isEqualTo(20);
        assertThat(buckets.percentile(counts, 91)).isEqualTo(60);
        assertThat(buckets.percentile(counts, 100)).isEqualTo(60);
    }
}

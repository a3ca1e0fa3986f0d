// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class StatsLineTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Timeline TIMELINE = new Timeline(0, 15 * SECOND, 60 * SECOND, 5 * SECOND);
    private static final Pattern LINE = Pattern.compile("^(\\d+\\.\\d\\d)s - (\\S+): (\\S+) CThru=(\\S+) OThru=(\\S+)"
            + " CErr=(\\S+) CResp=(\\S+) OResp=(\\S+) CSD=(\\S+) OSD=(\\S+) C90%Resp=(\\S+) O90%Resp=(\\S+)$");

    private final DriverModel model = Samples.probe();
    private final Buckets buckets = Buckets.forLimit(2000);

    private static Interval interval(long from, long to, List<Totals> operations) {
        return new Interval(from, to, Timeline.Phase.STEADY, 500, operations, List.of(),
                new Interval.Traffic(0, 0, 0, 0, 0, PageAges.NONE, 0, 0, 0), 0, 0, 0, Map.of(), 0);
    }

    private static Totals failures(Totals totals, int n) {
        for (int i = 0; i < n; i++) {
            totals.failure();
        }
        return totals;
    }

    /** The line of the sample at 75 s, from numbers of operations, means and deviations. */
    @Test
    void writesTheBytesThatFabanWrites() {
        String sample = sampleAt("75.00s");
        List<Totals> now = List.of(Samples.totals(492, 10.2011, 0.2821, buckets), Samples.totals(865, 20.2321, 0.4341, buckets),
                failures(Samples.totals(247, 40.2321, 0.3851, buckets), 6));
        List<Totals> steady = List.of(Samples.totals(6117, 10.4801, 3.1371, buckets),
                Samples.totals(10580, 20.4871, 2.4381, buckets), Samples.totals(3275, 40.5261, 1.9741, buckets));
        for (Totals totals : steady) {
            moveToFewBuckets(totals);
        }
        String ours = new StatsLine(model).format(TIMELINE, interval(70 * SECOND, 75 * SECOND, now), steady);
        assertThat(ours).isEqualTo(sample);
    }

    /** The sample's deviation comes from a few outliers; ninety in a hundred lie in the first bucket. */
    private void moveToFewBuckets(Totals totals) {
        long n = totals.successes();
        int bucket = buckets.indexOf(totals.mean() * 1000);
        Arrays.fill(totals.histogram, 0);
        totals.histogram[bucket] = n;
    }

    @Test
    void everySampleLineHasTheFormThatOursHas() {
        List<String> samples = Samples.text("driver.log").lines().filter(l -> l.contains("dumpStats - "))
                .map(l -> l.substring(l.indexOf("dumpStats - ") + 12)).toList();
        assertThat(samples).hasSize(16).allMatch(line -> LINE.matcher(line).matches());
        List<Totals> none = List.of(new Totals(), new Totals(), new Totals());
        String ours = new StatsLine(model).format(TIMELINE, interval(0, 5 * SECOND, none), none);
        assertThat(ours).matches(LINE);
    }

    @Test
    void hasNoOverallValuesBeforeTheSteadyStateAndNoMeanWithoutOperations() {
        List<Totals> none = List.of(new Totals(), new Totals(), new Totals());
        assertThat(new StatsLine(model).format(TIMELINE, interval(0, 5 * SECOND, none), none)).isEqualTo(
                "5.00s - ProbeDriver: Home/Read/Post CThru=0.000/0.000/0.000 OThru=-/-/- CErr=0.000/0.000/0.000"
                + " CResp=-/-/- OResp=-/-/- CSD=-/-/- OSD=-/-/- C90%Resp=-/-/- O90%Resp=-/-/-");
        assertThat(new StatsLine(model).format(TIMELINE, interval(10 * SECOND, 15 * SECOND + 10_000_000, none), none))
                .as("a line just after ramp-up, as in the sample").startsWith("15.01s").contains("OThru=0.000/0.000/0.000");
    }

    @Test
    void freezesOverallValuesInRampDown() {
        List<Totals> none = List.of(new Totals(), new Totals(), new Totals());
        List<Totals> steady = List.of(Samples.totals(6117, 10, 0, buckets), new Totals(), new Totals());
        assertThat(new StatsLine(model).format(TIMELINE, interval(75 * SECOND, 80 * SECOND, none), steady))
                .contains("OThru=101.950/0.000/0.000", "C90%Resp=-/-/-", "O90%Resp=20.000/-/-");
    }

    private static String sampleAt(String elapsed) {
        return Samples.text("driver.log").lines().filter(l -> l.contains("dumpStats - " + elapsed))
                .map(l -> l.substring(l.indexOf(elapsed))).findFirst().orElseThrow();
    }
}

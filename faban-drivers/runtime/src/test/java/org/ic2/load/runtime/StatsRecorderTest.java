// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.ic2.load.workload.ErrorKind;
import org.junit.jupiter.api.Test;

/** Time is given, not measured: two users, seconds 0-10 ramp-up, 10-20 steady, 20-25 ramp-down. */
class StatsRecorderTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long T0 = 1000 * SECOND;

    private final StatsRecorder recorder = new StatsRecorder(Samples.probe(), 2);

    StatsRecorderTest() {
        recorder.begin(new Timeline(T0, 10 * SECOND, 10 * SECOND, 5 * SECOND), 5 * SECOND);
    }

    private static long at(double seconds) {
        return T0 + (long) (seconds * SECOND);
    }

    private void operation(int user, double from, double to, boolean ok) {
        recorder.state(user).waitsSince(at(from));
        recorder.finished(user, 0, at(from), at(to), ok);
    }

    @Test
    void aUserWhoGetsNoAnswerIsInTheInteractiveResponseTimeButNotInTheMean() {
        recorder.state(1).waitsSince(at(1));
        for (int i = 0; i < 5; i++) {
            operation(0, i, i + 0.1, true);
        }
        Interval interval = recorder.cut(at(5));
        assertThat(interval.mean()).isCloseTo(0.1, within(1e-9));
        assertThat(interval.pending()).isEqualTo(1);
        assertThat(interval.oldestWait()).isCloseTo(4, within(1e-9));
        assertThat(interval.throughput()).isCloseTo(1, within(1e-9));
        assertThat(interval.interactiveResponseTime()).as("(5 x 0.1 s + 4 s) / 5").isCloseTo(0.9, within(1e-9));
        assertThat(interval.thinkTime()).as("N/X - Z with N = 2, X = 1/s").isCloseTo(2 - 0.9, within(1e-9));

        operation(0, 5, 5.1, true);
        Interval next = recorder.cut(at(10));
        assertThat(next.interactiveResponseTime()).as("only what was waited in this interval").isCloseTo(5.1, within(1e-9));
        assertThat(next.oldestWait()).isCloseTo(9, within(1e-9));
    }

    @Test
    void failedOperationsAreInNeitherMeanNorThroughput() {
        operation(0, 11, 11.2, true);
        operation(0, 12, 12.9, false);
        Interval interval = recorder.cut(at(15));
        assertThat(interval.successes()).isEqualTo(1);
        assertThat(interval.failures()).isEqualTo(1);
        assertThat(interval.mean()).isCloseTo(0.2, within(1e-9));
        assertThat(recorder.results().steady().get(0).failures()).isEqualTo(1);
    }

    @Test
    void failuresAreCountedByKindOncePerInterval() {
        recorder.failed(0, 0, at(11), at(12), ErrorKind.REFUSED);
        recorder.failed(0, 0, at(12), at(13), ErrorKind.REFUSED);
        recorder.failed(0, 1, at(13), at(14), ErrorKind.TIMEOUT);
        Interval interval = recorder.cut(at(15));
        assertThat(interval.errors()).isEqualTo(Map.of(ErrorKind.REFUSED, 2L, ErrorKind.TIMEOUT, 1L));
        assertThat(interval.failures()).isEqualTo(3);
        assertThat(recorder.cut(at(16)).errors()).isEmpty();
    }

    @Test
    void failuresBeforeRampUpDoNotCount() {
        recorder.failed(0, 0, at(-2), at(-1), ErrorKind.CONNECTION);
        assertThat(recorder.cut(at(5)).errors()).isEmpty();
    }

    @Test
    void onlyOperationsWhollyInsideTheSteadyStateAreInTheSummary() {
        operation(0, 9.9, 10.1, true);
        operation(0, 10, 10.5, true);
        operation(0, 19.9, 20.1, true);
        assertThat(recorder.results().steady().get(0).successes()).isEqualTo(1);
        assertThat(recorder.cut(at(25)).successes()).isEqualTo(3);
        assertThat(recorder.results().series().size()).isEqualTo(5);
    }

    @Test
    void operationsBeforeRampUpDoNotCountAndThoseUnderWayCountFromItsBegin() {
        operation(0, -2, -1, true);
        operation(1, -3, 2, true);
        Interval interval = recorder.cut(at(5));
        assertThat(interval.successes()).isEqualTo(1);
        assertThat(interval.busy()).isCloseTo(2, within(1e-9));
    }

    @Test
    void theWorstLatenessOfTheGeneratorIsKeptPerInterval() {
        recorder.delayed(0, at(1), at(2), at(2.03), SECOND);
        recorder.delayed(0, at(2), at(3), at(3.01), SECOND);
        assertThat(recorder.cut(at(5)).lag()).isCloseTo(0.03, within(1e-9));
        assertThat(recorder.cut(at(10)).lag()).isZero();
        recorder.delayed(2, at(11), at(12), at(12.5), SECOND);
        assertThat(recorder.results().delays().get(2).targetMean()).isEqualTo(1);
        assertThat(recorder.results().delays().get(2).actualMean()).isEqualTo(1.5);
    }

    @Test
    void percentilesAreExact() {
        for (int i = 1; i <= 100; i++) {
            operation(0, i * 0.01, i * 0.01 + i * 0.001, true);
        }
        Interval interval = recorder.cut(at(5));
        assertThat(interval.percentile(50)).isCloseTo(0.050, within(1e-6));
        assertThat(interval.percentile(95)).isCloseTo(0.095, within(1e-6));
        assertThat(interval.percentile(99)).isCloseTo(0.099, within(1e-6));
        Interval empty = recorder.cut(at(10));
        assertThat(empty.percentile(50)).isNaN();
        assertThat(empty.interactiveResponseTime()).isNaN();
        assertThat(empty.throughput()).isZero();
    }

    @Test
    void trafficIsCountedPerInterval() {
        recorder.connected(false, false);
        recorder.connected(true, true);
        recorder.received(500);
        recorder.leaked();
        recorder.anonymous();
        recorder.file(false);
        recorder.file(true);
        assertThat(recorder.cut(at(5)).traffic()).isEqualTo(new Interval.Traffic(2, 1, 1, 500, 1, PageAges.NONE, 1, 2, 1));
        assertThat(recorder.cut(at(10)).traffic()).isEqualTo(new Interval.Traffic(0, 0, 0, 0, 0, PageAges.NONE, 0, 0, 0));
    }

    @Test
    void agesOfPagesAreCutWithTheIntervalAndAddedUpOverTheRun() {
        recorder.page(0);
        recorder.page(12.5);
        recorder.page(3);
        recorder.pageLeftOut();
        assertThat(recorder.cut(at(5)).traffic().pages()).isEqualTo(new PageAges(3, 2, 12.5, 15.5, 1));
        assertThat(recorder.cut(at(10)).traffic().pages().oldestOrNone()).isNaN();
        recorder.page(0);
        assertThat(recorder.pages()).isEqualTo(new PageAges(4, 2, 12.5, 15.5, 1));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ic2.runtime.knob.Settings;

class SampleTest {
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00.123456Z");
    private static final Settings RUNNING = Lever.settings(650, 5000, 50, 0);

    @Test
    void derivesThePapersMetrics() {
        Sample sample = Sample.at(TIME).set(Metric.RESPONSE_TIME, 0.5).set(Metric.THROUGHPUT, 100)
                .set(Metric.CPU_UTIL, 0.6).build();
        assertThat(sample.get(Metric.LOAD_PER_OPERATION)).isEqualTo(0.006);
        assertThat(sample.get(Metric.WORK_DONE)).isEqualTo(30.0);
    }

    @Test
    void theLoadPerOperationIsThereWithoutStealToo() {
        Sample sample = Sample.at(TIME).set(Metric.THROUGHPUT, 64).set(Metric.CPU_UTIL, 0.75).set(Metric.STEAL, 0.125)
                .set(Metric.CPU_USED, 0.5).build();
        assertThat(sample.get(Metric.CPU_USED)).as("what the sensor says").isEqualTo(0.5);
        assertThat(sample.get(Metric.LOAD_PER_OPERATION)).isEqualTo(0.75 / 64);
        assertThat(sample.get(Metric.LOAD_PER_OPERATION_USED)).isEqualTo(0.5 / 64);
        assertThat(sample.toBuilder().set(Metric.CPU_UTIL, 0.875).build().get(Metric.CPU_USED)).isEqualTo(0.5);
    }

    @Test
    void ofARecordingThatIsOlderWhatTheTierUsedFollowsFromUseAndSteal() {
        Sample older = Sample.at(TIME).set(Metric.THROUGHPUT, 100).set(Metric.CPU_UTIL, 0.75).set(Metric.STEAL, 0.25).build();
        assertThat(older.get(Metric.CPU_USED)).isEqualTo(0.5);
        assertThat(older.get(Metric.LOAD_PER_OPERATION_USED)).isEqualTo(0.005);
        assertThat(older.toBuilder().set(Metric.STEAL, 0.5).build().get(Metric.CPU_USED)).as("it follows").isEqualTo(0.25);
        assertThat(older.toBuilder().set(Metric.STEAL, 0.8).build().get(Metric.CPU_USED)).as("rounding of two sensors").isZero();
        Sample unknown = Sample.at(TIME).set(Metric.THROUGHPUT, 100).set(Metric.CPU_UTIL, 0.75).build();
        assertThat(unknown.has(Metric.CPU_USED)).as("steal unknown").isFalse();
        assertThat(unknown.has(Metric.LOAD_PER_OPERATION_USED)).isFalse();
    }

    @Test
    void stealIsAShareOfTheTimeAndOfTheCpuThatWasAskedFor() {
        Sample little = Sample.at(TIME).set(Metric.CPU_UTIL, 0.125).set(Metric.STEAL, 0.03125).build();
        assertThat(little.get(Metric.STEAL_OF_DEMAND)).isEqualTo(0.25);
        Sample bounded = Sample.at(TIME).set(Metric.CPU_UTIL, 1).set(Metric.CPU_USED, 0.75).set(Metric.STEAL, 0.75).build();
        assertThat(bounded.get(Metric.STEAL_OF_DEMAND)).as("of two sensors that share no clock").isEqualTo(0.5);
        Sample idle = Sample.at(TIME).set(Metric.CPU_UTIL, 0).set(Metric.STEAL, 0).build();
        assertThat(idle.has(Metric.STEAL_OF_DEMAND)).as("nothing was asked for").isFalse();
        assertThat(Sample.at(TIME).set(Metric.CPU_UTIL, 0.5).build().has(Metric.STEAL_OF_DEMAND)).as("steal unknown").isFalse();
    }

    @Test
    void unmeasuredAndDerivedQuantitiesAreMissing() {
        Sample sample = Sample.at(TIME).set(Metric.THROUGHPUT, 100).build();
        assertThat(sample.has(Metric.CPU_UTIL)).isFalse();
        assertThat(sample.get(Metric.CPU_UTIL)).isNaN();
        assertThat(sample.has(Metric.LOAD_PER_OPERATION)).isFalse();
        assertThat(sample.has(Metric.WORK_DONE)).isFalse();
    }

    @Test
    void withoutThroughputThereIsNoLoadPerOperation() {
        Sample idle = Sample.at(TIME).set(Metric.THROUGHPUT, 0).set(Metric.CPU_UTIL, 0.1).build();
        assertThat(idle.has(Metric.LOAD_PER_OPERATION)).isFalse();
        Sample almostIdle = Sample.at(TIME).set(Metric.THROUGHPUT, Double.MIN_VALUE).set(Metric.CPU_UTIL, 1).build();
        assertThat(almostIdle.has(Metric.LOAD_PER_OPERATION)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1, -1e-9})
    void garbageOfASensorIsMissing(double garbage) {
        assertThat(Sample.at(TIME).set(Metric.RESPONSE_TIME, garbage).build().has(Metric.RESPONSE_TIME)).isFalse();
    }

    @Test
    void derivedMetricsCannotBeSet() {
        Sample sample = Sample.at(TIME).set(Metric.LOAD_PER_OPERATION, 7).build();
        assertThat(sample.has(Metric.LOAD_PER_OPERATION)).isFalse();
    }

    @Test
    void timeIsInWholeMilliseconds() {
        assertThat(Sample.at(TIME).build().time()).isEqualTo(Instant.parse("2026-01-01T00:00:00.123Z"));
    }

    @Test
    void straddlesWhenItsEpochsDiffer() {
        assertThat(Sample.at(TIME).epochs(3, 4).build().straddlesEpochs()).isTrue();
        assertThat(Sample.at(TIME).epoch(3).build().straddlesEpochs()).isFalse();
    }

    @Test
    void carriesTheConfigurationWithMilliseconds() {
        Settings odd = Lever.settings(433, 6250, 400, 2);
        assertThat(Sample.at(TIME).settings(odd).build().settings(RUNNING)).isEqualTo(odd);
        assertThat(Sample.at(TIME).set(Metric.KAT, 0.3).build().settings(RUNNING))
                .isEqualTo(RUNNING.with(Lever.KEEP_ALIVE_TIMEOUT, 300));
    }

    @Test
    void aConfigurationThatCannotBeIsTakenFromElsewhere() {
        Sample absurd = Sample.at(TIME).set(Metric.MXC, 0).set(Metric.PHP, 1e300).set(Metric.KAT, 1e12).build();
        assertThat(absurd.settings(RUNNING)).isEqualTo(RUNNING);
        assertThat(Sample.at(TIME).build().settings(RUNNING)).isEqualTo(RUNNING);
    }

    @Test
    void aBuilderOfASampleBuildsAnEqualOne() {
        Sample sample = Sample.at(TIME).member("db").set(Metric.CPU_UTIL, 0.1).epochs(1, 2)
                .label(Label.TRANSIENT).build();
        assertThat(sample.toBuilder().build()).isEqualTo(sample).hasSameHashCodeAs(sample);
        assertThat(sample.toBuilder().set(Metric.CPU_UTIL, 0.2).build()).isNotEqualTo(sample);
    }

    @Test
    void refusesAMemberThatWouldBreakACsvLine() {
        assertThatThrownBy(() -> Sample.at(TIME).member("a,b")).hasMessageContaining("member").hasMessageContaining("a,b");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.ic2.runtime.testing.Waiting;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.junit.jupiter.api.Test;

/** What becomes of a reading that misses the deadline of its interval. */
class DeadlineSensorTest {

    private static final Duration PLENTY = Duration.ofSeconds(60);

    /** Answers with the number of the reading, when the test lets it. */
    private static final class Gate implements Sensor {
        private final Duration patience;
        private final Semaphore open = new Semaphore(0);
        private int number;
        private volatile boolean interrupted;

        Gate(Duration patience) {
            this.patience = patience;
        }

        @Override
        public String name() {
            return "gate";
        }

        @Override
        public Duration patience() {
            return patience;
        }

        @Override
        public Reading read() throws InterruptedException {
            number++;
            try {
                open.acquire();
            } catch (InterruptedException e) {
                interrupted = true;
                throw e;
            }
            return Reading.builder().extra("number", number).build();
        }
    }

    @Test
    void aLateReadingCountsForTheIntervalInWhichItComes() throws Exception {
        Gate gate = new Gate(Duration.ofHours(1));
        try (DeadlineSensor sensor = new DeadlineSensor("web.x", gate)) {
            assertThat(sensor.readWithin(Duration.ZERO).problem()).get().asString().contains(DeadlineSensor.NO_ANSWER);
            assertThat(sensor.readWithin(Duration.ofMillis(20)).problem()).isPresent();
            assertThat(sensor.owesReading()).isTrue();
            gate.open.release();
            assertThat(sensor.readWithin(PLENTY).extras()).containsEntry("number", 1.0);
            assertThat(sensor.owesReading()).isFalse();
            gate.open.release();
            assertThat(sensor.readWithin(PLENTY).extras()).containsEntry("number", 2.0);
        }
        assertThat(gate.interrupted).isFalse();
    }

    @Test
    void aReadingThatFailsWithAnErrorIsMissingAndTheNextOneIsAsked() throws Exception {
        Error[] error = {new StackOverflowError()};
        Sensor failing = new Sensor() {
            @Override
            public String name() {
                return "failing";
            }

            @Override
            public Reading read() {
                if (error[0] != null) {
                    throw error[0];
                }
                return Reading.builder().extra("number", 7).build();
            }
        };
        try (DeadlineSensor sensor = new DeadlineSensor("web.x", failing)) {
            assertThat(sensor.readWithin(PLENTY).problem()).get().asString().contains("StackOverflowError");
            error[0] = null;
            assertThat(sensor.readWithin(PLENTY).extras()).containsEntry("number", 7.0);
        }
    }

    @Test
    void aReadingThatOutstaysItsPatienceIsGivenUpAndAskedAnew() throws Exception {
        Gate gate = new Gate(Duration.ofNanos(1));
        try (DeadlineSensor sensor = new DeadlineSensor("web.x", gate)) {
            Waiting.until("the end of patience", () -> {
                assertThat(sensor.readWithin(Duration.ZERO).problem()).isPresent();
                return gate.interrupted;
            });
            gate.open.release();
            Waiting.until("another reading", () -> sensor.readWithin(PLENTY).problem().isEmpty());
            assertThat(sensor.owesReading()).isFalse();
        }
    }
}

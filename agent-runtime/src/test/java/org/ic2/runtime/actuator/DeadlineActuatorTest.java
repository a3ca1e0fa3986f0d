// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

class DeadlineActuatorTest {

    /** A change whose command is ended only when who asked for it has been interrupted some times more. */
    private static final class Slow implements Actuator {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch interrupts = new CountDownLatch(5);
        private final AtomicBoolean ended = new AtomicBoolean();

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Set<Knob> levers() {
            return Set.of();
        }

        @Override
        public Settings running() {
            return Settings.none();
        }

        @Override
        public void checkMeans() {
            // there is nothing to check
        }

        @Override
        public Duration settleTime() {
            return Duration.ZERO;
        }

        @Override
        public void apply(Settings values) throws InterruptedException {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupts.await();
                ended.set(true);
            }
        }
    }

    @Test
    void aSecondInterruptStillWaitsForTheEndOfTheCancelledTask() throws Exception {
        Slow slow = new Slow();
        AtomicBoolean overtakes = new AtomicBoolean();
        try (DeadlineActuator actuator = new DeadlineActuator(slow)) {
            Thread asking = new Thread(() -> {
                try {
                    actuator.apply(Settings.none());
                } catch (Exception e) {
                    overtakes.set(!slow.ended.get());
                }
            });
            asking.start();
            slow.begun.await();
            while (asking.isAlive()) {
                asking.interrupt();
                slow.interrupts.countDown();
                asking.join(20);
            }
        }
        assertThat(slow.ended).isTrue();
        assertThat(overtakes).isFalse();
    }

    /** Waiting for the end of each would take three seconds; nearly all are given up before their thread has begun. */
    @Test
    void aCancelledReadThatHasNotBegunIsNotAwaited() {
        try (DeadlineActuator actuator = new DeadlineActuator(new Slow())) {
            assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
                int givenUp = 0;
                for (int i = 0; i < 60; i++) {
                    try {
                        Thread.currentThread().interrupt();
                        actuator.running();
                    } catch (InterruptedException e) {
                        givenUp++;
                    }
                }
                assertThat(givenUp).isPositive();
            });
        }
    }
}

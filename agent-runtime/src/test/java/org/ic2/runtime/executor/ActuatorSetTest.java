// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;

/** How long an order has to come into force. */
class ActuatorSetTest {

    private static final Settings BASE = Plain.settings(650, 5000, 50, 0);

    private final FakeActuator php = new FakeActuator(BASE, Plain.POOL);
    private final ActuatorSet actuators = new ActuatorSet(Map.of("web.php", php), Plain.TIER, System::nanoTime);

    private int looksAfter(long pauseMillis) throws Exception {
        php.manner = FakeActuator.Manner.IGNORES;
        actuators.apply("web.php", Set.of(Plain.POOL), BASE.with(Plain.POOL, 400));
        Thread.sleep(pauseMillis);
        php.reads = 0;
        assertThat(actuators.awaitRunning("web.php", Set.of(Plain.POOL), BASE.with(Plain.POOL, 400)))
                .contains("fake server: pool should be 400 and is 50");
        return php.reads;
    }

    @Test
    void thePatienceBeginsWithTheOrder() throws Exception {
        assertThat(looksAfter(php.settleTime().toMillis() + 1)).as("what others took of it is gone; one look there always is").isOne();
    }

    @Test
    void aLateValueIsReadUntilItIsThere() throws Exception {
        php.settle = Duration.ofSeconds(5);
        php.beforeRead = () -> {
            if (php.reads > 3) {
                php.values.put(Plain.POOL, 400);
            }
        };
        php.manner = FakeActuator.Manner.IGNORES;
        actuators.apply("web.php", Set.of(Plain.POOL), BASE.with(Plain.POOL, 400));
        assertThat(actuators.awaitRunning("web.php", Set.of(Plain.POOL), BASE.with(Plain.POOL, 400))).isEmpty();
        assertThat(php.reads).isEqualTo(4);
    }
}

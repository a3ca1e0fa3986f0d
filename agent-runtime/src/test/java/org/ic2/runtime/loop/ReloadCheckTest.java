// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.executor.Limits;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Plain;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values away from the baseline, and an edit of the configuration: can the new one still put them back? */
class ReloadCheckTest {

    private static final Settings BASE = Plain.settings(650, 5000, 1, 0);
    private static final Settings MITIGATED = Plain.settings(500, 15_000, 1, 2);
    private static final Settings LOWEST = Plain.settings(300, 5000, 1, 0);
    private static final Settings HIGHEST = Plain.settings(650, 30_000, 1, 4);
    private static final Map<String, Object> MOVERS = Map.of("threads", "a", "timeout", "a", "level", "a");
    private static final Set<Knob> LEVERS = Set.of(Plain.THREADS, Plain.TIMEOUT, Plain.LEVEL);
    private static final AgentPolicy OLD = mandate(Mode.ACT, BASE, HIGHEST, LEVERS, MOVERS);

    private static AgentPolicy mandate(Mode mode, Settings baseline, Settings highest, Set<Knob> levers, Map<String, Object> movers) {
        return new AgentPolicy("shop", mode, true, new Limits(baseline, new Bounds(LOWEST, highest), levers, Duration.ZERO, 5), movers);
    }

    private static Optional<String> stranded(AgentPolicy fresh, Settings running) {
        return new ReloadCheck(OLD, fresh).stranded(running, Set.of());
    }

    /** What an edit takes away from the new configuration. */
    private enum Edit {
        MODE(mandate(Mode.ADVISE, BASE, HIGHEST, LEVERS, MOVERS), "level is 2 and mode advise changes nothing"),
        LEVER(mandate(Mode.ACT, BASE, HIGHEST, Set.of(Plain.THREADS, Plain.TIMEOUT), MOVERS), "level is 2 and is no lever any more"),
        BOUNDS(mandate(Mode.ACT, BASE, HIGHEST.with(Plain.LEVEL, 1), LEVERS, MOVERS), "level is 2 and is outside the new bounds"),
        BASELINE(mandate(Mode.ACT, BASE.with(Plain.LEVEL, 1), HIGHEST, LEVERS, MOVERS), "level is 2 and the baseline changes"),
        MOVER(mandate(Mode.ACT, BASE, HIGHEST, LEVERS, moved()), "level is 2 and another actuator");

        private final AgentPolicy fresh;
        private final String reason;

        Edit(AgentPolicy fresh, String reason) {
            this.fresh = fresh;
            this.reason = reason;
        }

        private static Map<String, Object> moved() {
            Map<String, Object> movers = new HashMap<>(MOVERS);
            movers.put("level", "b");
            return movers;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aValueOutOfTheNewConfigurationsReachIsStranded(Edit edit) {
        assertThat(stranded(edit.fresh, MITIGATED)).get().asString().contains(edit.reason);
        assertThat(stranded(edit.fresh, BASE)).as("nothing to put back").isEmpty();
    }

    @Test
    void aReachableValueIsNotStranded() {
        assertThat(stranded(mandate(Mode.ACT, BASE, HIGHEST, LEVERS, MOVERS), MITIGATED)).isEmpty();
    }

    @Test
    void aKnobWithAnUnknownOutcomeIsStrandedForAnyReadValue() {
        assertThat(new ReloadCheck(OLD, Edit.LEVER.fresh).stranded(BASE, Set.of(Plain.LEVEL))).get().asString()
                .contains("level is unknown and is no lever any more");
        assertThat(stranded(Edit.MOVER.fresh, MITIGATED)).get().asString().doesNotContain("timeout");
    }
}

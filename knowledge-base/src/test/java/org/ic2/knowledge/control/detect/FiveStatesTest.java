// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.Transition.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiveStatesTest {
    @ParameterizedTest
    @CsvSource({
        "NI1, NO_INTERFERENCE, NI2, RESTORE",
        "NI1, TRANSIENT,       T,   NONE",
        "NI1, INTERFERENCE,    T,   NONE",
        "NI2, NO_INTERFERENCE, NI2, NONE",
        "NI2, TRANSIENT,       T,   NONE",
        "NI2, INTERFERENCE,    T,   NONE",
        "T,   NO_INTERFERENCE, NI1, NONE",
        "T,   TRANSIENT,       T,   NONE",
        "T,   INTERFERENCE,    I1,  NONE",
        "I1,  NO_INTERFERENCE, T,   NONE",
        "I1,  TRANSIENT,       T,   NONE",
        "I1,  INTERFERENCE,    I2,  MITIGATE",
        "I2,  NO_INTERFERENCE, T,   NONE",
        "I2,  TRANSIENT,       T,   NONE",
        "I2,  INTERFERENCE,    I2,  NONE"})
    void everyPair(State state, Label label, State next, Trigger trigger) {
        assertThat(FiveStates.step(state, label)).isEqualTo(new Transition(next, trigger));
    }

    @Test
    void itTakesThreeLabelsToReconfigure() {
        State state = State.NI2;
        Set<Trigger> fired = new HashSet<>();
        for (State expected : new State[] {State.T, State.I1, State.I2}) {
            assertThat(fired).doesNotContain(Trigger.MITIGATE);
            Transition step = FiveStates.step(state, Label.INTERFERENCE);
            assertThat(step.to()).isEqualTo(expected);
            fired.add(step.trigger());
            state = step.to();
        }
        assertThat(fired).contains(Trigger.MITIGATE);
    }

    @Test
    void oneWrongLabelNeverFires() {
        for (State steady : new State[] {State.NI2, State.I2}) {
            Label right = steady == State.NI2 ? Label.NO_INTERFERENCE : Label.INTERFERENCE;
            Trigger other = steady == State.NI2 ? Trigger.MITIGATE : Trigger.RESTORE;
            for (Label wrong : Label.values()) {
                Transition step = FiveStates.step(steady, wrong);
                assertThat(step.trigger()).isEqualTo(Trigger.NONE);
                for (int i = 0; i < 5; i++) {
                    step = FiveStates.step(step.to(), right);
                    assertThat(step.trigger()).isNotEqualTo(other);
                }
                assertThat(step.to()).isEqualTo(steady);
            }
        }
    }
}

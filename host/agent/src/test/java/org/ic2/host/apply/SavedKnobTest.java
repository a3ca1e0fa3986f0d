// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.junit.jupiter.api.Test;

class SavedKnobTest {

    private static SavedKnob memory(int original, Integer... ours) {
        GuestKnob knob = new GuestKnob(KnobKind.MEMORY, new Target.OfGuest("1", "u/1", "web"));
        return new SavedKnob(knob, original, Integer.toString(original), List.of(ours), false);
    }

    /** One that shows a MiB less than its configuration says. */
    @Test
    void whatWasAskedForBeforeTheFirstMoveMayBeSoStill() {
        SavedKnob saved = memory(1023).moving(1023, 900, OptionalInt.of(1024));

        assertThat(saved.isOrder(1024)).isTrue();
        assertThat(saved.growsOnRestore()).as("it needs memory to be restored").isTrue();
        assertThat(memory(1023, 1023, 1100).growsOnRestore()).isFalse();
    }

    /** An order that was not in force yet when the next was noted, which perhaps was never given. */
    @Test
    void ourOrderOfBeforeIsOursStillAndNobodyElsesBecomesOurs() {
        SavedKnob saved = memory(1024, 1024, 800);

        assertThat(saved.moving(850, 700, OptionalInt.of(800)).isOrder(800)).isTrue();
        assertThat(saved.moving(850, 700, OptionalInt.of(810)).isOrder(810)).isFalse();
        assertThat(saved.moving(850, 700, OptionalInt.empty()).ours()).containsExactly(850, 700);
    }
}

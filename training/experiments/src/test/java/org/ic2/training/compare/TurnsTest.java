// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How often a knob turned round. */
class TurnsTest {

    private static int turns(double... amounts) {
        return Turns.count(Arrays.stream(amounts).mapToObj(amount -> new Turns.Value(Instant.EPOCH, amount)).toList());
    }

    @Test
    void aChangeAndItsRestoreAreOneTurn() {
        assertThat(turns(0, 4, 5, 0)).isEqualTo(1);
        assertThat(turns(0, 4, 0, 4, 0)).isEqualTo(3);
        assertThat(turns(Turns.UNLIMITED, 500, 400, Turns.UNLIMITED)).isEqualTo(1);
    }

    @Test
    void aMonotonicSeriesHasNoTurns() {
        assertThat(Turns.count(List.of())).isZero();
        assertThat(turns(3, 3, 3)).isZero();
        assertThat(turns(900, 700, 500, 480, 475)).isZero();
    }

    @Test
    void lessThanATenthIsNoTurnUnlessItAddsUp() {
        assertThat(turns(500, 520, 490, 510, 480)).isZero();
        assertThat(turns(500, 600, 560, 590, 550, 600)).isZero();
        assertThat(turns(500, 600, 580, 560, 530)).as("by more than a tenth from the highest").isEqualTo(1);
        assertThat(turns(500, 560, 600, 640, 590)).as("small steps up move the highest on").isZero();
    }
}

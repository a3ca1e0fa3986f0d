// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import java.util.List;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Settings;

class LeverTest {
    private static final Settings BASE = Lever.settings(650, 5000, 50, 0);
    private static final Bounds BOUNDS =
            new Bounds(Lever.settings(300, 5000, 50, 0), Lever.settings(650, 30_000, 400, 4));

    @Test
    void everyLeverIsReadAndSet() {
        Settings changed = BASE;
        for (Lever lever : Lever.values()) {
            changed = changed.with(lever, BASE.get(lever) + 1);
            assertThat(changed.get(lever)).isEqualTo(BASE.get(lever) + 1);
            assertThat(Terms.shipped().knob(lever.key())).contains(lever);
        }
        assertThat(changed).isEqualTo(Lever.settings(651, 5001, 51, 1));
        assertThat(changed.describe()).isEqualTo("MXC 651, KAT 5001ms, PHP 51, mitigation 1");
        assertThat(changed.managed()).isEqualTo(changed);
        assertThat(Lever.settings(650, 5000, Lever.PHP_MAX_CHILDREN.neutral(), 0).describe())
                .as("nobody manages PHP").isEqualTo("MXC 650, KAT 5s, mitigation 0");
        assertThat(BASE.with(changed.only(List.of(Lever.MITIGATION)))).isEqualTo(Lever.settings(650, 5000, 50, 1));
    }

    @Test
    void boundsClampEveryLever() {
        assertThat(BOUNDS.clamp(Lever.settings(1, 1, 1, 9))).isEqualTo(Lever.settings(300, 5000, 50, 4));
        assertThat(BOUNDS.clamp(Lever.settings(9999, 99_999, 9999, 0)))
                .isEqualTo(Lever.settings(650, 30_000, 400, 0));
        assertThat(BOUNDS.clamp(Lever.MAX_REQUEST_WORKERS, Double.POSITIVE_INFINITY)).isEqualTo(650);
        assertThat(BOUNDS.clamp(Lever.MAX_REQUEST_WORKERS, Double.NEGATIVE_INFINITY)).isEqualTo(300);
        assertThat(BOUNDS.contains(BASE)).isTrue();
        assertThat(BOUNDS.contains(BASE.with(Lever.MITIGATION, 5))).isFalse();
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> BASE.with(Lever.MAX_REQUEST_WORKERS, 0)).hasMessageContaining("max-request-workers");
        assertThatThrownBy(() -> BASE.with(Lever.KEEP_ALIVE_TIMEOUT, -1)).hasMessageContaining("keep-alive-timeout");
        assertThatThrownBy(() -> Lever.KEEP_ALIVE_TIMEOUT.parse("4294972.296s")).as("5 s more than an int of milliseconds")
                .hasMessageContaining("expected at most 1h");
        assertThatThrownBy(() -> new Bounds(BOUNDS.highest(), BOUNDS.lowest()))
                .hasMessageContaining("bounds.").hasMessageContaining("lowest");
    }
}

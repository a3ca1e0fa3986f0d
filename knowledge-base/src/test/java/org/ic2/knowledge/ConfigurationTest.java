// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ConfigurationTest {
    private static final Configuration BASE = new Configuration(650, 5000, 50, 0);
    private static final Bounds BOUNDS =
            new Bounds(new Configuration(300, 5000, 50, 0), new Configuration(650, 30_000, 400, 4));

    @Test
    void everyLeverIsReadAndSet() {
        Configuration changed = BASE;
        for (Lever lever : Lever.values()) {
            changed = changed.with(lever, BASE.get(lever) + 1);
            assertThat(changed.get(lever)).isEqualTo(BASE.get(lever) + 1);
            assertThat(Lever.ofKey(lever.key())).contains(lever);
        }
        assertThat(changed).isEqualTo(new Configuration(651, 5001, 51, 1));
        assertThat(changed.describe()).isEqualTo("MXC 651, KAT 5001ms, PHP 51, mitigation 1");
        assertThat(changed.withPaperValuesOf(BASE)).isEqualTo(new Configuration(650, 5000, 50, 1));
    }

    @Test
    void boundsClampEveryLever() {
        assertThat(BOUNDS.clamp(new Configuration(1, 1, 1, 9))).isEqualTo(new Configuration(300, 5000, 50, 4));
        assertThat(BOUNDS.clamp(new Configuration(9999, 99_999, 9999, 0)))
                .isEqualTo(new Configuration(650, 30_000, 400, 0));
        assertThat(BOUNDS.clamp(Lever.MAX_REQUEST_WORKERS, Double.POSITIVE_INFINITY)).isEqualTo(650);
        assertThat(BOUNDS.clamp(Lever.MAX_REQUEST_WORKERS, Double.NEGATIVE_INFINITY)).isEqualTo(300);
        assertThat(BOUNDS.contains(BASE)).isTrue();
        assertThat(BOUNDS.contains(BASE.with(Lever.MITIGATION, 5))).isFalse();
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> BASE.with(Lever.MAX_REQUEST_WORKERS, 0)).hasMessageContaining("max-request-workers");
        assertThatThrownBy(() -> BASE.with(Lever.KEEP_ALIVE_TIMEOUT, -1)).hasMessageContaining("keep-alive-timeout");
        assertThatThrownBy(() -> new Bounds(BOUNDS.highest(), BOUNDS.lowest()))
                .hasMessageContaining("bounds.").hasMessageContaining("lowest");
    }
}

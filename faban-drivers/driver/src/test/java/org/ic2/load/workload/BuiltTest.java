// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class BuiltTest {
    @Test
    void isEpochSecondsWithMilliseconds() throws PageError {
        Built built = Built.ofSeconds("GET /", "1760000000.123");
        assertThat(built.millis()).isEqualTo(1_760_000_000_123L);
        assertThat(built.ageAt(built.millis() + 1500)).isEqualTo(1.5);
        assertThat(built.ageAt(built.millis() - 1)).as("built for the request").isZero();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "soon", "1760000000", "1760000000.1", "-1.000", "99999999999999.000", "1760000000.123 "})
    void anythingElseIsRefusedWithASentence(String text) {
        assertThatThrownBy(() -> Built.ofSeconds("GET /", text)).isInstanceOf(PageError.class)
                .hasMessage("GET /: expected X-Built SECONDS.MILLISECONDS, got " + (text == null ? "none" : text));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {

    @ParameterizedTest
    @CsvSource({"0KiB,0", "1KiB,1024", "256MiB,268435456", "3GiB,3221225472", "65536TiB,72057594037927936"})
    void aNumberWithItsUnitIsBytes(String text, long bytes) {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
        assertThat(Sizes.parse(Sizes.format(bytes))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "256", "256MB", "256M", "256 MiB", "-1MiB", "1.5GiB", "1EiB", "12345678901MiB", "MiB"})
    void sizesWithoutAKnownUnitAreRefused(String text) {
        assertThatThrownBy(() -> Sizes.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("such as 256MiB, got \"" + text + "\"");
    }

    @Test
    void impossibleSizesAreRefused() {
        assertThatThrownBy(() -> Sizes.parse("65537TiB")).hasMessage("expected at most 65536TiB, got \"65537TiB\"");
    }
}

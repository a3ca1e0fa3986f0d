// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NeverQuietTest {
    @ParameterizedTest
    @CsvSource({"0.11, 0.2", "0.2, 0.3", "0.3, 0.45", "0.303, 0.5", "0.6, 0.9", "0.9, 1", "1, 1"})
    void theBoundLeavesRoomAboveWhatIsUsual(double usual, String bound) {
        assertThat(NeverQuiet.line("steal", usual)).isEqualTo("never-normal: {steal: " + bound + "}");
    }
}

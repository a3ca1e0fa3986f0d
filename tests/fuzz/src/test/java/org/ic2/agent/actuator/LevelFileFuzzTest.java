// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** The file of the ladder's rung: whatever stands there is a rung, or rung 0 and why. */
class LevelFileFuzzTest {

    @FuzzTest
    void map(byte[] bytes) {
        LevelFile.Content content = LevelFile.parse(new String(bytes, StandardCharsets.ISO_8859_1));
        assertThat(content.rung()).isBetween(0, 99_999);
        content.problem().ifPresent(problem -> {
            assertThat(content.rung()).isZero();
            assertThat(problem).isNotBlank();
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** The file of the mitigation level: any content is a level, or level 0 and why. */
class LevelFileFuzzTest {

    @FuzzTest
    void map(byte[] bytes) {
        LevelFile.Content content = LevelFile.parse(new String(bytes, StandardCharsets.ISO_8859_1), LevelFile.LEVEL);
        assertThat(content.level()).isBetween(0, 99_999);
        content.problem().ifPresent(problem -> {
            assertThat(content.level()).isZero();
            assertThat(problem).isNotBlank();
        });
    }
}

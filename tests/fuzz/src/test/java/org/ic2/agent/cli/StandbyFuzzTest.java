// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What a server says in the place of mod_standby's status. */
class StandbyFuzzTest {

    @FuzzTest
    void status(byte[] bytes) {
        try {
            StandbyStatus.parse(new String(bytes, StandardCharsets.UTF_8)).ifPresent(status -> {
                assertThat(status.headers().values()).allMatch(count -> count >= 0);
                assertThat(status.figures().values()).allMatch(figure -> figure >= 0);
                assertThat(new StandbyCheck(true, true).of(status)).isNotEmpty().allMatch(finding -> finding.text().length() < 2000);
            });
        } catch (IOException e) {
            assertThat(e.getMessage()).startsWith("the status page has more than");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** Other people's configuration files: what is set is read back, and nothing else is touched. */
class DirectiveFuzzTest {

    @FuzzTest
    void httpd(byte[] bytes) {
        set(new DirectiveFile("MaxRequestWorkers", " "), bytes);
    }

    @FuzzTest
    void phpPool(byte[] bytes) {
        set(new DirectiveFile("pm.max_children", "="), bytes);
    }

    private static void set(DirectiveFile file, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        String changed = file.with(text, "7");
        assertThat(file.value(changed)).contains("7");
        assertThat(file.with(changed, "7")).as("once more").isEqualTo(changed);
        if (file.value(text).isEmpty()) {
            assertThat(changed).startsWith(text);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** An haproxy.cfg. */
class HaproxyFileFuzzTest {

    @FuzzTest
    void file(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        for (HaproxyFile.Backend backend : HaproxyFile.backends(text)) {
            for (HaproxyFile.Server server : backend.servers()) {
                assertThat((long) server.line()).isBetween(1L, text.lines().count());
                assertThat(server.host()).isNotNull();
                assertThat(server.backend()).isEqualTo(backend.name());
            }
        }
    }
}

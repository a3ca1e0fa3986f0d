// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.host.PageAccess;

/** What HAProxy says of its servers. */
class HaproxyFuzzTest {

    @FuzzTest
    void statistics(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int state = Math.max(0, text.indexOf("# be_id"));
        try (LocalHost host = new LocalHost()) {
            HaproxyServers stats = new HaproxyServers(host, new HaproxySource(Optional.empty(),
                    Optional.of(URI.create("http://127.0.0.1:1/stats;csv")), PageAccess.OPEN, "web", "web1", Optional.empty()));
            assertThat(stats.parse(text.substring(0, state), Optional.empty(), text.substring(state)).servers()).isNotEmpty().allSatisfy(server -> {
                assertThat(server.share()).isBetween(0.0, 1.0);
                assertThat(server.takes() && server.weight() == 0).isFalse();
                assertThat(server.queue()).isNotNegative();
            });
        } catch (IOException e) {
            assertThat(e.getMessage()).hasSizeLessThan(1000);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What tenants tell the host. */
class TenantFuzzTest {

    @FuzzTest
    void message(byte[] bytes) {
        try {
            TenantMessage message = TenantMessage.parse(new String(bytes, StandardCharsets.UTF_8));
            TenantWatch watch = new TenantWatch();
            watch.take(new Carrier.Letter("", ""), message, 0, 1.7e9);
            assertThat(watch.busy(61_000_000_000L, 0)).as("busy for a minute at most").isFalse();
            assertThat(message.requests() < 0 || message.responseTime() < 0).isFalse();
        } catch (IOException e) {
            assertThat(e.getMessage()).startsWith(e.getMessage().contains(": ") ? "" : "expected").hasSizeLessThan(200);
        }
    }
}

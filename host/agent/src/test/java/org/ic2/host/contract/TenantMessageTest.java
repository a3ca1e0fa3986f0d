// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a tenant may say, and what it may not. */
class TenantMessageTest {

    @Test
    void aWholeMessageIsRead() throws Exception {
        assertThat(TenantMessage.parse("{\"v\":1,\"time\":100.5,\"response_time\":0.034,\"requests\":120,\"busy_until\":99,\"shedding\":true}"))
                .isEqualTo(new TenantMessage(100.5, 0.034, 120, 99, true));
    }

    @Test
    void whatIsMissingOrNullIsUnknown() throws Exception {
        assertThat(TenantMessage.parse("{\"v\":1,\"response_time\":null,\"requests\":0,\"shedding\":null}\n"))
                .isEqualTo(new TenantMessage(Double.NaN, Double.NaN, 0, Double.NaN, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "garbage", "[]", "1", "{\"v\":2}", "{}", "{\"v\":1.0}", "{\"v\":\"1\"}", "{\"v\":1}{\"v\":1}",
        "{\"v\":1,\"requests\":-1}", "{\"v\":1,\"requests\":\"12\"}", "{\"v\":1,\"response_time\":1e99}", "{\"v\":1,\"response_time\":NaN}",
        "{\"v\":1,\"requests\":{}}", "{\"v\":1,\"cap\":900}", "{\"v\":1,\"requests\":1,\"requests\":2}", "{\"v\":1,\"busy_until\":true}",
        "{\"v\":1,\"shedding\":1}", "{\"v\":1,\"shedding\":\"true\"}"})
    void garbageIsRefusedWithoutBeingQuoted(String text) {
        assertThatThrownBy(() -> TenantMessage.parse(text)).isInstanceOf(IOException.class).hasMessageContaining("expected")
                .hasMessageNotContainingAny("garbage", "cap", "1.0E99", "12");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampleJsonTest {

    @Test
    void whatIsWrittenIsReadAsItWas() throws Exception {
        Guest guest = new Guest("7", "u-1", "a \"name\"\n", 2, 64L << 20, 1L << 40, GuestClass.LS2, 0.1, Double.NaN);
        Guest group = new Guest("m/8", "u-2", "group", 64, 0, 1L << 40, GuestClass.NLS, Double.NaN, 0.5, true);
        HostSample sample = new HostSample(Instant.parse("2026-01-01T00:00:00.123456789Z"), Duration.ofNanos(3_000_123_457L), List.of(guest, group),
                Map.of("u-1", new Readings<>(GuestMetric.class).with(GuestMetric.CPU_RUN, 1.0 / 3).without(GuestMetric.APP_RT, "nobody tells")),
                new Readings<>(HostMetric.class).with(HostMetric.MEM_FREE, 1e12).without(HostMetric.NET_RATE, "no counters"));

        assertThat(SampleJson.read(Json.read(Json.text(SampleJson.write(sample))))).isEqualTo(sample);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "1", "{\"guests\":[],\"metrics\":{}}", "{\"guests\":[{}],\"metrics\":{},\"host\":{}}",
        "{\"time\":\"now\",\"interval_ms\":1,\"guests\":[],\"metrics\":{},\"host\":{}}",
        "{\"time\":\"2026-01-01T00:00:00Z\",\"interval_ms\":\"x\",\"guests\":[],\"metrics\":{},\"host\":{}}"})
    void garbageIsNamed(String text) throws Exception {
        assertThatThrownBy(() -> SampleJson.read(Json.read(text))).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("expected");
    }
}

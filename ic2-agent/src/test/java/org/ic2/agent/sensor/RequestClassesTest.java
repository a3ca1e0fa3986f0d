// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests of an access log are of one class. */
class RequestClassesTest {
    private static final LogFormat FORMAT = LogFormat.parse("\"%r\" %>s %D \"%{cache-status}e\"");

    private static Metric of(String request, String cache) {
        return RequestClasses.of(FORMAT.match("\"" + request + "\" 200 7 \"" + cache + "\"").orElseThrow());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "GET /static/1/app.css HTTP/1.1    | -          | MIX_FILES",
        "GET /a.png?v=2 HTTP/1.1           | cache hit  | MIX_FILES",
        "-                                 | -          | MIX_FILES",
        "GET /event/7 HTTP/1.1             | cache hit  | MIX_STORED",
        "POST /search HTTP/1.1             | -          | MIX_WRITES",
        "DELETE /event/7 HTTP/1.1          | -          | MIX_WRITES",
        "GET / HTTP/1.1                    | -          | MIX_HOME",
        "HEAD /?s=words HTTP/1.1           | cache miss | MIX_HOME",
        "GET //x HTTP/1.1                  | -          | MIX_HOME",
        "OPTIONS * HTTP/1.0                | -          | MIX_WRITES",
        "GET nothing                       | -          | MIX_PAGES_4",
    })
    void aLineIsClassifiedByRequestAndCache(String request, String cache, Metric expected) {
        assertThat(of(request, cache)).isEqualTo(expected);
    }

    @Test
    void pagesOfOneKindAreTogether() {
        Metric event = of("GET /event/7 HTTP/1.1", "-");
        assertThat(of("GET /event/8?a HTTP/1.1", "-")).isEqualTo(event);
        assertThat(of("GET /event HTTP/1.1", "-")).isEqualTo(event);
        assertThat(of("GET /person/7 HTTP/1.1", "-")).isNotEqualTo(event);
        assertThat(of("GET /tag/7 HTTP/1.1", "-")).isNotEqualTo(event).isNotEqualTo(of("GET /person/7 HTTP/1.1", "-"));
        assertThat(of("GET /2025/03/words/ HTTP/1.1", "-")).isEqualTo(of("GET /2026/04/others/ HTTP/1.1", "-"));
    }

    /** As %U has it where rules put the application's file before the path. */
    @Test
    void aFrontControllerBeforeThePathIsPassedOver() {
        assertThat(of("GET /index.php/event/7 HTTP/1.1", "-")).isEqualTo(of("GET /event/7 HTTP/1.1", "-"));
        assertThat(of("GET /index.php/ HTTP/1.1", "-")).isEqualTo(Metric.MIX_HOME);
        assertThat(of("GET /wp-login.php HTTP/1.1", "-")).isEqualTo(of("GET /wp-login.php?a HTTP/1.1", "-"));
    }

    @Test
    void membersAreCountedWhereTheLogTellsThem() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FakeHost host = new FakeHost();
        AccessLogSensor sensor = new AccessLogSensor(host, "x", LogFormat.parse("%m %U %>s \"%{cache-status}e\" %{ic2_member}e %D"),
                RequestFilter.all(), nanos::get);
        sensor.read();
        nanos.addAndGet(1_000_000_000L);
        host.lines.addAll(java.util.List.of("GET / 200 \"-\" 1 7", "GET / 200 \"-\" - 7", "GET /event/7 200 \"-\" 1 7",
                "POST /login 302 \"-\" 1 7", "GET /a.css 200 \"-\" 1 7", "GET / 200 \"cache hit\" - 7"));
        assertThat(sensor.read().values()).as("pages that were built").containsEntry(Metric.MIX_MEMBERS, 2.0)
                .containsEntry(Metric.MIX_HOME, 2.0).containsEntry(Metric.MIX_WRITES, 1.0).containsEntry(Metric.MIX_STORED, 1.0);
    }

    @Test
    void theSensorTellsTheRateOfEachClassByEitherCounter() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FakeHost host = new FakeHost();
        AccessLogSensor sensor = new AccessLogSensor(host, "x", FORMAT, new RequestFilter(java.util.List.of(),
                java.util.List.of("static")), nanos::get);
        sensor.read();
        nanos.addAndGet(2_000_000_000L);
        for (int i = 0; i < 6; i++) {
            host.lines.add("\"GET /a" + i + ".css HTTP/1.1\" 200 7 \"-\"");
        }
        host.lines.add("\"GET / HTTP/1.1\" 200 7 \"-\"");
        host.lines.add("\"POST / HTTP/1.1\" 500 7 \"-\"");
        host.lines.add("no request");
        Reading reading = sensor.read();
        assertThat(reading.values()).containsEntry(Metric.MIX_FILES, 3.0).containsEntry(Metric.MIX_HOME, 0.5)
                .containsEntry(Metric.MIX_WRITES, 0.5).containsEntry(Metric.MIX_STORED, 0.0).containsEntry(Metric.THROUGHPUT, 0.5)
                .containsKeys(Metric.MIX.toArray(Metric[]::new)).doesNotContainKey(Metric.MIX_MEMBERS);
    }

    @Test
    void withoutPathsThereIsNoMix() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FakeHost host = new FakeHost();
        AccessLogSensor sensor = new AccessLogSensor(host, "x", LogFormat.parse("%>s %D"), RequestFilter.all(), nanos::get);
        sensor.read();
        nanos.addAndGet(1_000_000_000L);
        host.lines.add("200 7");
        assertThat(sensor.read().values()).containsKey(Metric.THROUGHPUT).doesNotContainKeys(Metric.MIX.toArray(Metric[]::new));
    }
}

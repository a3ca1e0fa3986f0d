// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages are told from the static files that come with them. */
class RequestFilterTest {

    private static final LogFormat FORMAT = LogFormat.parse("%h \"%r\" %>s %D");

    private static String line(String path, int status, int micros) {
        return "::1 \"GET " + path + " HTTP/1.1\" " + status + " " + micros;
    }

    /** A page of 2 s and twelve files of a millisecond. */
    private static void addPage(List<String> lines) {
        lines.add(line("/hello-world/?p=1.css", 200, 2_000_000));
        for (int i = 0; i < 12; i++) {
            lines.add(line("/theme/style" + i + ".CSS?ver=6.1", 200, 1000));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "static   | /a/b.css                | true",
        "static   | /a.css/b                | false",
        "static   | /a/                     | false",
        "static   | /a/feed.xml             | false",
        "/blog/*  | /blog/                  | true",
        "/blog/*  | /a/blog/                | false",
        "/blog    | /blog/                  | false",
        "*.php    | /wp-login.php           | true",
        "*/a/*.x  | /b/a/c/a/d.y.x          | true",
        "*/a/*.x  | /b/a/c/a/d.y.xx         | false",
        "*        | ''                      | true",
    })
    void pathsFitPatterns(String pattern, String path, boolean fits) {
        assertThat(new RequestFilter(List.of(pattern), List.of()).counts(path)).isEqualTo(fits);
        assertThat(new RequestFilter(List.of(), List.of(pattern)).counts(path)).isEqualTo(!fits);
    }

    @Test
    void aPatternOfManyStarsTakesNoTime() {
        String path = "/" + "a".repeat(8000);
        assertThat(new RequestFilter(List.of("*a".repeat(50) + "b"), List.of()).counts(path)).isFalse();
    }

    @Test
    void theFiguresAreOfWhatCounts() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FakeHost host = new FakeHost();
        AccessLogSensor sensor = new AccessLogSensor(host, "x", FORMAT,
                new RequestFilter(List.of(), List.of("static", "/wp-cron.php")), nanos::get);
        sensor.read();
        nanos.addAndGet(2_000_000_000L);
        addPage(host.lines);
        addPage(host.lines);
        host.lines.add(line("/wp-cron.php?doing_wp_cron", 200, 9_000_000));
        host.lines.add(line("/missing.png", 503, 1000));
        host.lines.add(line("/cart/", 500, 1000));
        Reading reading = sensor.read();
        assertThat(reading.get(Metric.RESPONSE_TIME)).isCloseTo(2, within(1e-9));
        assertThat(reading.get(Metric.RESPONSE_TIME_P95)).isCloseTo(2, within(1e-9));
        assertThat(reading.get(Metric.REQUESTS)).isEqualTo(2);
        assertThat(reading.get(Metric.THROUGHPUT)).isEqualTo(1);
        assertThat(reading.get(Metric.ERROR_RATE)).isEqualTo(0.5);
        assertThat(reading.extras()).containsEntry(AccessLogSensor.ALL_REQUESTS, 14.0);
        nanos.addAndGet(1_000_000_000L);
        host.lines.add(line("/a.css", 200, 1000));
        assertThat(sensor.read().get(Metric.REQUESTS)).as("none of the application's").isZero();
    }

    /** Whom mod_standby asked to come later was no failure and no page; who asks is counted all the same. */
    @Test
    void refusedRequestsAreCountedSeparately() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FakeHost host = new FakeHost();
        AccessLogSensor sensor = new AccessLogSensor(host, "x", LogFormat.parse("\"%r\" %>s \"%{User-Agent}i\" \"%{cache-status}e\" %D"),
                RequestFilter.all(), nanos::get);
        sensor.read();
        nanos.addAndGet(2_000_000_000L);
        host.lines.add("\"GET /a HTTP/1.1\" 200 \"x\" \"pass: cookie\" 2000000");
        host.lines.add("\"GET /b HTTP/1.1\" 503 \"x\" \"pass: cookie\" 2000000");
        for (int i = 0; i < 4; i++) {
            host.lines.add("\"GET /a HTTP/1.1\" 503 \"x\" \"wall\" 100");
            host.lines.add("\"GET /a HTTP/1.1\" 503 \"GPTBot\" \"crawler\" 100");
        }
        Reading reading = sensor.read();
        assertThat(reading.values()).containsEntry(Metric.REQUESTS, 1.0).containsEntry(Metric.THROUGHPUT, 0.5)
                .containsEntry(Metric.RESPONSE_TIME, 2.0).containsEntry(Metric.ERROR_RATE, 0.5).containsEntry(Metric.TURNED_AWAY, 4.0)
                .containsEntry(Metric.LISTED_CRAWLERS, 0.4);
        assertThat(Metric.MIX.stream().mapToDouble(reading::get).sum()).as("nothing was built for them").isEqualTo(1.0);
        nanos.addAndGet(1_000_000_000L);
        host.lines.add("\"GET /a HTTP/1.1\" 503 \"x\" \"wall\" 100");
        assertThat(sensor.read().values()).containsEntry(Metric.TURNED_AWAY, 1.0).containsEntry(Metric.THROUGHPUT, 0.0);
    }

    @Test
    void aCheckSaysWhenFilesHideThePages(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("access.log");
        List<String> lines = new java.util.ArrayList<>();
        for (int i = 0; i < 5; i++) {
            addPage(lines);
        }
        Files.write(log, lines);
        assertThat(caveat(log, RequestFilter.all())).isEqualTo("60 of the last 65 requests are for static files, so the"
                + " mean of all, 0.155s, hides what a page takes, 2.000s: set exclude: [static]");
        assertThat(caveat(log, new RequestFilter(List.of(), List.of("static")))).isEmpty();
        Files.writeString(log, line("/", 200, 1000) + "\n" + line("/a.css", 200, 900) + "\n");
        assertThat(caveat(log, RequestFilter.all())).isEmpty();
        Files.writeString(log, "");
        assertThat(caveat(log, RequestFilter.all())).isEmpty();
    }

    private static String caveat(Path log, RequestFilter filter) throws Exception {
        AccessLogSensor sensor = new AccessLogSensor(new LocalHost(), log.toString(), FORMAT, filter, System::nanoTime);
        try (sensor) {
            return sensor.caveat().orElse("");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "exclude: [css]                              | expected static, or a path such as",
        "include: [static, jpg]                      | got \"jpg\"",
        "exclude: [static], format: '%h %>s %D'      | expected a LogFormat with %r or %U",
    })
    void impossibleSettingsAreRefused(String settings, String message) {
        assertThatThrownBy(() -> new SensorRegistry().parse(YamlMap.parse("x", "{type: access-log, file: x, " + settings + "}")))
                .isInstanceOf(ConfigException.class).hasMessageContaining(message);
    }

    @Test
    void thePathIsInTheRequestLineOrByItself() {
        assertThat(LogFormat.parse("%U %>s %D").match("/a/b 200 7").orElseThrow().path()).isEqualTo("/a/b");
        assertThat(FORMAT.match(line("/a?b", 200, 7)).orElseThrow().path()).isEqualTo("/a");
        assertThat(FORMAT.match("::1 \"-\" 408 7").orElseThrow().path()).as("no request").isEqualTo("-");
        assertThat(LogFormat.parse("%>s %D").hasPath()).isFalse();
    }
}

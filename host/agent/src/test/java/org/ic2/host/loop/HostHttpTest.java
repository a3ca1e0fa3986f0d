// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.model.GuestClass;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostHttpTest {

    @TempDir
    private Path directory;

    private static HttpResponse<String> get(String url, String method) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofMinutes(1))
                .method(method, HttpRequest.BodyPublishers.noBody()).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void itServesTheMetricsOfThePageAndNothingElse() throws Exception {
        FakeBackend host = new FakeBackend();
        host.refusedGuests.put("domain 7", "its name has a control character");
        host.start("web", "1", GuestClass.NLS, 256, 500, 900);
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of())) {
            HostLoop loop = new HostAgent(HostConfigReader.parse(directory.resolve("host.yaml"), """
                    backend: {type: xen}
                    guests: {web: {memory: [100MiB, 1GiB], cpu: [0.1, 0.9]}}
                    controllers: {joint: {guests: [web], take: always}}
                    """), new HostAgent.Surroundings(host, journal, new Snapshot(directory.resolve("snapshot.json"), "boot"),
                    Clock.systemUTC(), System::nanoTime, Optional.empty())).loop();
            loop.start("");
            loop.turn();
            try (HostHttp http = new HostHttp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), () -> loop)) {
                String url = http.address();

                HttpResponse<String> metrics = get(url + "/metrics", "GET");
                assertThat(metrics.statusCode()).isEqualTo(200);
                assertThat(metrics.body()).contains("ic2_host_mode_info{mode=\"advise\"} 1.0", "knob=\"cap\",of=\"web\"} 500.0",
                        "ic2_host_guests_left_alone 1.0");
                assertThat(names(metrics.body(), "^# HELP (ic2_host_\\w+) (.*)$", "$1 | $2")).isEqualTo(names(Files.readString(
                        Path.of("../docs/configuration.md")), "^\\| `(ic2_host_\\w+)` \\|[^|]*\\| (.*) \\|$", "$1 | $2"));
                assertThat(get(url + "/status", "GET").body()).contains("\"mode\":\"advise\"", "\"name\":\"web\"");
                assertThat(get(url + "/status", "POST").statusCode()).isIn(405, 411);
                assertThat(get(url + "/", "GET").statusCode()).isEqualTo(404);
            }
        }
    }

    private static Set<String> names(String text, String pattern, String as) {
        Set<String> names = new TreeSet<>();
        Pattern.compile(pattern, Pattern.MULTILINE).matcher(text).results()
                .forEach(found -> names.add(as.replace("$1", found.group(1)).replace("$2", found.group(2))));
        return names;
    }
}

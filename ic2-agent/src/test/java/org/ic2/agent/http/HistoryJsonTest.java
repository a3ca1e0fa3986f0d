// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.ic2.agent.history.History;
import org.ic2.agent.history.HistoryMoment;
import org.ic2.runtime.testing.Waiting;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.serve.HttpRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code /api/history} answers. */
class HistoryJsonTest {

    private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

    private Instant now = START;

    private JsonNode ask(History history, String query) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new HistoryJson(history).answer(new HttpRequest("GET", "/api/history", query, Map.of(), new byte[0])).body().writeTo(out);
        return new JsonMapper().readTree(out.toByteArray());
    }

    @Test
    void pointsHaveTheColumnsThatWereMeasured(@TempDir Path directory) throws Exception {
        try (History history = new History(directory.resolve("journal.jsonl"), Terms.shipped(), () -> now)) {
            assertThat(ask(history, "").toString()).isEqualTo("{\"step\":60,\"columns\":[\"time\",\"state\",\"level\"],\"points\":[]}");
            for (int second = 0; second < 30; second++) {
                now = START.plusSeconds(second);
                Sample.Builder sample = Sample.at(now).set(Metric.THROUGHPUT, 1000.0 / 3);
                if (second < 10) {
                    sample.set(Metric.STEAL, 0.000123456);
                }
                history.add(new HistoryMoment(sample.build(), Map.of(), Medians.none(), 0.5, "I2", 3));
            }
            Waiting.until("the steps in the file", () -> ask(history, "since=2026-11-20T09:59:00Z").path("points").size() == 2);
            JsonNode answer = ask(history, "since=2026-11-20T09:59:00Z");
            assertThat(answer.path("step").asInt()).isEqualTo(10);
            assertThat(answer.path("columns").toString())
                    .isEqualTo("[\"time\",\"state\",\"level\",\"target_response_time\",\"throughput\",\"steal\"]");
            assertThat(answer.path("points").toString()).isEqualTo("[[" + START.getEpochSecond() + ",\"I2\",3,0.5,333.3,1.235E-4],["
                    + (START.getEpochSecond() + 10) + ",\"I2\",3,0.5,333.3,null]]");
            assertThat(ask(history, "since=" + (START.getEpochSecond() + 5) + "&until=" + (START.getEpochSecond() + 15)).path("points")).hasSize(1);
            assertThat(ask(history, "since=nonsense&until=\uFFFF").path("step").asInt()).as("what is no time counts as not given").isEqualTo(60);
        }
    }
}

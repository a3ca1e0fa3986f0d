// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.ic2.agent.http.TrendsJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How it came to what is, for who watches: all that the board has, in an answer that costs next to nothing until it is taken. */
class TrendsJsonTest {

    private static final int KEPT = 600;
    /** A tenth of what the numbers would take as objects. */
    private static final long LITTLE = 50_000;

    @Test
    void allThatTheBoardHasIsToldAndMadeOnlyWhenItIsWritten(@TempDir Path directory) throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.started(directory)) {
            agent.calm(500);
            agent.loud(200);
            TrendsJson trends = new TrendsJson(agent.board);
            trends.since(agent.config, 0);      // loads what is loaded once
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            JsonNode answer = trends.since(agent.config, 0);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(LITTLE);

            JsonNode told = new JsonMapper().readTree(answer.toString());
            assertThat(told.path("target").asDouble()).isEqualTo(0.1);
            assertThat(told.path("target_of").asText()).isEqualTo("response_time");
            assertThat(told.path("levels").asInt()).isEqualTo(4);
            assertThat(told.path("time")).hasSize(KEPT);
            assertThat(told.path("time").path(KEPT - 1).asDouble() - told.path("time").path(0).asDouble()).isEqualTo(KEPT - 1.0);
            assertThat(told.path("states")).hasSize(KEPT);
            assertThat(told.path("states").path(0).asText()).isEqualTo("NI2");
            assertThat(told.path("states").path(KEPT - 1).asText()).isEqualTo("I2");
            assertThat(told.path("values").path(TrendsJson.LEVEL)).hasSize(KEPT);
            assertThat(told.path("level").asInt()).isEqualTo(told.path("values").path(TrendsJson.LEVEL).path(KEPT - 1).asInt()).isPositive();
            assertThat(told.path("values").path("response_time")).hasSize(KEPT);
            assertThat(told.path("values").path("response_time").path(0).asDouble()).isEqualTo(0.04);
            assertThat(told.path("values").has("io_pressure")).as("nobody measured it").isFalse();
            assertThat(told.path("state_since").isNumber()).isTrue();
            assertThat(trends.since(agent.config, Long.MAX_VALUE).toString()).contains("\"time\":[]");
        }
    }
}

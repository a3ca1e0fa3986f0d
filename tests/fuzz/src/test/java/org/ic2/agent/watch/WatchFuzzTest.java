// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.TerminalSize;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.cli.DisplayText;

/** What an agent says to {@code ic2 watch}, and any text on its way to a terminal. */
class WatchFuzzTest {

    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final String COLOURS = "\u001b\\[[0-9;]*m";

    private final JsonMapper mapper = new JsonMapper();

    @FuzzTest
    void watch(byte[] bytes) {
        JsonNode answer;
        try {
            answer = mapper.readTree(bytes);
        } catch (IOException e) {
            return;     // the client says so
        }
        Trends trends = new Trends();
        JsonNode status = answer.path("status");
        trends.add(answer.path("trends"), status.path("state").asText());
        trends.addSample(status.path("sample"), status.path("state").asText());
        WatchedAgent agent = new WatchedAgent(status, answer.path("trends"), Optional.empty(), NOW);
        int columns = 1 + bytes.length % 120;
        WatchScreen screen = new WatchScreen(Terms.shipped().knobs(), Duration.ofSeconds(1), ZoneOffset.UTC,
                new TerminalSize(columns, 24), new Ink(true, bytes.length % 2 == 0));
        for (String row : screen.rows(agent, trends, NOW)) {
            String shown = row.replaceAll(COLOURS, "");
            assertThat(shown).doesNotMatch("(?s).*\\p{Cntrl}.*");
            assertThat(DisplayText.width(shown)).isLessThanOrEqualTo(columns);
        }
        assertThat(WatchLine.of(agent, NOW, Duration.ofSeconds(1))).doesNotMatch("(?s).*\\p{Cntrl}.*");
    }
}

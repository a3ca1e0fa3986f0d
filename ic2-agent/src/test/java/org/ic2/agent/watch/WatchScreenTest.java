// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.http.TrendsJson;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.TerminalSize;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.cli.DisplayText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ic2 watch} draws, of any size and of anything that an agent may say. */
class WatchScreenTest {

    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final String SEQUENCES = "\u001b\\[[0-9;]*m";

    private final JsonMapper mapper = new JsonMapper();
    private final Trends trends = new Trends();

    private List<String> rows(WatchedAgent agent, int columns, int rows, Ink ink) {
        return new WatchScreen(Terms.shipped().knobs(), Duration.ofSeconds(1), ZoneOffset.UTC, new TerminalSize(columns, rows), ink)
                .rows(agent, trends, NOW);
    }

    /** Ten minutes of a neighbour who has been there for the last three. */
    private WatchedAgent mitigated() throws Exception {
        ObjectNode told = (ObjectNode) mapper.readTree("""
                {"target": 0.1, "target_of": "response_time", "levels": 4, "level": 2, "values": {}}""");
        told.put("state_since", NOW.getEpochSecond() - 190);
        ArrayNode times = told.putArray("time");
        for (int i = 600; i > 0; i--) {
            times.add(NOW.getEpochSecond() - i + 0.5);
        }
        ObjectNode values = (ObjectNode) told.get("values");
        for (Metric metric : TrendsJson.SHOWN) {
            ArrayNode column = values.putArray(metric.column());
            for (int i = 600; i > 0; i--) {
                column.add(i > 190 ? 0.03 : 0.06);
            }
        }
        ArrayNode states = told.putArray("states");
        for (int i = 600; i > 0; i--) {
            states.add(i > 190 ? "NI2" : "I2");
        }
        ArrayNode levels = values.putArray("level");
        for (int i = 600; i > 0; i--) {
            levels.add(i > 180 ? 0 : 2);
        }
        JsonNode status = mapper.readTree("""
                {"application": "shop", "mode": "act", "state": "I2", "interval": 1,
                 "sample": {"time": 1769860799.5, "response_time": 0.06, "throughput": 76.2, "steal": 0.31, "cpu_util": 0.83},
                 "medians": {"response_time": 0.03, "throughput": 80}, "running": {"mitigation": 2}, "baseline": {"mitigation": 0},
                 "problems": {"perf": "no counters"}, "decisions": [
                 {"time": "2026-01-31T11:56:50Z", "action": "MITIGATE", "reason": "a neighbour is there"},
                 {"time": "2026-01-31T11:57:00Z", "action": "ESCALATE", "reason": "above the target"}]}""");
        trends.add(told, "I2");
        return new WatchedAgent(status, told, Optional.empty(), NOW);
    }

    /** The state says that no neighbour is seen; that is not all that there is to say. */
    @Test
    void aHarmComesBeforeTheState() throws Exception {
        JsonNode status = mapper.readTree("""
                {"application": "shop", "mode": "act", "state": "NI2", "interval": 1, "sample": {"time": 1769860799.5, "response_time": 6.0},
                 "medians": {}, "harm": {"cause": "crawlers", "confidence": "high"}, "running": {}, "baseline": {}}""");
        WatchedAgent agent = new WatchedAgent(status, mapper.readTree("{}"), Optional.empty(), NOW);
        assertThat(agent.clauses(NOW)).first().asString().startsWith("Users are harmed, cause: crawlers");
        ((ObjectNode) status).remove("harm");
        assertThat(agent.clauses(NOW)).first().asString().startsWith("No interference (NI2)");
    }

    @Test
    void eightyByTwentyFourHasItAll() throws Exception {
        List<String> rows = rows(mitigated(), 80, 24, new Ink(false, true));
        assertThat(rows).hasSize(24);
        assertThat(rows.get(0)).matches("ic2  shop, mode act +sample 0 s old  12:00:00").hasSize(80);
        assertThat(rows.get(1) + " " + rows.get(2)).isEqualTo("Interference (I2) for 3 min 10 s; level 2 of 4;"
                + " response time 0.06 s, target 0.1 s, normal 0.03 s; steal 31 %");
        assertThat(rows).anyMatch(row -> row.matches("response time +0\\.06 s .*\u2581*.* target 0\\.1 s"))
                .anyMatch(row -> row.matches(" +[\u2581-\u2588]+ normal 0\\.03 s"))
                .anyMatch(row -> row.matches("throughput +76\\.2/s +[\u2581-\u2588]+ normal 80/s"))
                .anyMatch(row -> row.startsWith("CPU                   83 % ")).anyMatch(row -> row.startsWith("steal                 31 % "))
                .anyMatch(row -> row.matches("level +0+1?2+")).anyMatch(row -> row.matches("state +\u00b7+I+ I interference.*"))
                .anyMatch(row -> row.contains("last 4 min 20 s")).contains("missing        perf: no counters")
                .anyMatch(row -> row.matches("running +mitigation 2")).anyMatch(row -> row.matches("baseline +mitigation 0"));
        assertThat(rows).containsSubsequence("11:57:00  ESCALATE: above the target", "11:56:50  MITIGATE: a neighbour is there");
        assertThat(rows.get(23)).startsWith("q or Ctrl-C");
        assertThat(rows).noneMatch(row -> row.startsWith("cycles"));
        assertThat(rows(mitigated(), 200, 60, new Ink(false, true))).as("a larger one shows more")
                .anyMatch(row -> row.startsWith("cycles/instr."));
    }

    /** No size, however small, and none of its rows too wide. */
    @ParameterizedTest
    @CsvSource({"80, 24", "81, 25", "200, 60", "40, 10", "20, 5", "1, 1", "2000, 2000", "80, 3", "10, 24"})
    void itKeepsToItsTerminal(int columns, int rows) throws Exception {
        WatchedAgent agent = mitigated();
        for (Ink ink : List.of(new Ink(true, true), new Ink(false, true), new Ink(false, false))) {
            List<String> drawn = rows(agent, columns, rows, ink);
            assertThat(drawn).hasSizeLessThanOrEqualTo(rows).allSatisfy(row ->
                    assertThat(DisplayText.width(row.replaceAll(SEQUENCES, ""))).isLessThanOrEqualTo(columns));
            if (!ink.colour()) {
                assertThat(drawn).noneMatch(row -> row.contains("\u001b"));
            }
            if (!ink.unicode()) {
                assertThat(drawn).allMatch(row -> row.matches("[\\x20-\\x7e]*"));
            }
        }
    }

    @Test
    void coloursSayWhatIsBad() throws Exception {
        WatchedAgent agent = mitigated();
        assertThat(rows(agent, 80, 24, new Ink(true, true))).anyMatch(row -> row.startsWith("\u001b[31mInterference (I2)"))
                .anyMatch(row -> row.contains("\u001b[31mII"));
    }

    /** A name or reason of others is shown, and obeyed by nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"\u001b]0;owned\u0007", "\u009b31m", "a\nb\r\nc", "\u202egnirts", "\u0000", "\ud83d", "\u001b[?1049l",
        "\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97"
        + "\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97\u5e97"})
    void textsOfOthersAreOnlyShown(String hostile) throws Exception {
        ObjectNode status = (ObjectNode) mitigated().status();
        status.put("application", hostile).put("mode", hostile).put("state", hostile).put("manual", hostile);
        status.putObject("problems").put(hostile, hostile);
        status.putArray("decisions").addObject().put("time", hostile).put("action", hostile).put("reason", hostile);
        WatchedAgent agent = new WatchedAgent(status, mitigated().trends(), Optional.of(hostile), NOW);
        for (String row : rows(agent, 80, 24, new Ink(true, true))) {
            assertThat(row.replaceAll(SEQUENCES, "")).doesNotMatch("(?s).*\\p{Cntrl}.*").doesNotContain("\u009b", "\u202e", "\ud83d");
            assertThat(DisplayText.width(row.replaceAll(SEQUENCES, ""))).isLessThanOrEqualTo(80);
        }
        assertThat(WatchLine.of(agent, NOW, Duration.ofSeconds(1))).doesNotMatch("(?s).*\\p{Cntrl}.*").doesNotContain("\u009b");
    }

    /** What a broken agent, or one of another version, may say. */
    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "7", "null", "\"text\"", "{\"state\":\"starting\"}", "{\"sample\":7}", "{\"sample\":[]}",
        "{\"sample\":{\"time\":\"x\",\"response_time\":\"y\"},\"medians\":3,\"running\":[],\"decisions\":7,\"problems\":[1]}",
        "{\"sample\":{\"time\":1e300,\"response_time\":-1e308,\"steal\":1e308},\"decisions\":[7,{}],\"running\":{\"mitigation\":\"x\"}}",
        "{\"sample\":{},\"trends\":1,\"time\":[1,\"x\",null,3,2],\"values\":{\"response_time\":[1,2],\"steal\":7,\"cpu_util\":[null,[],{},-1,1e308]},"
        + "\"target\":\"x\",\"levels\":1e99,\"level\":{},\"state_since\":1e300}"})
    void garbageIsDrawnAsWhatIsNotKnown(String garbage) throws Exception {
        JsonNode said = mapper.readTree(garbage);
        trends.add(said, "NI2");
        trends.addSample(said.path("sample"), "NI2");
        WatchedAgent agent = new WatchedAgent(said, said, Optional.empty(), NOW);
        assertThat(rows(agent, 80, 24, new Ink(true, true))).hasSize(24);
        assertThat(WatchLine.of(agent, NOW, Duration.ofSeconds(1))).startsWith("2026-01-31T12:00:00Z ");
    }

    @Test
    void oldFiguresAreCalledOld() throws Exception {
        WatchedAgent agent = mitigated();
        assertThat(agent.trouble(NOW, Duration.ofSeconds(1))).isEmpty();
        assertThat(agent.trouble(NOW.plusSeconds(5), Duration.ofSeconds(1))).hasValue("no answer for 5 s: does the agent hang? What is shown is old");
        assertThat(new WatchedAgent(agent.status(), agent.trends(), Optional.of("gone"), NOW).trouble(NOW.plusSeconds(70),
                Duration.ofSeconds(1))).hasValue("no answer for 1 min 10 s, trying again: gone");
        assertThat(new WatchedAgent(agent.status(), agent.trends(), Optional.empty(), NOW.plusSeconds(9)).trouble(NOW.plusSeconds(9),
                Duration.ofSeconds(1))).as("an agent that answers and measures nothing").hasValue("the last sample is 9 s old");
        assertThat(rows(new WatchedAgent(agent.status(), agent.trends(), Optional.of("gone"), NOW), 80, 24, new Ink(false, true)))
                .anyMatch(row -> row.equals("no answer for 0 s, trying again: gone"));
    }

    @Test
    void aPersonsTimeIsCounted() throws Exception {
        ObjectNode status = (ObjectNode) mitigated().status();
        status.put("state", "MANUAL").put("manual", "the baseline was restored by hand").put("until", NOW.getEpochSecond() + 7140);
        assertThat(new WatchedAgent(status, mapper.readTree("{}"), Optional.empty(), NOW).clauses(NOW).get(0))
                .isEqualTo("Manual mode (MANUAL): the baseline was restored by hand, back in 1 h 59 min;");
    }

    @Test
    void oneLineForAPipeHasTheFigures() throws Exception {
        assertThat(WatchLine.of(mitigated(), NOW, Duration.ofSeconds(1))).isEqualTo("2026-01-31T12:00:00Z I2, response_time 0.06,"
                + " throughput 76.2, cpu_util 0.83, steal 0.31; 2026-01-31T11:57:00Z ESCALATE: above the target");
    }

    @Test
    void trendsOutliveARestart() throws Exception {
        mitigated();
        long last = trends.last();
        trends.addSample(mapper.readTree("{\"time\": " + (last / 1000.0 + 1) + ", \"response_time\": 3}"), "NI1");
        assertThat(trends.means("response_time", 3, 1000)).containsExactly(0.06, 0.06, 3);
        assertThat(trends.states(3, 1000)).containsExactly("I2", "I2", "NI1");
        trends.addSample(mapper.readTree("{\"time\": " + (last / 1000.0) + "}"), "NI1");
        assertThat(trends.last()).as("the same sample, asked for again").isEqualTo(last + 1000);
        trends.add(mapper.readTree("{\"time\": [" + (last / 1000.0 - 9) + "], \"values\": {\"response_time\": [5]}}"), "NI2");
        assertThat(trends.means("response_time", 2, 1000)).as("the clock was set back").containsExactly(0.06, 5);
    }
}

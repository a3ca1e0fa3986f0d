// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import org.ic2.knowledge.Terms;
import org.junit.jupiter.api.Test;

/** What {@code ic2 status} prints. */
class StatusTextTest {

    private static String budget(String json) throws Exception {
        return StatusText.of(new JsonMapper().readTree("{\"sample\": {}, \"medians\": {}, \"budget\": " + json + "}"), Terms.shipped().knobs())
                .lines().filter(line -> line.startsWith("budget")).findFirst().orElseThrow();
    }

    @Test
    void theBudgetSaysWhatIsUsedAndWhetherItHoldsTheAgentBack() throws Exception {
        assertThat(budget("{\"actions\": 5, \"limit\": 60, \"by_hand\": 0, \"held_back\": false}"))
                .isEqualTo("budget       5 of 60 actions in the last hour");
        assertThat(budget("{\"actions\": 60, \"limit\": 60, \"by_hand\": 3, \"held_back\": true, \"until\": 1767225900}"))
                .isEqualTo("budget       60 of 60 actions in the last hour; held back until 2026-01-01T00:05:00Z at least, only the way back to the"
                        + " baseline is open; the baseline was left by hand 3 times");
    }

    @Test
    void numbersOfOneAreSingular() throws Exception {
        assertThat(budget("{\"actions\": 0, \"limit\": 1, \"by_hand\": 1, \"held_back\": false}"))
                .isEqualTo("budget       0 of 1 action in the last hour; the baseline was left by hand once");
        assertThat(StatusText.of(new JsonMapper().readTree("{\"sample\": {}, \"medians\": {\"count\": 1}}"), Terms.shipped().knobs()))
                .contains("(1 sample)");
    }

    @Test
    void aHarmIsSaidBesideTheStateWhichTellsOfNeighboursOnly() throws Exception {
        String status = "{\"state\": \"NI2\", \"sample\": {}, \"medians\": {}%s}";
        assertThat(StatusText.of(new JsonMapper().readTree(status.formatted("")), Terms.shipped().knobs()).lines())
                .contains("users        no harm is confirmed");
        String harm = ", \"harm\": {\"cause\": \"%s\", \"confidence\": \"high\", \"felt\": \"response time 6 s, target 0.5 s\","
                + " \"since\": \"2026-01-01T00:00:00Z\", \"evidence\": [\"one\", \"two\"], \"advice\": \"do it\"}";
        assertThat(StatusText.of(new JsonMapper().readTree(status.formatted(harm.formatted("crawlers"))), Terms.shipped().knobs()).lines())
                .contains("users        HARMED since 2026-01-01T00:00:00Z: response time 6 s, target 0.5 s; cause: crawlers (confidence high: one;"
                        + " two); advice: do it");
        assertThat(StatusText.of(new JsonMapper().readTree(status.formatted(harm.formatted("unknown"))), Terms.shipped().knobs()))
                .contains("cause: unknown (one; two)").doesNotContain("no harm");
    }

    @Test
    void anEmptyLadderIsSaidAtOnce() throws Exception {
        String status = "{\"state\": \"starting\", \"ladder_empty\": %s, \"ladder_problem\": \"the ladder is empty: none\"}";
        assertThat(StatusText.of(new JsonMapper().readTree(status.formatted("true")), Terms.shipped().knobs()).lines())
                .contains("ladder       the ladder is empty: none");
        assertThat(StatusText.of(new JsonMapper().readTree(status.formatted("false")), Terms.shipped().knobs())).doesNotContain("ladder");
    }

    @Test
    void theLastDecisionsEvidenceIsShown() throws Exception {
        String text = StatusText.of(new JsonMapper().readTree("""
                {"application": "shop", "mode": "act", "state": "NI2", "sample": {"throughput": 50},
                 "medians": {"count": 100},
                 "last_decision": {"evidence": ["learning what is normal: steal, 3 of 20 samples"]}}"""), Terms.shipped().knobs());
        assertThat(StatusText.of(new JsonMapper().readTree("""
                {"sample": {}, "medians": {}, "reliefs": [{"level": 3, "sets": "mitigation 3", "relief": 0.5, "learned_in": 0},
                 {"level": 4, "sets": "mitigation 4", "relief": 0.3141, "learned_in": 2}]}"""), Terms.shipped().knobs())
                .lines()).contains("level        3, mitigation 3: an operation costs 0.5 of the baseline's CPU, assumed",
                "level        4, mitigation 4: an operation costs 0.314 of the baseline's CPU, learned in 2 stays");
        assertThat(text.lines()).contains("evidence     learning what is normal: steal, 3 of 20 samples");
    }
}

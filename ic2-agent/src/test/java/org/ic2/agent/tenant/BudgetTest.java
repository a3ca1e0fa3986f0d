// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.cli.Ic2;
import org.ic2.agent.http.StatusJson;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.ChangeRequest.Origin;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.JournalReplay;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the budget of actions holds back, and who is told. */
class BudgetTest {

    @TempDir
    private Path directory;

    private String events() throws Exception {
        Path config = Files.writeString(directory.resolve("ic2.yaml"), ScriptedLoop.configuration(directory));
        StringWriter out = new StringWriter();
        Ic2.commandLine().setOut(new PrintWriter(out, true)).execute("events", "-c", config.toString());
        return out.toString();
    }

    @Test
    void trialsOfTheLadderDoNotKeepTheAgentFromActing() throws Exception {
        try (ScriptedLoop agent = new ScriptedLoop(directory, Optional.empty())) {
            for (int trial = 0; trial < 22; trial++) {
                for (int level = 1; level <= 4; level++) {
                    agent.executor.execute(new ChangeRequest("check-" + level, Origin.OPERATOR, "TRY", "ic2 check tries level " + level,
                            ScriptedLoop.BASE.with(Lever.MITIGATION, level), false, Optional.empty()));
                }
                agent.executor.execute(ChangeRequest.restore("check", Origin.OPERATOR, "ic2 check has tried the ladder", ScriptedLoop.BASE));
            }
            agent.loop.start("");
            agent.calm(120);
            agent.loud(60);
            assertThat(agent.running()).as("110 actions by hand, and a budget of 40").isNotEqualTo(ScriptedLoop.BASE);
            JsonNode budget = new StatusJson(agent.board).status(agent.config).get("budget");
            assertThat(budget.get("by_hand").asInt()).isEqualTo(22);
            assertThat(budget.get("actions").asInt()).isPositive();
            assertThat(budget.get("limit").asInt()).isEqualTo(40);
            assertThat(budget.get("held_back").asBoolean()).isFalse();
            assertThat(budget.has("until")).isFalse();
        }
    }

    @Test
    void aSpentBudgetIsToldByStatusAndEvents() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.withSafety(directory, "{cool-down: 10s, actions-per-hour: 4}")) {
            agent.loop.start("");
            agent.calm(120);
            agent.loud(240);
            JsonNode budget = new StatusJson(agent.board).status(agent.config).get("budget");
            assertThat(budget.get("held_back").asBoolean()).isTrue();
            assertThat(budget.get("until").asLong()).isBetween(0L, Long.MAX_VALUE);
        }
        assertThat(Written.entries(directory.resolve("journal.jsonl"))).extracting(Written::scenario).contains("IC2-14");
        assertThat(events()).containsPattern("decision d-\\d+ HOLD in mode act IC2-14: \\d actions in the last hour, 4 with the way back are allowed")
                .containsPattern("intent d-\\d+ MITIGATE IC2-10: ");
    }

    /** What was counted before a state was lost is known to the journal alone, and the controller cannot foresee the refusal. */
    @Test
    void aRefusalByTheBudgetHasTheSameNameInEvents() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.withSafety(directory, "{cool-down: 10s, actions-per-hour: 4}")) {
            agent.loop.start("");
            for (int i = 0; i < 4; i++) {
                agent.executor.execute(new ChangeRequest("d-" + i, Origin.DECISION, "ESCALATE", "before", ScriptedLoop.BASE.with(Lever.MITIGATION, 1 + i % 2),
                        false, Optional.empty()));
                agent.calm(11);
            }
            agent.executor.execute(new ChangeRequest("d-9", Origin.DECISION, "ESCALATE", "before", ScriptedLoop.BASE.with(Lever.MITIGATION, 3), false,
                    Optional.empty()));
        }
        List<Entry> entries = Written.entries(directory.resolve("journal.jsonl"));
        assertThat(entries).filteredOn(Entry.Refused.class::isInstance).extracting(Entry::problem).first().asString()
                .startsWith("budget: 4 of 4 actions in the last hour; held back until 2026-01-01T0");
        assertThat(events()).containsPattern("refused d-9 ESCALATE IC2-14: before: budget: 4 of 4 actions in the last hour; held back until ");
    }

    private static String intent(int second, String id, String origin, String action, int before, int desired) {
        String values = "{\"mxc\":650,\"kat\":5.0,\"php\":1,\"mitigation\":%d}";
        return "{\"time\":\"2026-01-01T00:00:0" + second + "Z\",\"kind\":\"intent\",\"id\":\"" + id + "\",\"origin\":\"" + origin + "\",\"action\":\""
                + action + "\",\"reason\":\"because\",\"before\":" + values.formatted(before) + ",\"desired\":" + values.formatted(desired) + "}";
    }

    @Test
    void aJournalOfEarlierTrialsIsReadAlike() throws Exception {
        Path file = directory.resolve("journal.jsonl");
        Files.writeString(file, String.join("\n",
                intent(1, "check-1", "OPERATOR", "TRY", 0, 1),
                intent(2, "check-2", "OPERATOR", "TRY", 1, 2),
                intent(3, "check", "OPERATOR", "RESTORE", 2, 0),
                intent(4, "d-1", "DECISION", "MITIGATE", 0, 1),
                "{\"time\":\"2026-01-01T00:00:05Z\",\"kind\":\"intent\",\"id\":\"x\",\"action\":\"MITIGATE\",\"reason\":\"due\"}"));
        JournalReplay past = JournalReplay.of(new JournalReader(Terms.shipped().knobs()).latest(file), ScriptedLoop.BASE);
        assertThat(past.byHand()).hasSize(1);
        assertThat(past.actions()).hasSize(2);
    }
}

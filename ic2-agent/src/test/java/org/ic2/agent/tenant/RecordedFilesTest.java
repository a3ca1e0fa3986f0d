// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ic2.agent.cli.Ic2;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.State;
import org.ic2.knowledge.Terms;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journal, state, recording and configuration of one run, with what the agent made of them: all are read as they were. */
class RecordedFilesTest {
    private static final Settings MITIGATED = Lever.settings(300, 6230, 1, 2);

    @TempDir
    private Path directory;

    @BeforeEach
    void copy() throws Exception {
        for (String name : List.of("ic2.yaml", "rules.yaml", "classifier.json", "journal.jsonl", "state.json",
                "samples.csv", "decisions.txt", "decisions-from-state.txt", "explain.txt")) {
            try (InputStream in = RecordedFilesTest.class.getResourceAsStream("../recorded/" + name)) {
                Files.write(directory.resolve(name), in.readAllBytes());
            }
        }
        Files.writeString(directory.resolve("ic2.yaml"), Files.readString(directory.resolve("ic2.yaml"))
                + "journal: " + directory.resolve("journal.jsonl") + "\n");
    }

    private String ic2(String verb, String... arguments) {
        StringWriter out = new StringWriter();
        List<String> words = new java.util.ArrayList<>(List.of(verb, "-c", directory.resolve("ic2.yaml").toString()));
        words.addAll(List.of(arguments));
        Ic2.commandLine().setOut(new PrintWriter(out, true)).execute(words.toArray(String[]::new));
        return out.toString();
    }

    private String text(String name) throws Exception {
        return Files.readString(directory.resolve(name));
    }

    /** One level at a time, as the run was; in act, samples show what was applied then. */
    @Test
    void theRecordingReplaysAsItDid() throws Exception {
        Files.writeString(directory.resolve("ic2.yaml"), text("ic2.yaml") + "ladder-step: one\n");
        String samples = directory.resolve("samples.csv").toString();
        assertThat(ic2("replay", samples)).isEqualTo(text("decisions.txt"));
        assertThat(ic2("replay", "--state", directory.resolve("state.json").toString(), samples))
                .isEqualTo(text("decisions-from-state.txt"));
    }

    @Test
    void configurationRulesAndClassifierMeanWhatTheyDid() throws Exception {
        assertThat(ic2("explain")).isEqualTo(text("explain.txt"));
    }

    @Test
    void theStateReads() throws Exception {
        ControlJson json = new ControlJson();
        ControllerState state = json.readState("state.json", text("state.json"));
        assertThat(state.state()).isEqualTo(State.I2);
        assertThat(state.configuration()).isEqualTo(MITIGATED);
        assertThat(state.sequence()).isEqualTo(342);
        assertThat(state.medians().get(Metric.RESPONSE_TIME)).isEqualTo(0.04);
        assertThat(state.ledger().lastHour()).hasSize(13);
        assertThat(json.readState("state.json", json.write(state))).isEqualTo(state);
    }

    @Test
    void theJournalTellsAStartWhatItDid() throws Exception {
        List<Line> lines = new JournalReader(Terms.shipped().knobs()).latest(directory.resolve("journal.jsonl"));
        assertThat(lines).extracting(line -> line.entry().kind()).hasSize(40).contains("start", "intent", "applied",
                "failed", "refused", "decision", "manual", "resume", "stop");
        assertThat(lines).extracting(Line::entry).noneMatch(Entry.Other.class::isInstance);
        JournalReplay past = JournalReplay.of(lines, Lever.settings(650, 5000, 1, 0));
        assertThat(past.actions()).hasSize(13);
        assertThat(past.byHand()).hasSize(1);
        assertThat(past.epoch()).isEqualTo(14);
        assertThat(past.leftBehind()).contains("the agent ended with MXC 300, KAT 6230ms, mitigation 2 in force");
        assertThat(past.moved()).containsExactlyInAnyOrder(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
                Lever.MITIGATION);
        assertThat(past.manual()).isEmpty();
        assertThat(past.inForce()).contains(MITIGATED);
        assertThat(ic2("events")).contains("manual: max-request-workers 400 set by hand",
                "MXC 300, KAT 6230ms, mitigation 2");
    }

    @Test
    void anAgentStartsOnThemAndBringsBackTheBaseline() throws Exception {
        try (ScriptedLoop agent = new ScriptedLoop(directory, java.util.Optional.empty())) {
            MITIGATED.only(agent.httpd.levers()).values().forEach(agent.httpd.values::put);
            agent.loop.start("");
            assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
            assertThat(agent.executor.epoch()).isEqualTo(15);
            assertThat(agent.brain.state().medians().count()).as("what was learned stays").isGreaterThan(20);
        }
    }
}

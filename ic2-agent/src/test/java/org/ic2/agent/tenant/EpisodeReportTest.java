// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.cli.Ic2;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.json.Json;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each time away from the baseline ends with a line on what it was worth, in the journal and in {@code ic2 report}. */
class EpisodeReportTest {
    private static final String LINE = "; episode over: cause neighbour, level ";

    @TempDir
    private Path directory;
    private Path config;

    @BeforeEach
    void configuration() throws Exception {
        config = Files.writeString(directory.resolve("ic2.yaml"), ScriptedLoop.configuration(directory));
    }

    private String report(int status, String... arguments) {
        StringWriter out = new StringWriter();
        List<String> words = new java.util.ArrayList<>(List.of("report", "-c", config.toString()));
        words.addAll(List.of(arguments));
        assertThat(Ic2.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true)).execute(words.toArray(String[]::new)))
                .as(out.toString()).isEqualTo(status);
        return out.toString();
    }

    private static void episode(ScriptedLoop agent) throws Exception {
        agent.loud(60);
        assertThat(agent.running()).isNotEqualTo(ScriptedLoop.BASE);
        agent.calm(300);
        assertThat(agent.running()).isEqualTo(ScriptedLoop.BASE);
    }

    private List<Entry> over() throws Exception {
        return Written.entries(directory.resolve("journal.jsonl")).stream()
                .filter(entry -> entry.reason().contains("; episode over: ")).toList();
    }

    @Test
    void eachEpisodeEndsWithOneLineAndTheReportHasThemAndTheirSum() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.started(directory)) {
            agent.calm(120);
            episode(agent);
            assertThat(over()).singleElement().satisfies(entry -> assertThat(entry.reason()).contains(LINE,
                    " s away from the baseline; CPU saved not measured; demand without mitigation ", "users' waiting avoided "));
            episode(agent);
        }
        assertThat(over()).hasSize(2);
        JsonNode report = Json.read(report(0, "--json", "--since", "2026-01-01T00:00:00Z"));
        assertThat(report.get("episodes")).hasSize(2);
        JsonNode first = report.get("episodes").get(0);
        assertThat(first.get("cause").asText()).isEqualTo("neighbour");
        assertThat(first.get("level").asInt()).isBetween(1, 4);
        assertThat(first.get("cpu_saved").isNull()).as("no sensor tells the mix").isTrue();
        assertThat(first.get("seconds").asDouble()).isBetween(60.0, 360.0);
        assertThat(report.get("sum").get("seconds").asDouble())
                .isEqualTo(first.get("seconds").asDouble() + report.get("episodes").get(1).get("seconds").asDouble());
        assertThat(report(0, "--since", "2026-01-01T00:00:00Z").lines()).hasSize(3).first().asString().startsWith(first.get("begin").asText()
                + " cause neighbour, level ");
        assertThat(report(0, "--since", "2026-01-01T00:00:00Z")).contains("2 episodes since 2026-01-01T00:00:00Z: ");
        assertThat(report(0, "--since", "2026-01-02T00:00:00Z")).startsWith("no episode that was acted on ended since 2026-01-02");
    }

    /** The journal is two files once it was long, and the report is of both, in order, each episode once. */
    @Test
    void episodesOfAJournalThatWasShortenedAreThere() throws Exception {
        Path journal = directory.resolve("journal.jsonl");
        try (ScriptedLoop agent = ScriptedLoop.started(directory)) {
            agent.calm(120);
            episode(agent);
            episode(agent);
        }
        JsonNode whole = Json.read(report(0, "--json", "--since", "2026-01-01T00:00:00Z"));
        List<String> lines = Files.readAllLines(journal);
        int over = 1 + lines.indexOf(lines.stream().filter(line -> line.contains("; episode over: ")).findFirst().orElseThrow());
        Path old = Files.write(directory.resolve("journal.jsonl.1"), lines.subList(0, over));
        Files.write(journal, lines.subList(over, lines.size()));
        assertThat(whole.get("episodes")).hasSize(2);
        assertThat(Json.read(report(0, "--json", "--since", "2026-01-01T00:00:00Z"))).isEqualTo(whole);
        Files.write(journal, lines.subList(over - 5, lines.size()));
        assertThat(Json.read(report(0, "--json", "--since", "2026-01-01T00:00:00Z"))).isEqualTo(whole);
        Files.delete(old);
        Files.createDirectory(old);
        Files.write(journal, lines.subList(over, lines.size()));
        assertThat(report(0, "--since", "2026-01-01T00:00:00Z")).startsWith("ic2: warning: the older part of the journal, " + old)
                .contains("1 episode since ");
    }

    /** Nothing was done, so nothing is said to be saved. */
    @Test
    void adviceHasNoEpisodes() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.started(directory)) {
            agent.reload("mode: advise");
            agent.calm(120);
            agent.loud(60);
            agent.calm(300);
        }
        assertThat(over()).isEmpty();
        assertThat(report(0, "--since", "2026-01-01T00:00:00Z")).startsWith("no episode that was acted on");
    }

    /** A person takes over in the middle: the episode is over, and the reason for manual mode stays short. */
    @Test
    void aPersonWhoTakesOverEndsTheEpisode() throws Exception {
        try (ScriptedLoop agent = ScriptedLoop.started(directory)) {
            agent.calm(120);
            agent.loud(60);
            agent.httpd.values.put(Lever.MAX_REQUEST_WORKERS, 500);
            agent.loud(5);
        }
        List<Entry> entries = Written.entries(directory.resolve("journal.jsonl"));
        assertThat(entries).anyMatch(entry -> entry instanceof Entry.Manual).noneMatch(entry -> entry instanceof Entry.Manual
                && entry.reason().contains("episode over"));
        assertThat(Json.read(report(0, "--json", "--since", "2026-01-01T00:00:00Z")).get("episodes")).hasSize(1);
    }

    @Test
    void invalidEpisodesInTheJournalAreLeftOut() throws Exception {
        Files.writeString(directory.resolve("journal.jsonl"), """
                {"time":"2026-01-01T00:00:00Z","kind":"decision","id":"d-1","mode":"act","action":"HOLD","reason":"x","decision":{"episode":{"seconds":-1}}}
                {"time":"2026-01-01T00:00:00Z","kind":"decision","id":"d-2","mode":"act","action":"HOLD","reason":"x","decision":{"episode":[7]}}
                no line
                """, StandardOpenOption.CREATE);
        assertThat(report(0, "--since", "2026-01-01T00:00:00Z")).startsWith("no episode");
        assertThat(report(2, "--since", "yesterday")).contains("--since: expected a time such as");
        Files.delete(directory.resolve("journal.jsonl"));
        assertThat(report(1)).contains("no journal", "the agent has not run");
        assertThat(Optional.of(report(0, "--help"))).get().asString().contains("Default: 7d");
    }
}

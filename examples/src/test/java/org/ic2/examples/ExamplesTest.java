// SPDX-License-Identifier: Apache-2.0
package org.ic2.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.cli.Ic2;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.daemon.Agent;
import org.ic2.agent.http.Metrics;
import org.ic2.agent.http.StatusJson;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.Recorder;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lever and a sensor of a third party through the whole agent, as good as those that IC2 ships. */
class ExamplesTest {
    private static final String LADDER = "ladder: [{database-connections: 30}, {database-connections: 60},"
            + " {database-connections: 100}]\n";

    @TempDir
    private Path directory;

    private String text;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final AgentStatus board = new AgentStatus(System::nanoTime);
    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    @BeforeEach
    void writeFiles() throws IOException {
        for (String name : List.of("my-rules.yaml", "tree.json")) {
            Files.writeString(directory.resolve(name), resource(name));
        }
        text = resource("ic2.yaml").replace("DIR", directory.toString());
        Files.writeString(directory.resolve("connections"), "20\n");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = ExamplesTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private AgentConfig config(String more) throws IOException, ConfigException {
        Path file = directory.resolve("ic2.yaml");
        Files.writeString(file, text + more);
        return new ConfigLoader(new SensorRegistry(), new ActuatorRegistry()).load(file);
    }

    private int connections() throws IOException {
        return Integer.parseInt(Files.readString(directory.resolve("connections")).strip());
    }

    private void seconds(Agent agent, int count, double responseTime, int jobs) throws Exception {
        Files.writeString(directory.resolve("jobs"), jobs + "\n");
        Files.writeString(directory.resolve("figures"), "response_time " + responseTime
                + "\nthroughput 100\nrequests 100\ncpu_util 0.5\n");
        int whole = 0;
        for (int i = 0; whole < count; i++) { // a second in which the machine holds up a sensor tells nothing
            assertThat(i).as("seconds, of which %d were whole", whole).isLessThan(20 * count);
            now = now.plusSeconds(1);
            agent.loop().tick();
            whole += board.latest().orElseThrow().sampled().problems().isEmpty() ? 1 : 0;
        }
    }

    private interface Story {
        void tell(Agent agent) throws Exception;
    }

    private void with(AgentConfig config, Story story) throws Exception {
        Path csv = directory.resolve("samples.csv");
        Recorder recorder = new Recorder(csv, SamplesCsv.own(config.vocabulary()));
        try (Journal journal = new Journal(config.journal(), clock, config.vocabulary().knobs());
                Agent agent = new Agent(config, new Agent.Surroundings(journal, new StateStore(config.journal()), board,
                        Optional.of(recorder), clock, () -> now.toEpochMilli() * 1_000_000), 1)) {
            agent.loop().start("");
            story.tell(agent);
            agent.loop().stop("the test ends");
        } finally {
            recorder.close();
        }
    }

    @Test
    void aRuleMovesTheLeverByTheQuantityAndEverythingIsWrittenAndReadBack() throws Exception {
        AgentConfig config = config("");
        with(config, agent -> {
            seconds(agent, 60, 0.05, 3);
            assertThat(connections()).isEqualTo(20);
            seconds(agent, 8, 0.4, 80);
            assertThat(connections()).as("the rule's value").isEqualTo(60);
            String status = new StatusJson(board).status(config).toString();
            assertThat(status).contains("\"baseline\":{\"mitigation\":0,\"database_connections\":20}",
                    "\"levers\":[\"database-connections\"]", "\"job_queue\":80.0");
            ByteArrayOutputStream metrics = new ByteArrayOutputStream();
            new Metrics(board, () -> config).write(metrics);
            assertThat(metrics.toString(StandardCharsets.UTF_8)).contains("ic2_sample_job_queue_jobs{member=\"web\"} 80.0",
                    "ic2_running{lever=\"database-connections\"} 60.0");
            seconds(agent, 60, 0.05, 3);
            assertThat(connections()).as("the baseline again").isEqualTo(20);
        });
        List<Entry> entries = new JournalReader(config.vocabulary().knobs()).latest(config.journal()).stream()
                .map(Line::entry).toList();
        assertThat(entries).filteredOn(Entry.Applied.class::isInstance).first()
                .satisfies(entry -> assertThat(entry.running().orElseThrow().get(DatabaseConnections.KNOB)).isEqualTo(60));
        ControllerState state = new ControlJson(config.vocabulary()).readState("state.json",
                Files.readString(directory.resolve("state.json")));
        assertThat(state.configuration().get(DatabaseConnections.KNOB)).isEqualTo(20);
        assertThat(recorded(config)).anySatisfy(sample -> {
            assertThat(sample.others()).containsEntry("job_queue", 80.0).containsEntry("database_connections", 60.0);
            assertThat(sample.settings(config.policy().baseline()).get(DatabaseConnections.KNOB)).isEqualTo(60);
        });
        assertThat(ic2("replay", directory.resolve("samples.csv").toString()))
                .contains("database-connections 20 -> 60");
    }

    private List<Sample> recorded(AgentConfig config) throws IOException {
        List<Quantity> own = SamplesCsv.own(config.vocabulary());
        List<String> lines = Files.readAllLines(directory.resolve("samples.csv"));
        assertThat(lines.get(0)).endsWith(",label,database_connections,job_queue");
        SamplesCsv.Reader reader = SamplesCsv.reader("samples.csv", lines.get(0), own);
        return lines.subList(1, lines.size()).stream().map(line -> reader.sample(line, 2)).toList();
    }

    @Test
    void aLadderMovesItLevelByLevelFromWhereTheRuleWantsIt() throws Exception {
        AgentConfig config = config(LADDER);
        with(config, agent -> {
            seconds(agent, 60, 0.05, 3);
            seconds(agent, 6, 0.4, 80);
            assertThat(connections()).as("the least level that reaches the rule's 60").isEqualTo(60);
            seconds(agent, 10, 0.4, 80);
            assertThat(connections()).as("one level more").isEqualTo(100);
            seconds(agent, 60, 0.05, 3);
            assertThat(connections()).isEqualTo(20);
        });
        List<Integer> way = new JournalReader(config.vocabulary().knobs()).latest(config.journal()).stream()
                .map(Line::entry).filter(Entry.Applied.class::isInstance)
                .map(entry -> entry.running().orElseThrow().get(DatabaseConnections.KNOB)).toList();
        assertThat(way).startsWith(60, 100, 60, 30, 20);
        assertThat(ic2("explain")).contains("Ladder", "level 2: database-connections 60",
                "database-connections baseline 20, from 20 to 100", "database-connections up to 60");
    }

    @Test
    void commandsKnowIt() throws Exception {
        config("");
        assertThat(ic2("apply", "--set", "database-connections=42")).contains("database-connections 42 is in force");
        assertThat(connections()).isEqualTo(42);
        assertThat(ic2("apply", "--set", "database-connections=42s")).contains("without a unit");
        assertThat(ic2("apply", "--set", "speed=1")).contains("expected one of").contains("database_connections");
        assertThat(ic2("apply", "--set", "database-connections=101")).contains("outside the bounds 20 to 100");
        assertThat(ic2("events")).contains("database-connections 42");
        assertThat(ic2("restore")).contains("database-connections 20");
        assertThat(connections()).isEqualTo(20);
    }

    private String ic2(String verb, String... arguments) throws IOException {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        List<String> words = new java.util.ArrayList<>(List.of(verb, "-c", directory.resolve("ic2.yaml").toString()));
        words.addAll(List.of(arguments));
        Ic2.commandLine().setOut(writer).setErr(writer).execute(words.toArray(String[]::new));
        return out.toString();
    }

    @Test
    void mistakesAreNamedByFileLineAndKey() {
        assertThatThrownBy(() -> config("ladder: [{database-connections: 30}, {database-connections: 25}]\n"))
                .isInstanceOf(ConfigException.class).hasMessageContaining("ladder[1].database-connections")
                .hasMessageContaining("moves one way");
        assertThatThrownBy(() -> config("ladder: [{speed: 1}]\n")).hasMessageContaining("ic2.yaml:")
                .hasMessageContaining("ladder[0].speed: unknown knob; expected one of max-request-workers");
        assertThatThrownBy(() -> config("ladder: [{mitigation: 1}]\n")).hasMessageContaining("ladder[0].mitigation")
                .hasMessageContaining("among the levers");
        assertThatThrownBy(() -> config("ladder: [{database-connections: 30}, {}]\n"))
                .hasMessageContaining("ladder: level 2: a level must move at least one knob");
    }

    @Test
    void aJournalAndARecordingFromBeforeTheLeverAreRead() throws Exception {
        String old = "{\"time\":\"2025-12-31T23:00:00Z\",\"kind\":\"applied\",\"id\":\"d-1\",\"epoch\":7,"
                + "\"configuration\":{\"mxc\":1,\"kat\":0.001,\"php\":1,\"mitigation\":0}}\n";
        Files.writeString(directory.resolve("journal.jsonl"), old);
        with(config(""), agent -> {
            assertThat(agent.executor().epoch()).isEqualTo(7);
            assertThat(agent.executor().believed().get(DatabaseConnections.KNOB)).isEqualTo(20);
            seconds(agent, 3, 0.05, 3);
        });
        Files.writeString(directory.resolve("samples.csv"), SamplesCsv.header() + "\n"
                + SamplesCsv.line(Sample.at(now).build()) + "\n");
        assertThat(ic2("replay", directory.resolve("samples.csv").toString())).contains("d-1");
    }
}

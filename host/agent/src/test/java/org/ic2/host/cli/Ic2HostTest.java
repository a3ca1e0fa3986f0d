// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.learn.Region;
import org.ic2.host.learn.Scaling;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.json.Json;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The command, on a host that is a {@link org.ic2.host.apply.FakeBackend}. */
class Ic2HostTest {

    @TempDir
    private Path directory;
    private Path config;
    private String out;
    private String err;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(directory.resolve("guests"), "web\nbatch\n");
        config = Files.writeString(directory.resolve("host.yaml"), """
                backend: {type: fake, file: guests}
                guests: {web: {class: LS1, memory: [128MiB, 1GiB], cpu: [0.1, 0.9]}, gone: {class: LS2}}
                controllers: {joint: {guests: [web], take: always}}
                journal: journal.jsonl
                """);
    }

    private int run(String... words) {
        StringWriter said = new StringWriter();
        StringWriter complained = new StringWriter();
        CommandLine line = Ic2Host.commandLine().setOut(new PrintWriter(said)).setErr(new PrintWriter(complained));
        int status = line.execute(words);
        out = said.toString();
        err = complained.toString();
        return status;
    }

    private String file() {
        return config.toString();
    }

    @Test
    void everyVerbHasHelp() {
        for (String verb : Ic2Host.commandLine().getSubcommands().keySet()) {
            assertThat(run("help", verb)).as(verb).isZero();
            assertThat(out).contains("Usage: ");
        }
        assertThat(run("--version")).isZero();
        assertThat(out).startsWith("ic2-host ");
    }

    @Test
    void theListOfVerbsHasAWholeSentenceForEach() {
        Ic2Host.commandLine().getSubcommands().forEach((verb, line) -> {
            UsageMessageSpec usage = line.getCommandSpec().usageMessage();
            assertThat((usage.header().length > 0 ? usage.header() : usage.description())[0]).as(verb).endsWith(".");
        });
    }

    @Test
    void checkShowsTheHostAndItsOwners() {
        assertThat(run("check", "-c", file())).isZero();
        assertThat(out).contains("guest web (", "cap is joint's; memory is joint's", "guest gone: does not run", "knob tslice of a pool: 1 to 1000");
        assertThat(run("check", "--json", "-c", file())).isZero();
        assertThat(out).contains("\"backend\" : \"fake\"");
    }

    @Test
    void checkNamesTheLineOfAKnobThatTheHostLacks() throws Exception {
        regions();
        Files.writeString(directory.resolve("guests"), "credit2\nweb\n");
        Files.writeString(config, Files.readString(config).replace("joint: {guests: [web], take: always}", "schedule: {library: regions.json}"));
        assertThat(run("check", "-c", file())).isEqualTo(1);
        assertThat(out).contains("problem: " + file() + ":3: controllers.schedule.knobs: tslice cannot be moved on this host (fake); expected"
                + " some of what it has, [weight, ");
    }

    @Test
    void explainSaysTheFormulas() {
        assertThat(run("explain", "-c", file())).isZero();
        assertThat(out).contains("joint, every 3.0 s:", "web: 0.100 to 0.900 CPUs", "at most 3600 changes an hour");
    }

    @Test
    void adviseSaysWhatWouldBeDoneAndWritesNothing() throws Exception {
        Files.writeString(config, Files.readString(config).replace("guests: [web], take: always}", "guests: [web], take: always, period: 1s}"));
        Path journal = directory.resolve("journal.jsonl");
        try (Journal running = new Journal(journal, Clock.systemUTC(), Set.of())) {
            long length = Files.size(journal);
            Set<Path> before = files();
            assertThat(run("advise", "-c", file())).as(err).isZero();
            assertThat(out).startsWith("joint, at ").contains("web's cap: no limit in force, ", " CPU/1000 wanted", "\n    max(u - lambda ",
                    "  held: web: memory: mem.used: ");
            assertThat(run("advise", "--json", "-c", file())).isZero();
            JsonNode joint = Json.read(out).path("controllers").path(0);
            assertThat(joint.path("controller").asText()).isEqualTo("joint");
            assertThat(joint.path("proposals").path(0).path("kind").asText()).isEqualTo("cap");
            assertThat(joint.path("proposals").path(0).path("in_force").asInt(-1)).isZero();
            assertThat(joint.path("proposals").path(0).path("numbers")).isNotEmpty();
            assertThat(files()).isEqualTo(before);
            assertThat(Files.size(journal)).isEqualTo(length);
            assertThat(running.failure()).isNull();
        }
    }

    private static String status(String guests) {
        return "{\"time\":\"" + Instant.now() + "\",\"memory_free\":4e9,\"cpus\":8,\"guests\":[" + guests + "]}";
    }

    private static String guest(String name, String guestClass, double intensity, double latency) {
        return "{\"uuid\":\"" + name + "\",\"id\":\"1\",\"name\":\"" + name + "\",\"class\":\"" + guestClass + "\",\"memory\":1e9,\"cpu\":0.5,\"intensity\":"
                + intensity + (latency > 0 ? ",\"latency\":" + latency : "") + "}";
    }

    private Path placement() throws IOException {
        Files.writeString(config, """
                backend: {type: fake, file: guests}
                guests: {web: {class: LS1}, batch: {intensity: 1}}
                controllers:
                  placement: {period: 1s, latency: {s0-us: 500, c-us: 1000, threshold: 5ms}}
                journal: journal.jsonl
                """);
        Files.writeString(directory.resolve("b.json"), status(guest("cache", "LS2", 0.2, 0.02) + "," + guest("lbm", "NLS", 1, 0)));
        Files.writeString(directory.resolve("c.json"), status(guest("gems", "NLS", 0.5, 0)));
        Files.writeString(directory.resolve("d.json"), "no status");
        return Files.writeString(directory.resolve("fleet.yaml"),
                "this: a\nhosts: {a: {}, b: {file: b.json}, c: {file: c.json}, d: {file: d.json}}\n");
    }

    @Test
    void adviseOnAFleetSaysWhoShouldMoveAndWhoIsSilent() throws Exception {
        Path fleet = placement();
        Set<Path> before = files();
        assertThat(run("advise", "-c", file(), "--fleet", fleet.toString())).as(err).isZero();
        assertThat(out).contains("fleet:\n  a, this host: 2 guests, memory intensity 1.", "  b: 2 guests, memory intensity 1.20, free 3.73 GiB, CPUs 1.00 of 8.00 in use, at ",
                "  d: " + directory + "/d.json: expected the status of an ic2-host as JSON",
                "  cache should move from b to c\n    W > threshold; to the host of the lowest memory intensity: W 0.02000, threshold 0.005000, ",
                "  held: web: a does not tell its predicted latency\n", "  one look confirms nothing: ");
        assertThat(files()).isEqualTo(before);

        Files.delete(directory.resolve("b.json"));
        Files.writeString(fleet, Files.readString(fleet).replace("this: a\n", "").replace("a: {}, ", ""));
        assertThat(run("advise", "--json", "-c", file(), "--fleet", fleet.toString())).as("of one host alone anything is known").isEqualTo(1);
        JsonNode told = Json.read(out).path("fleet");
        assertThat(told.path("hosts").get(0).path("name").asText()).isEqualTo("c");
        assertThat(told.path("silent").get(0).asText()).isEqualTo("b: " + directory + "/b.json: no such file");
        assertThat(told.path("silent")).hasSize(2);
        assertThat(told.path("tells").asBoolean(true)).isFalse();
        assertThat(told.path("moves")).isEmpty();
    }

    @Test
    void aFleetWantsLatencyAndNoRecording() throws Exception {
        Path fleet = placement();
        assertThat(run("advise", "-c", file(), "--fleet", fleet.toString(), "--samples", "x")).isEqualTo(2);
        assertThat(err).startsWith("ic2-host: --fleet: a recording says nothing of other hosts");
        assertThat(run("advise", "-c", file(), "--fleet", "nowhere.yaml")).isEqualTo(2);
        assertThat(err).contains("cannot read the fleet: nowhere.yaml");
        Files.writeString(config, Files.readString(config).replace("threshold: 5ms}",
                "threshold: 5ms}, fleet: fleet.yaml, migrate: [m, '{id}', '{to}']"));
        assertThat(run("explain", "-c", file())).as(err).isZero();
        assertThat(out).contains("fleet, every 30 s:\n  a latency-sensitive guest with W above 0.00500 s in 2 periods in a row",
                "  in mode act it runs, for a guest of this host: m {id} {to}\n");
        assertThat(run("check", "-c", file())).as(err).isZero();
        Files.writeString(fleet, "hosts: {b: {file: b.json}}\n");
        assertThat(run("check", "-c", file())).isEqualTo(2);
        assertThat(err).isEqualTo("ic2-host: " + fleet + ": this: missing; an agent must know which of hosts its own is\n");
        Files.writeString(config, "backend: {type: fake, file: guests}\n");
        assertThat(run("advise", "-c", file(), "--fleet", fleet.toString())).isEqualTo(2);
        assertThat(err).contains("host.yaml: controllers.placement.latency: missing; guests move when");
    }

    private Set<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.collect(Collectors.toSet());
        }
    }

    @Test
    void adviseOnWhatIsNoRecordingSaysWhere() throws Exception {
        Path recording = Files.writeString(directory.resolve("rec"), "garbage\n");
        assertThat(run("advise", "-c", file(), "--samples", recording.toString())).isEqualTo(1);
        assertThat(err).startsWith("ic2-host: " + recording + ":1: expected a line of a recording: ");
        Files.write(recording, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThat(run("advise", "-c", file(), "--samples", recording.toString())).isEqualTo(1);
        assertThat(err).isEqualTo("ic2-host: " + recording + ":1: expected a line of a recording: not in UTF-8\n");
        String head = "{\"v\":1,\"backend\":\"xen\",\"memory\":1,\"pools\":[]}\n";
        Files.writeString(recording, head);
        assertThat(run("advise", "-c", file(), "--samples", recording.toString())).isEqualTo(1);
        assertThat(err).isEqualTo("ic2-host: " + recording + ": expected a turn, got the end of the file\n");
        Files.writeString(recording, head + "{\"time\":\"noon\"}\n");
        assertThat(run("advise", "-c", file(), "--samples", recording.toString())).isEqualTo(1);
        assertThat(err).startsWith("ic2-host: " + recording + ":2: expected a line of a recording: guests: ");
        Files.writeString(recording, head + "{\"time\":\"2026-01-01T00:00:00Z\",\"interval_ms\":3000,\"guests\":[],\"metrics\":{},\"host\":{}}\n");
        assertThat(run("advise", "-c", file(), "--samples", recording.toString())).isEqualTo(1);
        assertThat(out).isEqualTo("joint, at 2026-01-01T00:00:00Z:\n  held: web: no such guest runs\n  it cannot tell\n");
        Files.writeString(config, "backend: {type: replay, file: rec}\n");
        assertThat(run("advise", "-c", file())).isZero();
        assertThat(out).startsWith("no controllers: ");
        assertThat(run("advise", "-c", file(), "--pin")).isEqualTo(2);
    }

    @Test
    void whatTheFileGotWrongIsUsage() throws Exception {
        Files.writeString(config, "backend: {type: xen}\nmoed: act\n");
        assertThat(run("check", "-c", file())).isEqualTo(2);
        assertThat(err).isEqualTo("ic2-host: " + file() + ":2: moed: unknown key; expected one of backend, bandwidth, cache, contract, controllers,"
                + " guests, http, io-max, io-weight, journal, memory-low, mode, reserve, safety, weights\n");
        assertThat(run("dance")).isEqualTo(2);
    }

    @Test
    void withoutAnAgentThereIsNothingToAsk() {
        assertThat(run("status", "-c", file())).isEqualTo(1);
        assertThat(err).contains("no agent answers at ");
        assertThat(run("resume", "-c", file())).isEqualTo(1);
        assertThat(run("events", "-c", file())).isEqualTo(1);
        assertThat(err).contains("the agent has not run");
    }

    @Test
    void withoutAnAgentRestoreIsThereAllTheSame() {
        assertThat(run("restore", "-c", file())).isZero();
        assertThat(out).isEqualTo("nothing was to be restored\n");
    }

    @Test
    void discoverAndReplayWantRecordings() throws Exception {
        Path garbage = Files.writeString(directory.resolve("garbage"), "garbage\n");
        assertThat(run("discover", garbage.toString(), "-o", directory.resolve("lib.json").toString())).isEqualTo(1);
        assertThat(err).contains("garbage:1: expected a line of a recording");
        assertThat(run("replay", "-c", file(), garbage.toString())).isEqualTo(1);
        assertThat(run("replay", "-c", file(), directory.resolve("none").toString())).isEqualTo(1);
        assertThat(err).contains("none: no such file");
        assertThat(run("discover", garbage.toString(), "-o", "lib.json", "--k", "10..3")).isEqualTo(2);
    }

    @Test
    void optimizeWantsToBeToldWhatItMayMove() throws Exception {
        Path library = regions();
        Files.writeString(config, "mode: act\n" + Files.readString(config));
        Set<Path> before = files();
        assertThat(run("optimize", "-c", file(), "--library", library.toString())).isEqualTo(2);
        assertThat(err).isEqualTo("ic2-host: " + file() + ": controllers.schedule: missing; expected the section with the knobs that may"
                + " be tried, such as schedule: {knobs: [weight], library: " + library + "}\n");
        assertThat(files()).isEqualTo(before);
    }

    private Path regions() throws IOException {
        List<Double> zero = List.of(0.0, 0.0, 0.0, 0.0);
        return Files.writeString(directory.resolve("regions.json"), LibraryJson.write(new Library(new Scaling(Scaling.Kind.NONE, zero,
                List.of(1.0, 1.0, 1.0, 1.0)), 1, List.of(new Region(1, zero, 1e9, 10, Optional.empty())))));
    }

    @Test
    void optimizeTakesTheRegionFromTheHost() throws Exception {
        Path library = Files.writeString(directory.resolve("lib.json"), "{}");
        assertThat(run("optimize", "--library", library.toString())).isEqualTo(2);
        assertThat(run("optimize")).isEqualTo(2);
        assertThat(err).contains("Missing required option: '--library");
        assertThat(run("optimize", "--library", library.toString(), "--region", "1")).isEqualTo(2);
        assertThat(err).contains("Unknown option");
        assertThat(run("optimize", "--library", library.toString(), "--acceptance", "hope")).isEqualTo(2);
        assertThat(err).contains("--acceptance: expected metropolis or greedy, got \"hope\"");
    }
}

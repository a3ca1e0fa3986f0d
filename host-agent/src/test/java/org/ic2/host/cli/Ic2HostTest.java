// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command, on a simulated host. */
class Ic2HostTest {

    @TempDir
    private Path directory;
    private Path config;
    private String out;
    private String err;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(directory.resolve("sim.yaml"), """
                memory: 2GiB
                pools: {pool: {cpus: 2}}
                dom0: {memory: 256MiB}
                guests:
                  web: {memory: 512MiB, memory-max: 1GiB, work: {type: duty, duty: 0.3}}
                  batch: {memory: 512MiB, work: {type: burner}}
                """);
        config = Files.writeString(directory.resolve("host.yaml"), """
                backend: {type: sim, scenario: sim.yaml}
                guests: {web: {class: LS1, memory: [128MiB, 1GiB], cpu: [0.1, 0.9]}, gone: {class: LS2}}
                controllers: {joint: {guests: [web]}}
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
    void checkShowsTheHostAndItsOwners() {
        assertThat(run("check", "-c", file())).isZero();
        assertThat(out).contains("guest web (", "cap is joint's; memory is joint's", "guest gone: does not run", "knob tslice of a pool: 1 to 1000");
        assertThat(run("check", "--json", "-c", file())).isZero();
        assertThat(out).contains("\"backend\" : \"sim\"");
    }

    @Test
    void explainSaysTheFormulas() {
        assertThat(run("explain", "-c", file())).isZero();
        assertThat(out).contains("joint, every 3.0 s:", "web: 0.100 to 0.900 CPUs", "at most 600 changes an hour");
    }

    @Test
    void whatTheFileGotWrongIsUsage() throws Exception {
        Files.writeString(config, "backend: {type: xen}\nmoed: act\n");
        assertThat(run("check", "-c", file())).isEqualTo(2);
        assertThat(err).isEqualTo("ic2-host: " + file() + ":2: moed: unknown key; expected one of backend, controllers,"
                + " guests, http, journal, mode, reserve, safety\n");
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
    void simulateListsAndRunsAFileOfOnesOwn() throws Exception {
        assertThat(run("simulate")).isZero();
        assertThat(out).contains("recorded-xen: ");
        Path csv = directory.resolve("out.csv");
        assertThat(run("simulate", directory.resolve("sim.yaml").toString(), "--length", "2s", "--seeds", "1-2", "--csv", csv.toString()))
                .isZero();
        assertThat(csv).content().startsWith("scenario,seed,arm,measure,value,unit\n");
        assertThat(run("simulate", "none")).isEqualTo(2);
        assertThat(err).contains("expected a scenario file or one of recorded-xen, ");
        assertThat(run("simulate", "recorded-xen", "--seeds", "5-1")).isEqualTo(2);
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
    void optimizeWantsALibraryAndARegion() throws Exception {
        Path library = Files.writeString(directory.resolve("lib.json"), "{}");
        assertThat(run("optimize", "--library", library.toString(), "--region", "1")).isEqualTo(2);
        assertThat(run("optimize", "--library", library.toString(), "--acceptance", "hope")).isEqualTo(2);
        assertThat(err).contains("--acceptance: expected metropolis or greedy, got \"hope\"");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ic2.host.cli.Ic2Host;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The laboratory's command: what simulates, and the product's verbs on a simulated host. */
class Ic2HostLabTest {

    @TempDir
    private Path directory;
    private Path scenario;
    private Path config;
    private String out;
    private String err;

    @BeforeEach
    void write() throws Exception {
        scenario = Files.writeString(directory.resolve("sim.yaml"), """
                memory: 2GiB
                pools: {pool: {cpus: 2}}
                dom0: {memory: 256MiB}
                guests:
                  web: {memory: 512MiB, memory-max: 1GiB, work: {type: duty, duty: 0.3}}
                  batch: {memory: 512MiB, memory-use: lbm, work: {type: burner}}
                """);
        config = Files.writeString(directory.resolve("host.yaml"), """
                backend: {type: sim, scenario: sim.yaml}
                guests: {web: {class: LS1, memory: [128MiB, 1GiB], cpu: [0.1, 0.9]}}
                controllers:
                  joint: {guests: [web], period: 1s, take: always}
                  placement: {period: 1s, intensity: {type: backend}}
                journal: journal.jsonl
                """);
    }

    private int run(String... words) {
        StringWriter said = new StringWriter();
        StringWriter complained = new StringWriter();
        CommandLine line = Ic2HostLab.commandLine().setOut(new PrintWriter(said)).setErr(new PrintWriter(complained));
        int status = line.execute(words);
        out = said.toString();
        err = complained.toString();
        return status;
    }

    @Test
    void everyVerbOfTheProductIsThereAndHasHelp() {
        assertThat(Ic2HostLab.commandLine().getSubcommands().keySet()).containsAll(Ic2Host.commandLine().getSubcommands().keySet())
                .contains("simulate");
        assertThat(Ic2Host.commandLine().getSubcommands()).doesNotContainKey("simulate");
        for (String verb : Ic2HostLab.commandLine().getSubcommands().keySet()) {
            assertThat(run("help", verb)).as(verb).isZero();
            assertThat(out).contains("Usage: ic2-host-lab " + verb);
        }
        assertThat(run("--version")).isZero();
        assertThat(out).startsWith("ic2-host-lab ");
    }

    @Test
    void theProductsVerbsTakeASimulatedHost() {
        assertThat(run("check", "-c", config.toString())).as(out + err).isZero();
        assertThat(out).contains("guest web (", "cap is joint's; memory is joint's", "knob tslice of a pool: 1 to 1000");
        assertThat(run("advise", "-c", config.toString())).as(out + err).isZero();
        assertThat(out).startsWith("joint, at ").contains("web's cap: no limit in force, ", " CPU/1000 wanted", "placement, at ");
    }

    @Test
    void aScenarioThatIsNotThereIsSaidByTheLaboratory() throws Exception {
        Files.delete(scenario);
        assertThat(run("check", "-c", config.toString())).isEqualTo(1);
        assertThat(err).isEqualTo("ic2-host-lab: " + scenario + ": no such file\n");
    }

    @Test
    void simulateListsAndRunsAFileOfOnesOwn() {
        assertThat(run("simulate")).isZero();
        assertThat(out).contains("recorded-xen: ");
        Path csv = directory.resolve("out.csv");
        assertThat(run("simulate", scenario.toString(), "--length", "2s", "--seeds", "1-2", "--csv", csv.toString())).isZero();
        assertThat(csv).content().startsWith("scenario,seed,arm,measure,value,unit\n");
        assertThat(run("simulate", "none")).isEqualTo(2);
        assertThat(err).contains("expected a scenario file or one of recorded-xen, ");
        assertThat(run("simulate", "recorded-xen", "--seeds", "5-1")).isEqualTo(2);
    }

    private int optimize(int seed) {
        return run("optimize", "--evaluations", "5", "--users", "400", "--seed", Integer.toString(seed));
    }

    @Test
    void optimizeSearchesInTheSimulatorAndSaysWhatIsConfirmed() {
        assertThat(optimize(3)).as(out + err).isZero();
        assertThat(out).contains("default tslice 30 ms, ratelimit 1000 us, ", " (5 trials)\n", "\nconfirmed: ");
    }

    @Test
    void nothingBetterInTheSimulatorFails() {
        assertThat(optimize(2)).isEqualTo(1);
        assertThat(out).endsWith("nothing is better than the default\n");
    }

    @Test
    void optimizeWritesNoLibraryAndWantsUsers() {
        assertThat(run("optimize", "--library", "regions.json")).isEqualTo(2);
        assertThat(err).contains("Unknown option");
        assertThat(run("optimize", "--users", "0")).isEqualTo(2);
        assertThat(err).contains("--users: expected at least 1, got 0");
    }
}

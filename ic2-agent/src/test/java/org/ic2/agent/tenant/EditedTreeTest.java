// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ic2.agent.cli.Ic2;
import org.ic2.knowledge.Sample;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An administrator edits a threshold of classifier.json: the agent does what {@code ic2 explain} says, or refuses. */
class EditedTreeTest {

    /** 2.75 times the quiet response time, between the edited threshold and the written one. */
    private static final double UNDECIDED = 0.11;
    private static final String WRITTEN = "\"threshold\" : 3.0";
    private static final String EDITED = "\"threshold\" : 2.5";

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path model;
    private String tree;

    @BeforeEach
    void place() throws Exception {
        tree = ScriptedLoop.treeByHand();
        assertThat(tree).containsOnlyOnce(WRITTEN);
        model = directory.resolve("classifier.json");
        Files.writeString(model, tree);
    }

    private int ic2(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = Ic2.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    /** Two minutes of quiet, one of a slower and dearer tier; where the live loop ended, and its recording. */
    private boolean mitigates(Path csv) throws Exception {
        Path place = Files.createTempDirectory(directory, "run");
        Files.copy(model, place.resolve("classifier.json"));
        try (ScriptedLoop agent = new ScriptedLoop(place, Optional.of(new Recorder(csv, List.of())))) {
            agent.loop.start("");
            agent.run(120, (second, sample) -> ScriptedLoop.calm(sample));
            agent.run(60, (second, sample) -> undecided(sample));
            return !agent.running().equals(ScriptedLoop.BASE);
        }
    }

    private static void undecided(Sample.Builder sample) {
        ScriptedLoop.measured(sample, UNDECIDED, 95, 0.7, 0);
    }

    @Test
    void liveReplayAndExplainFollowTheEditedThreshold() throws Exception {
        Path config = directory.resolve("ic2.yaml");
        Files.writeString(config, ScriptedLoop.configuration(directory));
        Path csv = directory.resolve("samples.csv");

        assertThat(mitigates(csv)).isFalse();
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("response_time_ratio <= 3").doesNotContain("response_time_ratio <= 2.5");
        assertThat(ic2("replay", "-c", config.toString(), csv.toString())).isZero();
        assertThat(out.toString()).doesNotContain("MITIGATE");

        Files.writeString(model, tree.replace(WRITTEN, EDITED));
        assertThat(ic2("explain", "-c", config.toString())).isZero();
        assertThat(out.toString()).contains("response_time_ratio <= 2.5").doesNotContain("response_time_ratio <= 3");
        assertThat(ic2("replay", "-c", config.toString(), "--mode", "advise", csv.toString())).isZero();
        assertThat(out.toString()).as("the same samples").contains("MITIGATE");
        assertThat(mitigates(directory.resolve("again.csv"))).isTrue();
    }

    @Test
    void aDamagedFileIsRefusedWithThePathOfTheBadNode() throws Exception {
        Path config = directory.resolve("ic2.yaml");
        Files.writeString(config, ScriptedLoop.configuration(directory));
        Files.writeString(model, tree.replace(WRITTEN, "\"threshold\" : \"high\""));
        for (String verb : new String[] {"explain", "check", "run"}) {
            assertThat(ic2(verb, "-c", config.toString())).as(verb).isEqualTo(2);
            assertThat(err.toString()).contains("classifier.json").contains("tree.gt.gt").contains("high")
                    .doesNotContain("\tat ");
        }
    }
}

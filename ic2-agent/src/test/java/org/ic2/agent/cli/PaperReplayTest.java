// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code profile: paper} on recordings of a few minutes: Algorithm 1 from harm to NI2, and Table 3's rows by their own evidence. */
class PaperReplayTest {

    private static final String CONFIG = """
            application: shop
            profile: paper
            members: {web: {role: web}}
            baseline: {max-request-workers: 650, keep-alive-timeout: 5s, php-max-children: 50}
            bounds: {max-request-workers: [200, 900], keep-alive-timeout: [5s, 30s], php-max-children: [25, 400]}
            """;
    private static final String HEADER = "time,response_time,throughput,cpu_util,connected_users,think_time,memory_idle,memory_active,"
            + "page_faults,memory_pressure\n";
    private static final String QUIET = "0.04,100,0.5,550,5,0.5,0.2,1,0";
    private static final String BUSY = "0.04,150,0.75,550,5,0.5,0.2,1,0";
    private static final String PRESSED = "0.04,100,0.5,550,5,0.05,0.6,1,0.3";
    private static final String PAGING = "0.04,100,0.5,550,5,0.5,0.2,500,0";
    /** The paper's own case: no steal; LPO 0.01 instead of 0.005, RT 2.04 s instead of 0.04 s. */
    private static final String HARM = "2.04,98,0.98,550,5,0.5,0.2,1,0";

    @TempDir
    private Path directory;

    private final StringBuilder recording = new StringBuilder(HEADER);
    private int seconds;

    private void record(int samples, String values) {
        for (int i = 0; i < samples; i++) {
            seconds += 5;
            recording.append(String.format(Locale.ROOT, "%d,%s%n", seconds, values));
        }
    }

    /** What is printed for the last so many samples; before them nothing is changed. */
    private List<String> replayed(int last, String... lines) throws IOException {
        Path config = Files.writeString(directory.resolve("ic2.yaml"), CONFIG + String.join("\n", lines) + "\n");
        Path samples = Files.writeString(directory.resolve("samples.csv"), recording);
        StringWriter out = new StringWriter();
        CommandLine ic2 = Ic2.commandLine();
        ic2.setOut(new PrintWriter(out, true));
        assertThat(ic2.execute("replay", "-c", config.toString(), samples.toString())).isZero();
        List<String> printed = out.toString().lines().toList();
        assertThat(printed.subList(0, printed.size() - last)).allMatch(line -> line.contains(" HOLD "));
        return printed.subList(printed.size() - last, printed.size());
    }

    @Test
    void harmMovesAllThreeToTheValuesOfAlgorithm1AndEnteringNi2RestoresThem() throws Exception {
        record(40, QUIET);
        record(48, HARM);
        record(48, QUIET);
        List<String> printed = replayed(96);
        List<String> actions = printed.stream().filter(line -> !line.contains(" HOLD ")).toList();
        assertThat(actions).hasSize(2);
        assertThat(printed.indexOf(actions.get(0))).as("T, I1, I2").isEqualTo(2);
        // 650 x (0.01 - 0.005) / 0.01 = 325 threads less; 3 x 2 s more; 400
        assertThat(actions.get(0)).contains(" I2 INTERFERENCE MITIGATE MXC 325, KAT 11s, PHP 400, mitigation 0 IC2-10 ")
                .doesNotContain("starvation guard");
        assertThat(printed.indexOf(actions.get(1))).as("T, NI1, NI2").isEqualTo(48 + 2);
        assertThat(actions.get(1)).contains(" NI2 NO_INTERFERENCE RESTORE MXC 650, KAT 5s, PHP 50, mitigation 0 IC2-30 ");
    }

    @Test
    void withTheGuardTheSameLineSaysWhatItChanged() throws Exception {
        record(40, QUIET);
        record(3, HARM);
        assertThat(replayed(1, "starvation-guard: on").get(0)).contains("MITIGATE MXC 550, KAT 11s, PHP 400")
                .endsWith("; starvation guard: max-request-workers 550 instead of 325, connected users 550, think time 5");
    }

    @Test
    void guardedTheBaselineComesBackThirtySecondsLater() throws Exception {
        record(40, QUIET);
        record(10, HARM);
        record(20, QUIET);
        List<String> printed = replayed(30, "restore: guarded");
        int restore = printed.indexOf(printed.stream().filter(line -> line.contains(" RESTORE ")).findFirst().orElseThrow());
        assertThat(restore).as("a hold of 30 s since the last harm, then NI1, NI2").isEqualTo(9 + 6 + 1);
    }

    @Test
    void checkSaysWhatTheProfileIsAndWhatItRisks() throws Exception {
        Path config = Files.writeString(directory.resolve("ic2.yaml"), CONFIG + "interval: 200ms\njournal: "
                + directory.resolve("journal.jsonl") + "\n");
        StringWriter out = new StringWriter();
        CommandLine ic2 = Ic2.commandLine();
        ic2.setOut(new PrintWriter(out, true));
        ic2.execute("check", "-c", config.toString());
        assertThat(out.toString()).containsPattern("(?m)^ok +profile +paper, but interval is your own$")
                .containsPattern("(?m)^note +starvation-guard +off: with fewer threads .*than connected users");
        out.getBuffer().setLength(0);
        Files.writeString(config, Files.readString(config) + "starvation-guard: on\n");
        ic2.execute("check", "-c", config.toString());
        assertThat(out.toString()).contains("paper, but interval, starvation-guard are your own").doesNotContain("note    starvation-guard");
    }

    @Test
    void moreWorkAndIdleMemoryIsRow1() throws Exception {
        assertThat(contextAlone(BUSY)).contains("MITIGATE MXC 900, KAT 5s, PHP 400, mitigation 0 IC2-17 Increased workload");
    }

    @Test
    void memoryPressureIsRow4() throws Exception {
        assertThat(contextAlone(PRESSED)).contains("MITIGATE MXC 650, KAT 5s, PHP 25, mitigation 0 IC2-17 Increased host memory");
    }

    @Test
    void pageFaultsAreRow5() throws Exception {
        assertThat(contextAlone(PAGING)).contains("MITIGATE MXC 650, KAT 5s, PHP 25, mitigation 0 IC2-17 Increased page faults");
    }

    /** Its second sample acts, the second sample without it restores; the line of the action. */
    private String contextAlone(String values) throws IOException {
        record(40, QUIET);
        record(20, values);
        record(10, QUIET);
        List<String> printed = replayed(30);
        List<String> actions = printed.stream().filter(line -> !line.contains(" HOLD ")).toList();
        assertThat(actions).hasSize(2);
        assertThat(printed.indexOf(actions.get(0))).isEqualTo(1);
        assertThat(printed.indexOf(actions.get(1))).isEqualTo(20 + 1);
        assertThat(actions.get(1)).contains(" RESTORE MXC 650, KAT 5s, PHP 50, mitigation 0 IC2-30 the context for which");
        return actions.get(0);
    }
}

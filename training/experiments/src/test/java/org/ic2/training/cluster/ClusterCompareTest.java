// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.ic2.training.cli.CommandsTest;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.ClusterRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What is measured on a cluster, and what the report makes of it. */
@TestInstance(TestInstance.Lifecycle.PER_METHOD)
class ClusterCompareTest {
    private static final long BEGIN = 1_800_000_000_000L;

    @TempDir
    private Path folder;

    private static ClusterPlan plan(List<Integer> noisy, int repeat) {
        return plan(noisy, repeat, 20, 1.5);
    }

    private static ClusterPlan plan(List<Integer> noisy, int repeat, int leastShare, double headroom) {
        return new ClusterPlan(List.of(ClusterArm.ROUND_ROBIN, ClusterArm.BOTH), noisy, 3, repeat, "llcprobe --size 32MiB",
                new ClusterRun.Times(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(10)),
                new ClusterPlan.Load(40, OptionalDouble.empty(), false, true), new ClusterRun.Shares(leastShare, headroom), 1);
    }

    @Test
    void theArmsTakeTurnsAndNoneAlwaysComesLast() {
        assertThat(plan(List.of(1, 3), 2).slots().stream().map(slot -> slot.run().id())).containsExactly("r1-n1-roundrobin", "r1-n1-share-ladder", "r1-n3-share-ladder",
                "r1-n3-roundrobin", "r2-n1-roundrobin", "r2-n1-share-ladder", "r2-n3-share-ladder", "r2-n3-roundrobin");
    }

    @Test
    void sharesAreSuchAsAnAgentTakes() {
        assertThat(plan(List.of(1), 1, 10, 2).slots()).allMatch(slot -> slot.run().shareBounds().equals(new ClusterRun.Shares(10, 2)));
        assertThatThrownBy(() -> plan(List.of(1), 1, 4, 1.5)).hasMessage("--least-share: expected 5 to 100 %, got 4");
        assertThatThrownBy(() -> plan(List.of(1), 1, 101, 1.5)).hasMessage("--least-share: expected 5 to 100 %, got 101");
        assertThatThrownBy(() -> plan(List.of(1), 1, 20, 0.9)).hasMessage("--share-headroom: expected 1 or more, got 0.9");
        assertThatThrownBy(() -> plan(List.of(1), 1, 20, Double.NaN)).hasMessage("--share-headroom: expected 1 or more, got NaN");
    }

    @Test
    void asManyServersAreNoisyAsThereAreAtMost() {
        assertThatThrownBy(() -> plan(List.of(4), 1)).hasMessage("--noisy: expected numbers from 1 to the 3 servers that there are, got 4");
    }

    /** Ten seconds quiet at 20 ms, twenty noisy at 200 ms but for the arm that acts, ten quiet. */
    private void run(String id, String levers, boolean acts) throws IOException {
        Path place = folder.resolve(id);
        TextFiles.write(place.resolve("run.json"), """
                {"id": "%s", "balance": "roundrobin", "levers": "%s", "noisy": 1, "servers": 3, "begin": %d, "quiet": 10000, "on": 20000,
                 "after": 10000, "users": 40}
                """.formatted(id, levers, BEGIN));
        StringBuilder intervals = new StringBuilder("time,elapsed,phase,throughput,response_time,interactive_response_time,errors\n");
        StringBuilder times = new StringBuilder("time,elapsed,phase,max,counts,operations\n");
        StringBuilder weights = new StringBuilder("time,server,weight,status,current,queued\n");
        for (int second = 1; second <= 40; second++) {
            boolean slow = second > 10 && second <= 30 && !(acts && second > 12);
            String time = String.format(Locale.ROOT, "%.3f,%d.000", BEGIN / 1000.0 + second, second);
            intervals.append(time).append(",steady,40,").append(slow ? "0.2,0.2" : "0.02,0.02").append(",0\n");
            times.append(time).append(",steady,0.3,").append(slow ? "200000:40" : "20000:40").append(",40\n");
            String at = String.format(Locale.ROOT, "%.3f", BEGIN / 1000.0 + second);
            weights.append(at).append(",web1,").append(acts && second > 12 && second < 35 ? 40 : 100).append(",UP,0,0\n");
            weights.append(at).append(",web2,100,UP,0,0\n");
        }
        TextFiles.write(place.resolve("load/intervals.csv"), intervals.toString());
        TextFiles.write(place.resolve("load/response-times.csv"), times.toString());
        TextFiles.write(place.resolve("weights.csv"), weights.toString());
        TextFiles.write(place.resolve("web1/neighbour.csv"), "time,event,program,placement,lateness_ms\n" + String.format(Locale.ROOT,
                "%.3f,start,\"x\",same-core,0.1\n%.3f,stop,\"x\",same-core,0.1\n", BEGIN / 1000.0 + 10.2, BEGIN / 1000.0 + 30.2));
        TextFiles.write(place.resolve("requests.log"), "Server web/web1 is UP\n<134>" + (BEGIN + 5000) + " web1 200 21 20 -- /\n"
                + (BEGIN + 20_000) + " web1 200 201 200 -- /event/1\n" + (BEGIN + 20_001) + " web1 503 1 -1 SC /event/1\n"
                + (BEGIN + 20_002) + " web1 200 1 1 -- /static/app.css\n");
        if (acts) {
            TextFiles.write(place.resolve("web1/journal.jsonl"), """
                    {"time":"2027-01-15T08:00:12.5Z","kind":"intent","before":{"share":100},"desired":{"share":40}}
                    {"time":"2027-01-15T08:00:12.7Z","kind":"applied","configuration":{"share":40}}
                    {"time":"2027-01-15T08:00:34.9Z","kind":"applied","configuration":{"share":100}}
                    {"time":"2027-01-15T08:00:3""");
        }
    }

    @Test
    void theReportSaysWhatEachArmDidAndHowFast() throws IOException {
        run("r1-n1-roundrobin", "NONE", false);
        run("r1-n1-share-ladder", "BOTH", true);
        ClusterRecording both = ClusterRecording.read(folder.resolve("r1-n1-share-ladder"));
        assertThat(both.arm()).isEqualTo(ClusterArm.BOTH);
        assertThat(both.effective()).as("12.7 s - 10.2 s").hasValue(2.5);
        assertThat(both.baseline()).as("34.9 s - 30.2 s").hasValue(4.7);
        assertThat(both.changes()).isEqualTo(2);
        assertThat(both.least()).isEqualTo(Map.of("web1", 40, "web2", 100));

        CommandsTest.Outcome outcome = CommandsTest.run("compare", "--cluster", "--again", "--out", folder);

        assertThat(outcome.status()).as(outcome.text()).isZero();
        String summary = String.join("\n", TextFiles.lines(folder.resolve("summary.md")));
        assertThat(summary).contains("| roundrobin | 0.020 > 0.200 | 0.020 > 0.200 |", "| share+ladder | 0.020 > 0.020 |", "| -90 % |",
                "| 1 noisy | share+ladder | 2.5 | 4.7 | 2 | 0 |",
                "| roundrobin | web1, noisy | 0.1 > 0.1 | 0.021 > 0.201 | 0.021 > 0.201 | 0.021 > 0.201 | 1 | 100 |");
        assertThat(summary).doesNotContain("NaN");
        assertThat(String.join("\n", TextFiles.lines(folder.resolve("report.html")))).contains("<table>").doesNotContain("NaN");
    }

    @Test
    void aSlowerArmIsNotShownAsBetter() throws IOException {
        run("r1-n1-roundrobin", "NONE", true);
        run("r1-n1-ladder", "LADDER", false);

        new ClusterCompare(folder).report();

        assertThat(String.join("\n", TextFiles.lines(folder.resolve("report.html")))).contains("<td>+900\u00a0%</td>")
                .doesNotContain("<td class=\"good\">900");
    }

    @Test
    void aFolderWithoutRunsIsNoReport() {
        assertThat(CommandsTest.run("compare", "--cluster", "--again", "--out", folder).text())
                .contains("expected runs of `ic2-train compare --cluster`, found none that was completed");
    }

    @Test
    void optionsThatWouldDoNothingAreRefused() {
        for (String option : List.of("--host", "--load-only", "--run=5m", "--levels=1", "--placement=same-core")) {
            assertThat(CommandsTest.run("compare", "--cluster", option, "--out", folder).text())
                    .contains(option.replaceFirst("=.*", "") + ": not with --cluster");
        }
        for (String option : List.of("--noisy=1", "--open=5", "--sticky", "--keep-alive=off", "--least-share=10", "--share-headroom=2")) {
            assertThat(CommandsTest.run("compare", option, "--out", folder).text())
                    .contains(option.replaceFirst("=.*", "") + ": only with --cluster");
        }
    }

    @Test
    void linesOfTheLogThatAreNoRequestsAreLeftOut() {
        for (String line : List.of("", "Proxy web started.", "1 2 3 4 5 6 7", "1800000000000 web1 200 x 20 -- /", "1800000000000 web1 200 5 20 --",
                "\0\0\0\0", "x".repeat(100_000), "1800000000000 web1 99999999999 5 20 -- /", "99999999999999999999 web1 200 5 20 -- /")) {
            assertThat(ServerRequests.Line.parse(line)).isEmpty();
        }
        assertThat(ServerRequests.Line.parse("1800000000000 <NOSRV> 503 0 -1 SC /")).singleElement().matches(ServerRequests.Line::failed);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ic2.training.compare.InterferenceEpisode.EpisodePart;
import org.ic2.training.compare.Stored.Behaviour;
import org.ic2.training.compare.Stored.Level;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.Switch;
import org.ic2.training.data.TextFiles;
import org.ic2.training.report.Words;
import org.ic2.training.run.RequestTimes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareReportTest {
    private static final Behaviour OFF = new Behaviour(Level.UNDER_INTERFERENCE, 0);
    private static final Behaviour GOOD = new Behaviour(Level.MENDED, 3);
    private static final Behaviour BLIND = new Behaviour(Level.UNDER_INTERFERENCE, 0);
    private static final Behaviour STARVING = new Behaviour(Level.STARVED, 3);
    private static final Behaviour WORSE = new Behaviour(new Level(0.9, 80, 60, 2), 3);

    @TempDir
    private Path folder;

    private String report() throws IOException {
        List<String> lines = new Compare(folder).report();
        assertThat(lines.get(lines.size() - 1)).isEqualTo("Report       " + folder.resolve(Compare.REPORT));
        assertThat(lines.subList(0, lines.size() - 1)).allMatch(line -> line.length() <= 80);
        return Findings.headline(Comparison.read(folder));
    }

    private String page() throws IOException {
        return Files.readString(folder.resolve(Compare.REPORT));
    }

    /** The rows of a CSV by column. */
    private List<Map<String, String>> rows(String file) throws IOException {
        List<String> lines = TextFiles.lines(folder.resolve(file));
        List<String> head = List.of(lines.get(0).split(",", -1));
        return lines.subList(1, lines.size()).stream().map(line -> List.of(line.split(",", -1))).map(cells -> {
            assertThat(cells).hasSameSizeAs(head);
            return IntStream.range(0, head.size()).boxed().collect(Collectors.toMap(head::get, cells::get));
        }).toList();
    }

    @Test
    void alwaysOnIsComparedByAgeAndPartsOfThePages() throws IOException {
        ComparePlan like = Stored.plan("off", 2);
        ComparePlan plan = new ComparePlan(List.of(Arm.OFF, Arm.LADDER, Arm.ALWAYS_6), like.neighbours(), like.placement(), 2, like.length(), like.on(),
                like.off(), like.firstHalf(), like.settle(), like.users(), like.seed(), like.agents(), like.subject());
        Stored.of(folder, plan).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD).arm(Arm.ALWAYS_6, new Behaviour(new Level(0.02, 110, 1, 0.1), Level.MENDED, 0));
        report();
        Map<String, Map<String, String>> rows = rows(Freshness.FILE).stream().collect(Collectors.toMap(row -> row.get("arm") + " " + row.get("when"),
                row -> row));
        assertThat(rows).hasSize(9);
        assertThat(rows.get("always-on-6 without_interference")).containsEntry("page_age", "30.0000").containsEntry("left_out_share", "0.2500").containsEntry("runs", "2");
        assertThat(rows.get("ladder without_interference")).containsEntry("page_age", "0.0000").containsEntry("left_out_share", "0.0000");
        assertThat(Double.parseDouble(rows.get("always-on-6 without_interference").get("interactive_response_time"))).isCloseTo(0.02, within(0.002));
        assertThat(Double.parseDouble(rows.get("off under_interference").get("interactive_response_time"))).isCloseTo(0.6, within(0.06));
        assertThat(page()).contains("What it costs: age and parts of the pages", "mean age of pages, s, under interference",
                "pages without optional parts, %, all the time");
        assertThat(Files.readString(folder.resolve("summary.md"))).contains("| always-on-6: level 6 all the time, without an agent | llcprobe | without interference | 2 |");
    }

    @Test
    void aBusyMachineIsSaidInSentenceTableAndSummary() throws IOException {
        ComparePlan plan = Stored.plan("off,ladder", 1);
        Stored stored = Stored.of(folder, plan).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        assertThat(report()).doesNotContain("busy");
        for (PlannedRun slot : plan.slots()) {
            stored.machine(slot, slot.arm() == Arm.OFF ? 0.31 : 0.02);
        }
        String said = "This machine was busy: 31 % of the CPU went elsewhere (other programs 31 %, steal 0 %) in 1 of 2 runs.";
        assertThat(report()).endsWith(said);
        assertThat(page()).contains(said, "What else the machine did", "31.0");
        assertThat(Files.readString(folder.resolve("summary.md"))).contains(said);
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"busy\" : true", "\"elsewhere\" : 0.31", "\"elsewhere\" : 0.02");
        List<Map<String, String>> rows = rows(BusyMachine.FILE);
        assertThat(rows).filteredOn(row -> row.get("run").equals("r1-llcprobe-off")).extracting(row -> row.get("stretch") + " " + row.get("disturbed"))
                .containsExactly("before false", "quiet true", "interference true", "quiet true", "interference true", "quiet true");
        assertThat(rows).filteredOn(row -> row.get("run").equals("r1-llcprobe-ladder")).allMatch(row -> row.get("disturbed").equals("false"));
    }

    @Test
    void aGainIsMeasuredPeriodByPeriodAndSaidInOneSentence() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 5)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        String outcome = report();
        assertThat(outcome).startsWith("Without IC\u00b2: users waited 0.60").contains(" a page beside the neighbour, else 0.030 s. With IC\u00b2: "
                + "users waited 0.060 s, 90 % less (95 % interval -90 to -90 %, 5 runs, from 5 s after its start). It did: acted after 3.0 s, up to "
                + "level 1; undone 3.0 s after its end. It cost: the agent 0.3 % of a core; without interference it cost nothing")
                .doesNotContain("Beware", "one run");
        Comparison comparison = Comparison.read(folder);
        assertThat(comparison.change(Arm.LADDER, "llcprobe", EpisodePart.REST, "response_time").value()).isCloseTo(-0.9, within(0.02));
        assertThat(comparison.change(Arm.LADDER, "llcprobe", EpisodePart.REST, "response_time").high()).isNegative();
        assertThat(comparison.change(Arm.LADDER, "llcprobe", EpisodePart.FIRST, "response_time").value()).isCloseTo(0, within(0.05));
        assertThat(comparison.change(Arm.LADDER, "llcprobe", EpisodePart.REST, "throughput").value()).isCloseTo(0.2, within(1e-6));
        List<Map<String, String>> episodes = rows("periods.csv");
        assertThat(episodes).hasSize(5 * 2 * 2).allMatch(row -> row.get("cut").equals("false") && row.get("seconds").equals("20"));
        assertThat(episodes).filteredOn(row -> row.get("arm").equals("ladder")).hasSize(10).allMatch(row ->
                row.get("onset_noticed_after").equals("3") && row.get("end_noticed_after").equals("3")
                        && row.get("reconfigured_after").equals("3.04") && row.get("baseline_after").equals("3.04")
                        && row.get("highest_level_after").equals("3.04") && row.get("baseline_missed").equals("false")
                        && row.get("actions").equals("2") && row.get("reconfigurations").equals("1") && row.get("agent_cpu").equals("0.003")
                        && row.get("second_pending_users").equals("4") && row.get("first_oldest_wait").equals("1.5"));
        assertThat(episodes).filteredOn(row -> row.get("arm").equals("off")).allMatch(row -> row.get("onset_noticed_after").isEmpty()
                && row.get("agent_cpu").isEmpty() && row.get("second_cpu_per_operation").equals("0.005882"));
        assertThat(rows("quiet.csv")).hasSize(5 * 2 * 3).allMatch(row -> row.get("mitigations").equals("0")
                && row.get("away").matches("|0"));
    }

    @Test
    void howFastTheAgentIsAndHowLongItStaysAwayIsSaid() throws IOException {
        Stored.of(folder, Stored.plan("off,paper-online,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.PAPER_ONLINE, GOOD).arm(Arm.LADDER, GOOD);
        report();
        assertThat(page()).as("away from its baseline").containsPattern("<td>ladder</td><td>3</td>.*<td>10.%</td>");
        assertThat(Files.readString(folder.resolve("summary.md"))).contains("| ladder | llcprobe | 2 | 2 of 2: 3.0 s (p90 3.0 s) "
                + "| 2 of 2: 3.0 s (p90 3.0 s) | 2 of 2: 3.0 s (p90 3.0 s) | 2 of 2: 3.0 s (p90 3.0 s) | 2 of 2: 3.0 s (p90 3.0 s) | 2 (p90 2) |",
                "| paper-online | llcprobe | 2 | 2 of 2: 3.0 s (p90 3.0 s) | 2 of 2: 3.0 s (p90 3.0 s) | - |");
        EpisodeDelays delays = Comparison.read(folder).baseline(Arm.LADDER, Comparison.ALL);
        assertThat(delays.p90()).isCloseTo(3.04, within(1e-9));
    }

    @Test
    void errorsAreToldByKindWhereTheLoadWroteThem() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        TextFiles.write(folder.resolve("r1-llcprobe-ladder").resolve(Recording.CLIENT).resolveSibling("errors.csv"),
                "time,elapsed,phase,kind,errors\n1,30.000,steady,refused,5\n1,31.000,steady,refused,2\n1,90.000,steady,timeout,1\n");
        report();
        assertThat(Files.readString(folder.resolve("summary.md"))).contains("| ladder | llcprobe | 0.00 % | 0 | 7 | 0 | 0 | 0 | 0 | 0 | 0 |",
                "| ladder | without | 0.00 % | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 0 |", "| off | llcprobe | 0.00 % | 0 | - | - | - | - | - | - | - |");
        assertThat(rows("periods.csv")).filteredOn(row -> row.get("arm").equals("ladder")).extracting(row -> row.get("second_errors_refused"))
                .containsExactly("7", "0");
    }

    @Test
    void percentilesAreThoseOfAllRequestsOfAHalf() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        report();
        assertThat(rows("periods.csv")).filteredOn(row -> row.get("arm").equals("ladder")).hasSize(2).allSatisfy(row -> {
            assertThat(Double.parseDouble(row.get("second_request_p50"))).isCloseTo(0.06, within(0.004));
            assertThat(Double.parseDouble(row.get("second_request_p95"))).isCloseTo(3 * 0.06, within(0.012));
            double slow = Double.parseDouble(row.get("second_request_p99"));
            assertThat(slow).as("of 15 s, in which the slow ones differ").isGreaterThan(Double.parseDouble(row.get("second_request_p95")));
            assertThat(Double.parseDouble(row.get("second_request_max"))).isBetween(slow, 3 * 0.06 * 1.2);
        });
        assertThat(page()).contains("those of all requests (a page with its files) of a part together", "longest request");
    }

    @Test
    void aLineOfRequestsThatWasCutShortDoesNotCount() throws IOException {
        Stored.of(folder, Stored.plan("off", 1)).arm(Arm.OFF, OFF);
        Path file = folder.resolve("r1-llcprobe-off").resolve(Recording.CLIENT).resolveSibling(RequestTimes.FILE);
        List<String> lines = new ArrayList<>(TextFiles.lines(file));
        String last = lines.remove(lines.size() - 1);
        TextFiles.write(file, TextFiles.joined(lines) + last.substring(0, last.length() - 1));
        report();
        assertThat(rows("quiet.csv")).extracting(row -> row.get("request_p95").isEmpty()).containsExactly(false, false, true);
    }

    @Test
    void thePageHasEverythingInItAndEachReconfigurationLeadsToItsReason() throws IOException {
        Stored.of(folder, Stored.plan("off,paper-online,paper-graceful,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.PAPER_ONLINE, GOOD).arm(Arm.PAPER_GRACEFUL, BLIND).arm(Arm.LADDER, GOOD);
        report();
        String page = page();
        assertThat(page).contains("-32\u00a0to\u00a0-40\u00a0%", "20-25 % faster", "level 1, workers 200, keep-alive 1500ms", ">level 1</text>", "<a href=\"#r1-llcprobe-ladder-1\"",
                "<details id=\"r1-llcprobe-ladder-1\"", "interference is confirmed &amp; &lt;the neighbour&gt; is there", "made up",
                "IC\u00b2 changed nothing, so that is not its doing. It did: nothing; it noticed none of 2 episodes.").doesNotContain("NaN", "src=", "http://localhost", "<link",
                folder.toString());
        assertThat(page.split("href=\"#").length).isEqualTo(page.split("<details id").length);
        assertThat(page).as("what it believed").contains("ladder: it believes", "<title>interference</title>").doesNotContain("off: it believes");
        assertThat(List.of(page.split("role=\"img\"")).stream().skip(1)).isNotEmpty().as("no link is inside of a picture").allMatch(part ->
                !part.contains("<a ") || part.indexOf("</svg>") < part.indexOf("<a "));
        assertThat(Files.readString(folder.resolve("summary.md"))).contains("| ladder | llcprobe | one run | 2 |");
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"noticed\" : 2").doesNotContain("NaN");
    }

    @Test
    void againGivesTheSameBytes() throws IOException {
        Stored.of(folder, Stored.plan("off,paper-graceful,ladder", 2)).arm(Arm.OFF, OFF).arm(Arm.PAPER_GRACEFUL, STARVING).arm(Arm.LADDER, GOOD);
        report();
        Map<String, String> first = contents();
        for (String name : first.keySet()) {
            Files.delete(folder.resolve(name));
        }
        report();
        assertThat(contents()).isEqualTo(first).containsKeys("report.html", "periods.csv", "quiet.csv", "summary.json", "summary.md");
    }

    private Map<String, String> contents() throws IOException {
        try (var files = Files.list(folder)) {
            Map<String, String> contents = new java.util.TreeMap<>();
            for (Path file : files.filter(Files::isRegularFile).filter(file -> !file.endsWith(PlanJson.FILE)).toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
            return contents;
        }
    }

    @Test
    void aLowMeanOfThoseWhoWereServedIsCalledStarvation() throws IOException {
        Stored.of(folder, Stored.plan("off,paper-online", 5)).arm(Arm.OFF, OFF).arm(Arm.PAPER_ONLINE, STARVING);
        assertThat(report()).contains("16 % more: it made it worse (95 % interval +",
                "Beware: users starved: the mean of completed requests fell by 50 %, but throughput fell by 15 %",
                "the longest wait rose from 1.5 s to 14.0 s");
        assertThat(page()).contains("class=\"bad\">users\u00a0starved", "<p>paper-online, llcprobe, rest: users starved: the mean of completed requests fell by 50 %");
        assertThat(rows("periods.csv")).allMatch(row -> row.get("starved").equals(Boolean.toString(row.get("arm").equals("paper-online"))));
    }

    @Test
    void periodsOfOneRunMakeNoIntervalHoweverMany() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        report();
        Comparison comparison = Comparison.read(folder);
        assertThat(comparison.count(Arm.LADDER, "llcprobe", EpisodePart.REST)).isEqualTo(2);
        assertThat(comparison.change(Arm.LADDER, "llcprobe", EpisodePart.REST, "response_time").known()).isFalse();
        assertThat(comparison.effect(Arm.LADDER, "llcprobe", EpisodePart.REST, "response_time")).isEqualTo(Effect.ONE_RUN);
        assertThat(Files.readString(folder.resolve("summary.md"))).contains("| ladder | llcprobe | one run | 2 |", "% (one run)");
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"effect\" : \"one run\"", "\"machines\" : [ \"made up\" ]");
    }

    @Test
    void anArmWithoutAnActionHasNoEffect() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 5)).arm(Arm.OFF, OFF).arm(Arm.LADDER, new Behaviour(Level.MENDED, 0));
        report();
        Comparison comparison = Comparison.read(folder);
        assertThat(comparison.change(Arm.LADDER, "llcprobe", EpisodePart.REST, "response_time").less()).isTrue();
        assertThat(comparison.effect(Arm.LADDER, "llcprobe", EpisodePart.REST, "response_time")).isEqualTo(Effect.NO_ACTION);
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"acted\" : false", "\"effect\" : \"no action\"");
    }

    @Test
    void anEffectNeedsAnIntervalWithoutZero() throws IOException {
        Stored.of(folder, Stored.plan("off,paper-online,ladder", 5)).arm(Arm.OFF, OFF).arm(Arm.PAPER_ONLINE, new Behaviour(Level.UNDER_INTERFERENCE, 3)).arm(Arm.LADDER, GOOD);
        Comparison comparison = Comparison.read(folder);
        assertThat(comparison.effect(Arm.LADDER, "llcprobe", EpisodePart.REST, "interactive_response_time")).isEqualTo(Effect.LESS);
        assertThat(comparison.effect(Arm.LADDER, "llcprobe", EpisodePart.REST, "throughput")).isEqualTo(Effect.MORE);
        assertThat(comparison.effect(Arm.PAPER_ONLINE, "llcprobe", EpisodePart.REST, "throughput")).as("0 % (0 to 0)").isEqualTo(Effect.NOT_TOLD);
    }

    @Test
    void aRunsPeriodsAreAddedUpAndNotAveraged() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        Comparison comparison = Comparison.read(folder);
        List<InterferenceEpisode> episodes = comparison.episodes(Arm.LADDER, Comparison.ALL);
        double waited = episodes.stream().mapToDouble(one -> one.rest().get("interactive_response_time") * one.rest().get("throughput")).sum();
        double done = episodes.stream().mapToDouble(one -> one.rest().get("throughput")).sum();
        assertThat(comparison.mean(Arm.LADDER, Comparison.ALL, EpisodePart.REST, "interactive_response_time")).isCloseTo(waited / done, within(1e-9));
    }

    @Test
    void armsWithoutAnAgentAreComparedAndTheHeadlineIsOfTheAgent() throws IOException {
        ComparePlan like = Stored.plan("off,ladder", 1);
        Stored.of(folder, new ComparePlan(List.of(Arm.OFF, Arm.OFF_AGAIN, Arm.LADDER, Arm.ALWAYS_3), like.neighbours(), like.placement(), 1,
                like.length(), like.on(), like.off(), like.firstHalf(), like.settle(), like.users(), like.seed(), like.agents(),
                like.subject())).arm(Arm.OFF, OFF).arm(Arm.OFF_AGAIN, OFF).arm(Arm.LADDER, GOOD).arm(Arm.ALWAYS_3, GOOD);
        assertThat(report()).contains("Arm ladder (the ladder as shipped): users waited 0.06", "90 % less (one run");
        assertThat(page()).contains("always-on-3: level 3 all the time, without an agent: ", "Arm always-on-3 (level 3 all the time, without an agent): users waited 0.06", "off-again: IC\u00b2 off, measured once more")
                .doesNotContain("NaN", "null");
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"arm\" : \"off-again\"", "\"arm\" : \"always-on-3\"");
        assertThat(rows("periods.csv")).filteredOn(row -> row.get("arm").equals("always-on-3")).isNotEmpty()
                .allMatch(row -> row.get("onset_noticed_after").isEmpty() && row.get("agent_cpu").isEmpty());
    }

    @Test
    void anAgentThatChangedNothingHadNoEffect() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 5)).arm(Arm.OFF, OFF).arm(Arm.LADDER, new Behaviour(Level.MENDED, 0));
        assertThat(report()).contains("With IC\u00b2: users waited 0.06", "; IC\u00b2 changed nothing, so that is not its doing.")
                .doesNotContain("less", "more", "worse");
    }

    @Test
    void anAgentThatCouldNotLearnOnABusyMachineIsSaidToHaveMeasuredNothing() throws IOException {
        ComparePlan plan = Stored.plan("off,ladder", 1);
        Stored stored = Stored.of(folder, plan).arm(Arm.OFF, OFF).arm(Arm.LADDER, BLIND);
        PlannedRun slot = plan.slots().stream().filter(one -> one.arm() == Arm.LADDER).findFirst().orElseThrow();
        String said = "It did: nothing; it noticed none of 2 episodes. This machine was too busy to measure: the web tier waited";
        stored.machine(slot, 0.31);
        stored.steal(slot, 12, 0.5);
        assertThat(report()).contains(said);
        stored.steal(slot, 20, 0.5);
        assertThat(report()).as("there were samples to learn from").doesNotContain("too busy");
        stored.steal(slot, 12, 0.5);
        stored.machine(slot, 0.02);
        assertThat(report()).as("nobody else used the machine").doesNotContain("too busy");
    }

    @Test
    void theReportBeginsWithTheOutcomeThenThePictureThenWhatItShows() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        report();
        assertThat(page()).containsSubsequence("<dt>Without IC\u00b2</dt><dd>users waited", "<dt>With IC\u00b2</dt>", "<dt>It did</dt>",
                "<dt>It cost</dt>", "<svg", "without IC\u00b2", "with IC\u00b2", "</svg>", "What you see", "<h2>For engineers</h2>", "<table>");
    }

    @Test
    void theBandOfWhatAnAgentBelievedIsTrueFromTheFirstSecond() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, BLIND);
        Recording silent = Comparison.read(folder).recordings().stream().filter(one -> one.slot().arm() == Arm.LADDER).findFirst().orElseThrow();
        assertThat(RunChart.states(silent)).as("nothing was said").isEmpty();
        Path journal = folder.resolve(silent.slot().id()).resolve(Event.FILE);
        String line = "{\"time\":\"%s\",\"kind\":\"decision\",\"action\":\"HOLD\",\"reason\":\"\",\"decision\":{\"state\":\"%s\"}}\n";
        Files.writeString(journal, line.formatted(silent.from().minusSeconds(9), "NI2") + line.formatted(silent.from().minusSeconds(2), "T")
                + line.formatted(silent.from().plusSeconds(30), "I2"));
        Recording told = Recording.read(folder, silent.slot()).orElseThrow();
        assertThat(RunChart.states(told)).extracting(part -> part.from() + "-" + part.to() + " " + part.text())
                .containsExactly("0.0-30.0 not sure", "30.0-100.0 interference");
    }

    @Test
    void harmIsCalledHarm() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 5)).arm(Arm.OFF, OFF).arm(Arm.LADDER, WORSE);
        assertThat(report()).contains("50 % more: it made it worse (95 % interval +");
    }

    @ParameterizedTest
    @CsvSource({"100, nothing that can be told from noise", "99.4, less than 1 %", "95, something"})
    void costWithoutInterferenceIsReported(double throughput, String cost) throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 5)).arm(Arm.OFF, OFF).arm(Arm.LADDER, new Behaviour(new Level(0.03, throughput, 2, 0.1),
                Level.MENDED, 3));
        assertThat(report()).contains("without interference it cost " + cost + " (response time");
    }

    @Test
    void nothingNoticedIsSaid() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 2)).arm(Arm.OFF, OFF).arm(Arm.LADDER, BLIND);
        assertThat(report()).contains("IC\u00b2 changed nothing, so that is not its doing. It did: nothing; it noticed none of 4 episodes.")
                .doesNotContain("less", "more");
    }

    @Test
    void aMissingRunIsNamedAndTheRestIsCompared() throws IOException {
        ComparePlan plan = Stored.plan("off,ladder", 2);
        Stored stored = Stored.of(folder, plan).arm(Arm.OFF, OFF);
        stored.run(new PlannedRun(1, "llcprobe", Arm.LADDER), GOOD, 100);
        assertThat(report()).contains("(one run", "Beware: 1 run of 4 is missing.");
        assertThat(page()).contains("run r2-llcprobe-ladder is missing");
    }

    @Test
    void withoutAnyRunOfAnArmThereIsNothingToCompare() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF);
        assertThat(report()).contains("No episode of interference with IC\u00b2 was measured.", "is missing");
        Stored.of(folder, Stored.plan("ladder", 1)).arm(Arm.LADDER, GOOD);
        assertThat(report()).contains("nothing can be compared. It did: acted after 3.0 s");
        assertThat(page()).contains("the arm off was not asked for").doesNotContain("NaN");
    }

    @Test
    void oneArmAloneHasItsFigures() throws IOException {
        Stored.of(folder, Stored.plan("off", 1)).arm(Arm.OFF, OFF);
        assertThat(report()).contains("Only the baseline was measured, over 2 episodes", "0.030 s without interference");
        assertThat(page()).contains("arm by arm").doesNotContain("NaN");
    }

    @Test
    void aNeighbourThatComesInTheLastMomentIsNoEpisode() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        Path place = folder.resolve("r1-llcprobe-ladder");
        Run run = RunFolder.read(place);
        List<Switch> switches = new ArrayList<>(run.switches());
        Switch last = switches.remove(switches.size() - 1);
        assertThat(last.on()).isTrue();
        switches.add(new Switch(last.time().minusMillis(60), true, last.program(), last.placement()));
        RunFolder.writeFacts(place.resolve(RunFolder.FACTS), new Run(run.id(), run.interval(), run.baseline(), switches,
                run.facts(), run.samples()));
        assertThat(report()).contains("90 % less (one run");
        assertThat(Comparison.read(folder).count(Arm.LADDER, "llcprobe", EpisodePart.REST)).isEqualTo(2);
        assertThat(page()).doesNotContain("cut short");
        assertThat(Comparison.read(folder).episodes()).hasSize(2 * 2);
    }

    @Test
    void aPeriodThatWasCutShortCountsOnlyWhereItIsWhole() throws IOException {
        Stored stored = Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF);
        stored.run(new PlannedRun(1, "llcprobe", Arm.LADDER), GOOD, 70);
        report();
        assertThat(page()).contains("run r1-llcprobe-ladder ended too early (after 70 s: interrupted)",
                "episode 2 of run r1-llcprobe-ladder was cut short after 10 s");
        Comparison comparison = Comparison.read(folder);
        assertThat(comparison.count(Arm.LADDER, "llcprobe", EpisodePart.FIRST)).isEqualTo(2);
        assertThat(comparison.count(Arm.LADDER, "llcprobe", EpisodePart.REST)).isEqualTo(1);
    }

    @Test
    void saysOfWhichApplicationAndServerTheFiguresAre() throws IOException {
        Stored.of(folder, Stored.plan("off,ladder", 1)).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        report();
        assertThat(Files.readString(folder.resolve("summary.md"))).contains("Measured on our own application (olio) on the patched httpd; machine: made up. "
                + "The load was that of the profile public, with 7.0 % of the operations anonymous.");
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"anonymous_share\" : 0.07,", "\"profile\" : \"public\"");
        TextFiles.write(folder.resolve(PlanJson.FILE), Files.readString(folder.resolve(PlanJson.FILE)).replace("\"public\"", "\"olio\""));
        report();
        assertThat(page()).contains("that of the profile olio, with");
        TextFiles.write(folder.resolve(PlanJson.FILE), Files.readString(folder.resolve(PlanJson.FILE))
                .replace("\"olio\"", "\"wordpress\"").replace("\"patched\"", "\"stock\""));
        report();
        assertThat(Files.readString(folder.resolve("report.html"))).contains("Measured on Debian's WordPress on Debian's own httpd");
        assertThat(Files.readString(folder.resolve("summary.json"))).contains("\"application\" : \"wordpress\"", "\"server\" : \"stock\"");
    }

    @Test
    void loadAloneMustMoveNothing() throws IOException {
        ComparePlan like = Stored.plan("off,ladder", 1);
        ComparePlan plan = new ComparePlan(like.arms(), List.of(), "same-core", 5, like.length(), like.on(), like.off(),
                like.firstHalf(), like.settle(), 150, 1, like.agents(), like.subject());
        Stored.of(folder, plan).arm(Arm.OFF, OFF).arm(Arm.LADDER, GOOD);
        assertThat(report()).isEqualTo("Outcome: With 150 users, no neighbour, and with IC\u00b2, nothing was changed in 8 minutes; "
                + "without interference it cost nothing that can be told from noise (response time " + changeWithout("response_time")
                + ", throughput 0 % (0 to 0)).");
        assertThat(rows("periods.csv")).isEmpty();
        assertThat(rows("quiet.csv")).hasSize(5 * 2 * 5);
    }

    private String changeWithout(String figure) throws IOException {
        return Words.percent(Comparison.read(folder).changeWithout(Arm.LADDER, figure));
    }

    @Test
    void aFolderThatIsNoComparisonIsRefused() {
        assertThatThrownBy(this::report).isInstanceOf(IOException.class).hasMessageContaining("ic2-train compare");
    }
}

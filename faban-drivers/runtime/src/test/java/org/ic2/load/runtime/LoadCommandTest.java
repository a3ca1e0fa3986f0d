// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ic2.load.http.TestServer;
import org.ic2.load.olio.FakeOlio;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.UsageMessageSpec;

@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LoadCommandTest {
    private static final Path TEMPLATE = Path.of("../driver/src/main/faban/META-INF/run.xml");

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int ic2Load(boolean terminal, String... arguments) {
        return LoadCommand.execute(arguments, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8), terminal);
    }

    private String runXml(int port) throws IOException {
        String xml = Files.readString(TEMPLATE).replace("<port>8080<", "<port>" + port + "<")
                .replace("cycleMean\">5000<", "cycleMean\">200<").replace("build/load", folder.resolve("runs").toString());
        return Files.writeString(folder.resolve("run.xml"), xml).toString();
    }

    @Test
    void theListOfVerbsHasAWholeSentenceForEach() {
        LoadCommand.commands(System.out, System.err, false).getSubcommands().forEach((verb, line) -> {
            UsageMessageSpec usage = line.getCommandSpec().usageMessage();
            assertThat((usage.header().length > 0 ? usage.header() : usage.description())[0]).as(verb).endsWith(".");
        });
    }

    @Test
    void runsTheOlioDriverFromItsTemplate() throws IOException {
        try (TestServer server = new TestServer(new FakeOlio())) {
            assertThat(ic2Load(false, "run", "-f", runXml(server.port()), "--users", "40", "--ramp-up", "3", "--steady", "9s",
                    "--ramp-down", "3000ms", "--runtime-stats", "3s", "--seed", "9")).as(err.toString()).isZero();
        }
        Path run = folder.resolve("runs/1");
        assertThat(run).isDirectoryContaining("glob:**summary.xml").isDirectoryContaining("glob:**detail.xan");
        assertThat(Files.readString(run.resolve("agent.log"))).as("failed operations").isEmpty();
        List<String> rows = Files.readAllLines(run.resolve("intervals.csv"));
        assertThat(rows).hasSize(6);
        assertThat(rows.get(0)).isEqualTo(IntervalCsv.HEADER);
        // at the end: no leak, pages of which none was stored, anonymous operations, files of which none was asked for again, pages without
        // an age and with all their parts
        assertThat(rows.subList(2, 5)).allMatch(row -> row.matches("[0-9.]+,[0-9.]+,steady,40,[0-9.]+,.*,0,[1-9][0-9]*,0,0\\.000,[1-9][0-9.]*,[1-9][0-9]*,0,,0\\.000,0"));
        List<String> operations = Files.readAllLines(run.resolve("operations.csv"));
        assertThat(operations).hasSize(1 + 5 * 7).startsWith(OperationsCsv.HEADER);
        assertThat(operations).filteredOn(row -> row.contains(",steady,TagSearch,")).hasSize(3)
                .allMatch(row -> row.matches("[0-9.]+,[0-9.]+,steady,TagSearch,[0-9.]+(,[0-9.]+){5},0"));
        List<String> times = Files.readAllLines(run.resolve("response-times.csv"));
        assertThat(times).hasSize(6).startsWith(ResponseTimesCsv.HEADER);
        assertThat(times.subList(2, 5)).allMatch(row -> row.matches("[0-9.]+,[0-9.]+,steady,[0-9.]+,[0-9]+:[0-9]+( [0-9]+:[0-9]+)*,[1-9][0-9]*"));
        assertThat(times.stream().map(row -> row.split(",")[1])).as("intervals are found by what had elapsed")
                .isEqualTo(rows.stream().map(row -> row.split(",")[1]).toList());
        assertThat(out.toString()).containsPattern("dumpStats - 1[5-7]\\.\\d\\ds - OlioDriver: HomePage/Login/TagSearch/"
                + "EventDetail/PersonDetail/AddPerson/AddEvent CThru=").contains("steady state 9 s");
    }

    @Test
    void showsAProgressLineOnATerminal() throws IOException {
        try (TestServer server = new TestServer(new FakeOlio())) {
            assertThat(ic2Load(true, "run", "-f", runXml(server.port()), "--users", "5", "--ramp-up", "0", "--steady", "2",
                    "--ramp-down", "0", "--runtime-stats", "1s", "--out", folder.resolve("here").toString(), "--interactive",
                    folder.resolve("my.csv").toString())).isZero();
        }
        assertThat(err.toString()).contains("\r\033[Ksteady ").contains("5 users").contains("N/X-Z").contains("lag");
        assertThat(out.toString()).as("the log is in the file, not between the progress lines").doesNotContain("dumpStats");
        assertThat(folder.resolve("my.csv")).isRegularFile();
        assertThat(folder.resolve("here/intervals.csv")).doesNotExist();
    }

    @Test
    void endsWithOneWhenNothingSucceeded() throws IOException {
        TestServer gone = new TestServer(new FakeOlio());
        gone.close();
        assertThat(ic2Load(false, "run", "-f", runXml(gone.port()), "--users", "2", "--ramp-up", "0", "--steady", "1",
                "--ramp-down", "0")).isEqualTo(1);
        assertThat(err.toString()).contains("no operation succeeded").contains("agent.log");
        List<String> errors = Files.readAllLines(folder.resolve("runs/1/errors.csv"));
        assertThat(errors).startsWith(ErrorsCsv.HEADER);
    }

    @Test
    void endsWithTwoOnBadUsageOrConfiguration() throws IOException {
        String file = runXml(8080);
        assertThat(ic2Load(false)).isEqualTo(2);
        assertThat(ic2Load(false, "run")).isEqualTo(2);
        assertThat(ic2Load(false, "run", "-f", file, "--steady", "soon")).isEqualTo(2);
        assertThat(err.toString()).contains("expected a time such as");
        refused("/nowhere.xml", "-f", "/nowhere.xml");
        refused("--users: expected 1..5000, got 0", "-f", file, "--users", "0");
        refused("--runtime-stats: expected at least 100ms", "-f", file, "--runtime-stats", "1ms");
        refused("--open: expected operations per second in 0.01..10000.0, got 0.0", "-f", file, "--open", "0");
        refused("--open: expected operations per second in 0.01..10000.0, got NaN", "-f", file, "--open", "NaN");
        refused("--keep-alive: expected on or off, got maybe", "-f", file, "--keep-alive", "maybe");
        refused("--steady: expected more than 0", "-f", file, "--steady", "0");
        Files.writeString(Path.of(file), Files.readString(TEMPLATE).replace(">eager<", ">sometimes<"));
        refused("/olio/client/closeDetection: expected eager or lazy, got sometimes", "-f", file, "--out",
                folder.resolve("x").toString());
        Files.writeString(Path.of(file), Files.readString(TEMPLATE).replace(">5000<", ">fast<"));
        refused("cycleMean: expected milliseconds", "-f", file);
        Files.writeString(Path.of(file), Files.readString(TEMPLATE).replace(">CYCLETIME<", ">SOMETIME<"));
        refused("cycleType: expected CYCLETIME or THINKTIME, got SOMETIME", "-f", file);
        Files.writeString(Path.of(file), Files.readString(TEMPLATE).replace("olio.OlioDriver", "olio.Nothing"));
        refused("expected a driver class on the class path", "-f", file);
    }

    private void refused(String message, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "run";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        err.reset();
        assertThat(ic2Load(false, all)).isEqualTo(2);
        assertThat(err.toString()).contains("ic2-load: ").contains(message);
    }

    @Test
    void neverWritesIntoTheFolderOfAnotherRun() throws IOException {
        Path used = Files.createDirectories(folder.resolve("used"));
        Files.writeString(used.resolve("driver.log"), "of another run\n");
        refused("expected a folder without a run, found driver.log", "-f", runXml(8080), "--out", used.toString());
        assertThat(used.resolve("driver.log")).hasContent("of another run\n");
    }

    @Test
    void theLauncherSaysWhenItHasNoJava() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home/bin")).getParent();
        Files.createFile(Files.createDirectories(home.resolve("lib")).resolve("ic2-load.jar"));
        Path launcher = Files.copy(Path.of("../../bin/ic2-load"), home.resolve("bin/ic2-load"));
        ProcessBuilder command = new ProcessBuilder("sh", launcher.toString(), "run", "--help").redirectErrorStream(true);
        command.environment().put("JAVA", "/nowhere/java");
        Process process = command.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(2);
        assertThat(said).startsWith("ic2-load: /nowhere/java not found; install").hasLineCount(1);
    }

    @Test
    void explainsItself() {
        assertThat(ic2Load(false, "--help")).isZero();
        assertThat(ic2Load(false, "run", "--help")).isZero();
        assertThat(out.toString()).contains("not Faban").contains("--runtime-stats").contains("Exit codes");
    }
}

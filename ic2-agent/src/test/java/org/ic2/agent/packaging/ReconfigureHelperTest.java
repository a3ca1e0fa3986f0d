// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.runtime.testing.Waiting;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The root helper accepts integers for listed names, within bounds, and nothing else. */
class ReconfigureHelperTest {

    private static final Path HELPER = Path.of("../packaging/ic2-reconfigure").toAbsolutePath();

    @TempDir
    private Path directory;

    private Path called;
    private Path apachectl;

    /** With a file as it was before there were bounds. */
    @BeforeEach
    void place() throws IOException {
        called = directory.resolve("called");
        apachectl = directory.resolve("apachectl");
        Files.writeString(apachectl, "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + called + "\necho done\n");
        Files.setPosixFilePermissions(apachectl, PosixFilePermissions.fromString("rwxr-xr-x"));
        configure("APACHECTL=" + apachectl + "\nVARIABLES=\"MITIGATION PHPPOOL\"\n");
    }

    private void configure(String text) throws IOException {
        Files.writeString(directory.resolve("conf"), text);
    }

    private String helper(String input, String... arguments) throws Exception {
        return run(input, command(arguments));
    }

    private static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(HELPER.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private Process started(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("IC2_RECONFIGURE_CONF", directory.resolve("conf").toString());
        builder.environment().put("IC2_RECONFIGURE_ORDERS", directory.resolve("run/orders").toString());
        return builder.start();
    }

    private String run(String input, List<String> command) throws Exception {
        Process process = started(command);
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void passesIntegersOfListedNamesOn() throws Exception {
        assertThat(helper("MaxRequestWorkers=400 KeepAliveTimeout=15000ms MITIGATION=2\n")).isEqualTo("done\nstatus 0\n");
        assertThat(called).hasContent("reconfigure\nMaxRequestWorkers=400\nKeepAliveTimeout=15000ms\nMITIGATION=2\n");
        assertThat(helper("", "PHPPOOL=400")).endsWith("status 0\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MaxRequestWorkers", "MaxRequestWorkers=", "MaxRequestWorkers=-1", "MaxRequestWorkers=4e2",
        "MaxRequestWorkers=400;id", "MaxRequestWorkers=$(id)", "KeepAliveTimeout=15", "KeepAliveTimeout=15s",
        "OTHER=1", "MITIGATION=1 -k=1", "-k stop", "MITIGATION=99999999999", "ServerRoot=/x", "* *",
        "MITIGATION=1 MITIGATION=1 MITIGATION=1 MITIGATION=1 MITIGATION=1 MITIGATION=1 MITIGATION=1 MITIGATION=1 MITIGATION=1"})
    void refusesEverythingElseWithoutRunningAnything(String line) throws Exception {
        assertThat(helper(line + "\n")).endsWith("status 2\n");
        assertThat(called).doesNotExist();
    }

    @Test
    void reportsTheCommandsOwnFailure() throws Exception {
        Files.writeString(directory.resolve("apachectl"), "#!/bin/sh\necho 'MaxRequestWorkers: above the limit'\nexit 1\n");
        assertThat(helper("MaxRequestWorkers=400\n")).isEqualTo("MaxRequestWorkers: above the limit\nstatus 1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MaxRequestWorkers=25", "MaxRequestWorkers=20001", "KeepAliveTimeout=1ms",
        "KeepAliveTimeout=120001ms", "MITIGATION=65535", "PHPPOOL=65536"})
    void withoutBoundsInTheFileThereAreDefaults(String assignment) throws Exception {
        assertThat(helper(assignment + "\n")).startsWith("ic2-reconfigure: " + assignment + " is outside its bounds ")
                .contains(directory.resolve("conf").toString()).endsWith("status 2\n").hasLineCount(2);
        assertThat(called).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"MaxRequestWorkers=200..400, MaxRequestWorkers=200 MaxRequestWorkers=400, MaxRequestWorkers=199 MaxRequestWorkers=401",
        "KeepAliveTimeout=500ms..30s, KeepAliveTimeout=500ms KeepAliveTimeout=30000ms, KeepAliveTimeout=499ms KeepAliveTimeout=30001ms",
        "MITIGATION='1..2'   # a comment, MITIGATION=1 MITIGATION=2, MITIGATION=0 MITIGATION=3",
        "PHPPOOL=\"50..400\", PHPPOOL=50 PHPPOOL=400, PHPPOOL=49 PHPPOOL=401"})
    void aValueOutsideItsBoundsIsRefusedByFileNameValueAndBounds(String bounds, String inside, String outside) throws Exception {
        configure("# ours\n\nAPACHECTL=" + apachectl + "\nVARIABLES=\"MITIGATION PHPPOOL\"\n  " + bounds + "\n");
        for (String assignment : inside.split(" ")) {
            assertThat(helper(assignment + "\n")).endsWith("status 0\n");
        }
        Files.delete(called);
        String shown = bounds.replaceAll("^.*=|['\"]| *#.*", "");
        for (String assignment : outside.split(" ")) {
            assertThat(helper("MITIGATION=1 " + assignment + "\n")).isEqualTo("ic2-reconfigure: " + assignment
                    + " is outside its bounds " + shown + " of " + directory.resolve("conf") + ":5\nstatus 2\n");
        }
        assertThat(called).as("not even in part").doesNotExist();
    }

    @Test
    void saysWhatItAllows() throws Exception {
        configure("VARIABLES=MITIGATION\nMaxRequestWorkers=200..400\nKeepAliveTimeout=5s..30s\nMITIGATION=0..4\n");
        assertThat(helper("bounds\n")).isEqualTo("MaxRequestWorkers 200 400\nKeepAliveTimeout 5000 30000\nMITIGATION 0 4\nstatus 0\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MaxRequestWorkers=200", "MaxRequestWorkers=400..200", "MaxRequestWorkers=..400", "MaxRequestWorkers=2..4..6",
        "KeepAliveTimeout=5..30", "KeepAliveTimeout=s..30s", "Maxrequestworkers=200..400", "MITIGATION=$(id)", "export A=1",
        "VARIABLES", "touch called"})
    void aBadLineOfTheFileIsNamedAndNothingRuns(String line) throws Exception {
        configure("APACHECTL=" + apachectl + "\n" + line + "\n");
        assertThat(helper("MITIGATION=1\n")).startsWith("ic2-reconfigure: " + directory.resolve("conf") + ":2: ")
                .contains("expected").contains(line.replaceAll("^.*=", "")).endsWith("status 2\n").hasLineCount(2);
        assertThat(called).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MaxRequestWorkers=400", "MaxRequestWorkers=40\0000", "MITIGATION=1 "})
    void aLineWithoutItsEndMayHaveBeenCutShortAndIsNotRun(String line) throws Exception {
        assertThat(helper(line)).endsWith("status 2\n");
        assertThat(called).doesNotExist();
    }

    @Test
    void theCommandMayHaveWordsOfItsOwn() throws Exception {
        configure("APACHECTL=\"" + apachectl + " -k\"\n");
        assertThat(helper("MITIGATION=1\n")).endsWith("status 0\n");
        assertThat(called).hasContent("-k\nreconfigure\nMITIGATION=1\n");
    }

    /** Debian's script looks at all its arguments as one word, and hands on to httpd what is none of its own. */
    @Test
    void theShippedCommandWorksWithDebiansOwnApachectl() throws Exception {
        Files.writeString(apachectl, """
                #!/bin/sh
                case "$*" in
                    start | stop | restart | graceful | graceful-stop | configtest | status | fullstatus) exit 9 ;;
                    *) printf '%s\\n' httpd "$@" >CALLED ;;
                esac
                """.replace("CALLED", called.toString()));
        String shipped = Files.readString(HELPER.resolveSibling("reconfigure.conf"));
        assertThat(shipped).contains("\nAPACHECTL=\"/usr/sbin/apachectl -k\"\n");
        configure(shipped.replace("/usr/sbin/apachectl", apachectl.toString()));
        assertThat(helper("MITIGATION=1\n")).endsWith("status 0\n");
        assertThat(called).hasContent("httpd\n-k\nreconfigure\nMITIGATION=1\n");
    }

    /** As the unit runs it: where root owns the file of tunables, root without any capability is enough. */
    @Test
    @EnabledIf("rootWithHttpd")
    void changesARealHttpdWithoutAnyCapability() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (RealHttpd httpd = new RealHttpd(Files.createDirectory(directory.resolve("httpd")))) {
            configure("APACHECTL=" + httpd.apachectl() + "\n");
            assertThat(run("MITIGATION=3\n", List.of("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs",
                    HELPER.toString()))).contains("MITIGATION: 0 -> 3").endsWith("status 0\n");
        }
    }

    static boolean rootWithHttpd() {
        return "root".equals(System.getProperty("user.name")) && RealHttpd.built();
    }

    @Test
    void anOrderThatComesLateIsRefusedAndOneWithoutANumberIsNot() throws Exception {
        assertThat(helper("order=7 MITIGATION=0\n")).isEqualTo("done\nstatus 0\n");
        Files.delete(called);
        for (String late : List.of("order=6 MITIGATION=3\n", "order=7 MITIGATION=3\n")) {
            assertThat(helper(late)).contains("is late, the last one was 7").endsWith("status 3\n");
        }
        for (String bad : List.of("order= MITIGATION=1\n", "order=-1 MITIGATION=1\n", "order=8\n",
                "order=1234567890123456789 MITIGATION=1\n", "MITIGATION=1 order=8\n")) {
            assertThat(helper(bad)).as(bad).endsWith("status 2\n");
        }
        assertThat(called).doesNotExist();
        assertThat(helper("", "MITIGATION=1")).endsWith("status 0\n");
        assertThat(helper("order=8 MITIGATION=0\n")).endsWith("status 0\n");
    }

    @Test
    void aNewerOrderEndsAHangingCommandAndItsChildren() throws Exception {
        Files.writeString(directory.resolve("apachectl"), """
                #!/bin/sh
                [ "$2" = MITIGATION=0 ] || { : >%1$s.begun; sh -c 'sleep 60; :'; }
                echo "$2" >>%1$s
                """.formatted(called));
        Process hung = started(command("order=1", "MITIGATION=3"));
        Waiting.until("the command", () -> Files.exists(directory.resolve("called.begun")));
        assertThat(helper("order=2 MITIGATION=0\n")).isEqualTo("status 0\n");
        assertThat(hung.waitFor()).isEqualTo(137);
        assertThat(called).hasContent("MITIGATION=0\n");
    }
}

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The root helper accepts integers for listed names and nothing else. */
class ReconfigureHelperTest {

    private static final Path HELPER = Path.of("../packaging/ic2-reconfigure").toAbsolutePath();

    @TempDir
    private Path directory;

    private Path called;

    @BeforeEach
    void place() throws IOException {
        called = directory.resolve("called");
        Path apachectl = directory.resolve("apachectl");
        Files.writeString(apachectl, "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + called + "\necho done\n");
        Files.setPosixFilePermissions(apachectl, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(directory.resolve("conf"), "APACHECTL=" + apachectl + "\nVARIABLES=\"MITIGATION PHPPOOL\"\n");
    }

    private String helper(String input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(HELPER.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("IC2_RECONFIGURE_CONF", directory.resolve("conf").toString());
        Process process = builder.start();
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
}

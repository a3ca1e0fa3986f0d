// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What the Debian package brings, and what its scripts do when it is installed, upgraded and removed. */
@EnabledIf("dpkgInstalled")
class DebianPackageTest {

    private static final Path PACKAGE = Path.of("src/main/package").toAbsolutePath();

    @TempDir
    private Path directory;

    private Path root;
    private Path scripts;
    private Path calls;

    static boolean dpkgInstalled() {
        return Files.isExecutable(Path.of("/usr/bin/dpkg-deb"));
    }

    /** Packs a tree in which only what is compiled is a stand-in, and puts commands that only note their call before PATH. */
    @BeforeEach
    void pack() throws Exception {
        Path module = directory.resolve("ic2/ic2-agent");
        Path copy = module.resolve("src/main/package");
        try (Stream<Path> files = Files.walk(PACKAGE)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                copy(file, copy.resolve(PACKAGE.relativize(file).toString()));
            }
        }
        copy(Path.of("../bin/ic2"), directory.resolve("ic2/bin/ic2"));
        copy(Path.of("../LICENSE"), directory.resolve("ic2/LICENSE"));
        Files.createDirectories(module.resolve("target/man"));
        for (String compiled : List.of("ic2.jar", "ic2-memlat", "man/ic2.1")) {
            Files.writeString(module.resolve("target").resolve(compiled), "stand-in\n");
        }
        run(Map.of(), copy.resolve("make-deb").toString(), "1.2.3");
        Path deb;
        try (Stream<Path> files = Files.list(module.resolve("target"))) {
            deb = files.filter(file -> file.toString().endsWith(".deb")).findFirst().orElseThrow();
        }
        root = directory.resolve("root");
        scripts = directory.resolve("scripts");
        run(Map.of(), "dpkg-deb", "-x", deb.toString(), root.toString());
        run(Map.of(), "dpkg-deb", "-e", deb.toString(), scripts.toString());
        Files.createDirectories(root.resolve("run/systemd/system"));
        Files.writeString(root.resolve("usr/share/ic2/ic2-archive"), "#!/bin/sh\n");
        calls = directory.resolve("calls");
        for (String command : List.of("systemctl", "deb-systemd-invoke", "adduser", "java")) {
            Path noting = Files.createDirectories(directory.resolve("commands")).resolve(command);
            Files.writeString(noting, "#!/bin/sh\necho " + command + " \"$@\" >>" + calls + "\n");
            Files.setPosixFilePermissions(noting, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private static void run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** What a script of the package did to the units. */
    private List<String> units(String script, String... arguments) throws Exception {
        Files.deleteIfExists(calls);
        String[] command = Stream.concat(Stream.of(scripts.resolve(script).toString()), Stream.of(arguments))
                .toArray(String[]::new);
        run(Map.of("DPKG_ROOT", root.toString(), "PATH", directory.resolve("commands") + ":" + System.getenv("PATH")),
                command);
        return Files.exists(calls) ? Files.readAllLines(calls).stream().filter(call -> call.contains("systemd")
                || call.contains("systemctl")).toList() : List.of();
    }

    @Test
    void anUpgradeLeavesTheAgentRunningAndThenRestartsWhatRan() throws Exception {
        assertThat(units("prerm", "upgrade", "1.2.4")).isEmpty();
        assertThat(units("postinst", "configure", "1.2.3")).containsExactly("systemctl daemon-reload",
                "deb-systemd-invoke try-restart ic2-reconfigure.socket ic2.service");
    }

    @Test
    void aRemovalStopsItAndTheFirstInstallationStartsNothing() throws Exception {
        assertThat(units("prerm", "remove")).containsExactly("deb-systemd-invoke stop ic2.service ic2-reconfigure.socket");
        assertThat(units("postinst", "configure", "")).noneMatch(call -> call.matches(".* (start|restart|enable) .*"));
    }

    @Test
    void withoutSystemdNoUnitIsTouched() throws Exception {
        Files.delete(root.resolve("run/systemd/system"));
        assertThat(units("postinst", "configure", "1.2.3")).isEmpty();
        assertThat(units("prerm", "remove")).isEmpty();
    }

    @Test
    void whatAnAdministratorEditsOutlivesAnUpgrade() throws Exception {
        assertThat(Files.readAllLines(scripts.resolve("conffiles"))).containsExactly("/etc/ic2/ic2.yaml",
                "/etc/ic2/reconfigure.conf");
        assertThat(root.resolve("etc/ic2/reconfigure.conf")).content().contains("APACHECTL=/usr/sbin/apachectl\n")
                .contains("VARIABLES=\"MITIGATION\"\n");
    }

    @Test
    void theHelpersSocketIsThereBeforeTheAgentAndAfterIt() {
        assertThat(root.resolve("lib/systemd/system/ic2.service")).content()
                .containsPattern("(?m)^After=.*\\bic2-reconfigure\\.socket$");
    }
}

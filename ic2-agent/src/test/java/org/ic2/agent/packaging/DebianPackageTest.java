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
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the Debian package brings, and what its scripts do when it is installed, upgraded, removed and purged. */
@EnabledIf("debhelperInstalled")
class DebianPackageTest {

    private static final Path PACKAGING = Path.of("../packaging").toAbsolutePath().normalize();

    /** What the scripts name of the machine; in the test it lies below the test's own root. */
    private static final List<String> PLACES = List.of("/run/systemd/system", "/run/ic2", "/usr/share/ic2", "/var/lib/ic2", "/etc/ic2");

    private static final String VERSION = "1.2.3~git20261120.1a2b3c4";

    @TempDir
    private static Path built;

    private static Path deb;

    @TempDir
    private Path directory;

    private Path root;
    private Path scripts;
    private Path calls;

    static boolean debhelperInstalled() {
        return Files.isExecutable(Path.of("/usr/bin/dh")) && Files.isExecutable(Path.of("/usr/bin/dpkg-buildpackage"));
    }

    /** Packs a tree in which only what is compiled is a stand-in. */
    @BeforeAll
    static void pack() throws Exception {
        try (Stream<Path> files = Files.walk(PACKAGING)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                copy(file, built.resolve("packaging").resolve(PACKAGING.relativize(file).toString()));
            }
        }
        for (String file : List.of("bin/ic2", "README.md", "SECURITY.md", "CASE_STUDIES.md", "CHANGELOG.md",
                "docs/install.md", "docs/tests/test_links.py", "host/CHANGELOG.md", "host/docs/README.md",
                "httpd-online/docs/mitigation.conf",
                "dashboards/alerts.yml", "dashboards/tier.json", "dashboards/fleet.json", "dashboards/generate.py")) {
            copy(Path.of("..").resolve(file), built.resolve(file));
        }
        Path target = Files.createDirectories(built.resolve("ic2-agent/target"));
        Files.createDirectories(target.resolve("man"));
        Files.writeString(Files.createDirectories(target.resolve("completion")).resolve("ic2"), "complete -o default ic2\n");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        manifest.getMainAttributes().putValue("Implementation-Version", VERSION);
        new JarOutputStream(Files.newOutputStream(target.resolve("ic2.jar")), manifest).close();
        for (String probe : List.of("ic2-memlat", "ic2-counters", "ic2-share", "ic2-baseline")) {
            Files.writeString(target.resolve(probe), "#!/bin/sh\n");
        }
        Files.writeString(target.resolve("man/ic2.1"), ".TH IC2 1\n.SH NAME\nic2 \\- a stand-in\n");
        Files.writeString(target.resolve("man/ic2.yaml.5"), ".TH IC2.YAML 5\n.SH NAME\nic2.yaml \\- another one\n");
        run(Map.of(), built.resolve("packaging/make-deb").toString());
        try (Stream<Path> files = Files.list(target)) {
            deb = files.filter(file -> file.toString().endsWith(".deb")).findFirst().orElseThrow();
        }
    }

    /** Unpacks it, and puts commands that only note their call before PATH. */
    @BeforeEach
    void unpack() throws Exception {
        root = directory.resolve("root");
        scripts = directory.resolve("scripts");
        run(Map.of(), "dpkg-deb", "-x", deb.toString(), root.toString());
        run(Map.of(), "dpkg-deb", "-e", deb.toString(), scripts.toString());
        for (String name : List.of("postinst", "prerm", "postrm")) {
            String text = Files.readString(scripts.resolve(name));
            for (String place : PLACES) {
                text = text.replace(place, root + place);
            }
            Files.writeString(scripts.resolve(name), text);
        }
        Files.createDirectories(root.resolve("run/systemd/system"));
        Files.writeString(root.resolve("usr/share/ic2/ic2-archive"), "#!/bin/sh\n: >\"$3\"\n");
        calls = directory.resolve("calls");
        for (String command : List.of("systemctl", "deb-systemd-invoke", "deb-systemd-helper", "adduser", "addgroup",
                "deluser", "delgroup", "getent", "ic2", "install", "java", "runuser")) {
            Path noting = Files.createDirectories(directory.resolve("commands")).resolve(command);
            // no unit was enabled by an earlier version
            Files.writeString(noting, "#!/bin/sh\necho " + command + " \"$@\" >>" + calls
                    + "\n[ \"$1\" != debian-installed ]\n");
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

    /** The commands that a script of the package ran. */
    private List<String> calls(String script, String... arguments) throws Exception {
        Files.deleteIfExists(calls);
        String[] command = Stream.concat(Stream.of(scripts.resolve(script).toString()), Stream.of(arguments))
                .toArray(String[]::new);
        run(Map.of("PATH", directory.resolve("commands") + ":" + System.getenv("PATH"), "TMPDIR",
                Files.createDirectories(root.resolve("tmp")).toString()), command);
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    /** What a script of the package did to the units. */
    private List<String> units(String script, String... arguments) throws Exception {
        return calls(script, arguments).stream().filter(call -> call.startsWith("systemctl ")
                || call.startsWith("deb-systemd-invoke ")).toList();
    }

    @Test
    void anUpgradeLeavesTheAgentRunningAndThenRestartsWhatRan() throws Exception {
        assertThat(units("prerm", "upgrade", "1.2.4")).isEmpty();
        assertThat(units("postinst", "configure", "1.2.3")).containsExactly("systemctl --system daemon-reload",
                "deb-systemd-invoke try-restart ic2-reconfigure.socket ic2-share.service ic2-share.socket ic2.service");
    }

    @Test
    void aRemovalStopsItAndTheFirstInstallationStartsNothing() throws Exception {
        assertThat(units("prerm", "remove")).containsExactly("deb-systemd-invoke stop ic2.service ic2-reconfigure.socket",
                "deb-systemd-invoke stop ic2-share.socket ic2-share.service");
        assertThat(calls("postinst", "configure", "")).noneMatch(call -> call.matches(".* (start|restart|enable) .*"));
    }

    @Test
    void withoutSystemdNoUnitIsTouched() throws Exception {
        Files.delete(root.resolve("run/systemd/system"));
        assertThat(units("postinst", "configure", "1.2.3")).isEmpty();
        assertThat(units("prerm", "remove")).isEmpty();
    }

    @Test
    void editedFilesOutliveAnUpgrade() throws Exception {
        assertThat(Files.readAllLines(scripts.resolve("conffiles"))).containsExactly("/etc/ic2/reconfigure.conf");
        assertThat(root.resolve("etc/ic2/reconfigure.conf")).content().contains("VARIABLES=\"MITIGATION MITIGATION_WALL\"\n")
                .contains("MaxRequestWorkers=", "KeepAliveTimeout=", "MITIGATION=");
    }

    @Test
    void itHasTheVersionOfTheAgentAndThePagesWithTheirLinks() throws Exception {
        assertThat(deb.getFileName().toString()).startsWith("ic2_" + VERSION + "_");
        Path pages = root.resolve("usr/share/doc/ic2");
        for (String page : List.of("README.md", "CHANGELOG.md", "docs/install.md", "dashboards/alerts.yml", "dashboards/tier.json",
                "dashboards/fleet.json", "host/CHANGELOG.md", "host/docs/README.md", "httpd-online/docs/mitigation.conf")) {
            assertThat(pages.resolve(page)).hasSameTextualContentAs(Path.of("..").resolve(page));
        }
        assertThat(pages.resolve("docs/tests")).doesNotExist();
        assertThat(pages.resolve("dashboards/generate.py")).doesNotExist();
        assertThat(root.resolve("usr/share/man/man5/ic2.yaml.5.gz")).isNotEmptyFile();
        assertThat(root.resolve("usr/share/bash-completion/completions/ic2")).isNotEmptyFile();
        assertThat(pages.resolve("examples/mitigation.conf").toRealPath())
                .isEqualTo(pages.resolve("httpd-online/docs/mitigation.conf").toRealPath());
    }

    /** The archive is of one Java: with another, that starts without any. */
    @Test
    void anotherJavaGetsAnotherArchive() throws Exception {
        assertThat(scripts.resolve("triggers")).content().contains("interest-noawait /usr/lib/jvm\n");
        Path archive = root.resolve("usr/share/ic2/ic2.jsa");
        assertThat(calls("postinst", "triggered", "/usr/lib/jvm")).as("nothing else is done anew").isEmpty();
        assertThat(archive).exists();
    }

    @Test
    void theHelpersSocketIsThereBeforeTheAgentAndAfterIt() {
        assertThat(root.resolve("lib/systemd/system/ic2.service")).content()
                .containsPattern("(?m)^After=.*\\bic2-reconfigure\\.socket$");
    }

    @Test
    void aPurgeLeavesNeitherUserNorStateNorLinksToUnits() throws Exception {
        assertThat(calls("postinst", "configure", "")).contains("deb-systemd-helper update-state ic2.service",
                "deb-systemd-helper update-state ic2-reconfigure.socket");
        Path journal = Files.createDirectories(root.resolve("var/lib/ic2")).resolve("journal.jsonl");
        Files.writeString(journal, "{}\n");
        Path stored = Files.createDirectories(root.resolve("run/ic2-standby"));
        Path locks = Files.createDirectories(root.resolve("tmp/ic2-locks-ic2"));
        calls("prerm", "remove");
        assertThat(root.resolve("usr/share/ic2/ic2.jsa")).as("made by the installation").doesNotExist();
        calls("postrm", "remove");
        assertThat(journal).as("only a purge forgets").exists();
        assertThat(calls("postrm", "purge")).anyMatch(call -> call.matches("deb-systemd-helper purge .*ic2\\.service.*"))
                .contains("deluser --quiet --system ic2", "delgroup --quiet --system ic2",
                        "delgroup --quiet --system ic2-operator");
        assertThat(root.resolve("var/lib/ic2")).doesNotExist();
        assertThat(stored).as("pages in memory").doesNotExist();
        assertThat(locks).doesNotExist();
        assertThat(root.resolve("etc/ic2")).as("what ic2 init and people have written").doesNotExist();
    }

    /** What it wrote for httpd names files of the package: while they go, httpd may be restarted at any time. */
    @Test
    void aRemovalTakesBackWhatInitDidAndAnUpgradeDoesNot() throws Exception {
        Files.writeString(Files.createDirectories(root.resolve("var/lib/ic2")).resolve("init.json"), "{}\n");
        assertThat(calls("prerm", "upgrade", "1.2.4")).noneMatch(call -> call.startsWith("ic2 "));
        assertThat(calls("prerm", "remove")).containsSubsequence("deb-systemd-invoke stop ic2.service ic2-reconfigure.socket",
                "ic2 init --remove");
    }

    @Test
    @EnabledIf("systemdInstalled")
    void systemdUnderstandsTheUnits() throws Exception {
        for (String needed : List.of("/bin/kill", "/lib/systemd/system")) {
            run(Map.of(), "cp", "-rL", "--parents", needed, root.toString());
        }
        run(Map.of(), "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", "--root=" + root, "ic2.service",
                "ic2-reconfigure.socket", "ic2-reconfigure@1.service");
    }

    /** The figure of systemd-analyze is 10 for a service without any protection; here at most, times ten. */
    @ParameterizedTest
    @CsvSource({"ic2-reconfigure@.service, 20", "ic2.service, 18"})
    @EnabledIf("systemdInstalled")
    void systemdFindsTheUnitsWellProtected(String unit, int most) throws Exception {
        run(Map.of(), "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=" + most,
                root.resolve("lib/systemd/system").resolve(unit).toString());
    }

    @Test
    void theHelpersSocketIsTheAgentsAlone() {
        assertThat(root.resolve("lib/systemd/system/ic2-reconfigure.socket")).content().contains("\nSocketUser=ic2\n")
                .contains("\nSocketMode=0600\n");
    }

    @Test
    @EnabledIf("lintianInstalled")
    void lintianFindsNoErrorAndWarnsOfNothing() throws Exception {
        // the jar of this test is a stand-in without code
        run(Map.of(), "lintian", "--allow-root", "--suppress-tags", "codeless-jar", "--fail-on", "error,warning",
                deb.toString());
    }

    static boolean lintianInstalled() {
        return Files.isExecutable(Path.of("/usr/bin/lintian"));
    }

    static boolean systemdInstalled() {
        return Files.isExecutable(Path.of("/usr/bin/systemd-analyze"));
    }

    /** An httpd without a patch logs an error for each request where the file of its level is missing. */
    @Test
    void theFileOfTheMapIsThereAndStaysAsItIs() throws Exception {
        Files.writeString(directory.resolve("commands/runuser"), "#!/bin/sh\nshift 3\nexec \"$@\"\n");
        Path map = Files.createDirectories(root.resolve("var/lib/ic2")).resolve("ladder/mitigation.map");
        calls("postinst", "configure", "");
        assertThat(Files.readString(map)).isEqualTo("MITIGATION 0\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(map))).isEqualTo("rw-r--r--");
        Files.writeString(map, "MITIGATION 2\n");
        calls("postinst", "configure", "1.2.3");
        assertThat(Files.readString(map)).isEqualTo("MITIGATION 2\n");
    }
}

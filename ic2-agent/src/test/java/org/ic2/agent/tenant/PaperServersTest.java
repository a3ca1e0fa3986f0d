// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.ic2.agent.servers.RealHttpd;
import org.ic2.agent.servers.RealPhpFpm;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.knob.Settings;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code profile: paper} with a real httpd and a real php-fpm: all three values in one action, and restored in one. */
@EnabledIf("serversThere")
class PaperServersTest {

    private static final Settings BASE = Lever.settings(650, 5000, 2, 0);
    /** Algorithm 1 within the bounds: MXC 276, 3 x 0.41 s, 400 children. */
    private static final Settings MITIGATED = Lever.settings(300, 6230, 4, 0);

    @TempDir
    private Path directory;

    static boolean serversThere() {
        return RealHttpd.built() && RealPhpFpm.installed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"httpd-online", "httpd-basic"})
    void allThreeValuesMoveAndAreRestoredOnEnteringNi2(String type) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path php = Files.createDirectory(directory.resolve("php"));
        try (RealHttpd httpd = new RealHttpd(Files.createDirectory(directory.resolve("httpd"))); RealPhpFpm fpm = new RealPhpFpm(php);
                ScriptedLoop agent = ScriptedLoop.ofPaper(directory, httpd.url(), "type: " + type + ", apachectl: " + httpd.apachectl()
                + (type.equals("httpd-basic") ? ", tunables: " + httpd.tunables() : ""), "type: php-fpm, pool: " + fpm.pool()
                + ", pid-file: " + fpm.pidFile() + ", command: [" + String.join(", ", fpm.command()) + "], status-listen: " + fpm.status())) {
            agent.loop.start("");
            agent.calm(60);
            assertThat(agent.running()).isEqualTo(BASE);
            agent.loud(3);
            assertThat(agent.state()).isEqualTo("I2");
            assertThat(agent.running()).isEqualTo(MITIGATED);
            assertThat(Files.readString(fpm.pool())).contains("pm.max_children = 4");
            agent.loud(30);
            agent.calm(3);
            assertThat(agent.state()).isEqualTo("NI2");
            assertThat(agent.running()).isEqualTo(BASE);
            assertThat(Files.readString(fpm.pool())).contains("pm.max_children = 2");
            List<Entry> entries = Written.entries(agent.config.journal());
            assertThat(actions(entries)).containsExactly("MITIGATE", "RESTORE");
            assertThat(agent.violations).isEmpty();
        }
    }

    private static Stream<String> actions(List<Entry> entries) {
        return entries.stream().filter(Entry.Intent.class::isInstance).map(Entry.Intent.class::cast).map(Entry.Intent::action);
    }
}

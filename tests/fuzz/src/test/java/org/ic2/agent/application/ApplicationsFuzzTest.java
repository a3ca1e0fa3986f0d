// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.ic2.runtime.yaml.ConfigException;

/** Whatever a file of applications says, what becomes of it are lines of httpd's configuration that say what they seem to. */
class ApplicationsFuzzTest {

    @FuzzTest
    void applications(byte[] bytes) {
        Applications applications;
        try {
            applications = Applications.parse("a.yaml", new String(bytes, StandardCharsets.UTF_8));
        } catch (ConfigException e) {
            assertThat(e.getMessage()).startsWith("a.yaml:");
            return;
        }
        for (WebApplication each : applications.all()) {
            assertThat(new LadderLines(each.root(), "/docs", Optional.of("/map")).of(each)).allSatisfy(line ->
                    assertThat(line).doesNotContain("\n").doesNotContain("\r").doesNotEndWith("\\")
                            .matches("# .*|Define MITIGATION_[A-Z_]+ \"[^\"$#]*(?:\\$\\)[^\"$#]*)?\"|Include \"/docs/[a-z]+\\.conf\""));
        }
    }
}

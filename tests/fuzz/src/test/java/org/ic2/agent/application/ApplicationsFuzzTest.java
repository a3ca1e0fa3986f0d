// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.ic2.runtime.yaml.ConfigException;

/** Any file of applications becomes lines of httpd's configuration that say what they seem to. */
class ApplicationsFuzzTest {

    /** A name and words, plain or in quotation marks; or the begin or end of the section. */
    private static final String DIRECTIVE = "<Directory \"[^\"$]+\">|</Directory>|Include \"/docs/status\\.conf\"|SetEnvIfExpr .*"
            + "|\\s*Standby[A-Za-z]+(?: (?:[A-Za-z0-9_./*:,=@~-]+|\"(?:[^\"\\\\$]|\\\\[\"\\\\])*\"))+";

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
            LadderLines lines = new LadderLines(Optional.of("/map"), HeaderNames.NONE, true);
            assertThat(lines.of(new LadderLines.Placed(each, each.root()), "/docs")).allSatisfy(line ->
                    assertThat(line).doesNotContain("\n").doesNotContain("\r").doesNotEndWith("\\").matches("\\s*#.*|" + DIRECTIVE));
            new PageRules(each).pattern("/a?" + each.name());
        }
    }
}

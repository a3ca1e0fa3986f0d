// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.lab.backend.ScenarioFile;
import org.junit.jupiter.api.Test;

/** README.md says what is so, and the product's pages say nothing of what is here alone. */
class LabPageTest {

    private static String page(String name) throws Exception {
        return Files.readString(Path.of(name), StandardCharsets.UTF_8);
    }

    @Test
    void itsScenarioIsRead() throws Exception {
        Matcher example = Pattern.compile("^```yaml\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL).matcher(page("README.md"));
        assertThat(example.find()).isTrue();
        assertThat(ScenarioFile.read("scenario", example.group(1)).guests()).hasSize(7);
    }

    @Test
    void theProductsPagesSayNothingOfASimulatedHost() throws Exception {
        assertThat(page("README.md")).contains("{type: sim, scenario: FILE}", "| `simulate ");
        for (String name : List.of("README.md", "configuration.md", "operations.md")) {
            assertThat(page("../docs/" + name)).as(name).doesNotContain("type: sim", "`sim`", "`simulate", "scenario", "ic2-host-lab");
        }
    }
}

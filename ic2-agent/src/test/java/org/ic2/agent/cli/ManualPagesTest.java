// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The manual: a page for each verb, and one for the configuration. */
class ManualPagesTest {

    private static final Path REFERENCE = Path.of("../docs/configuration.md");

    @TempDir
    private Path directory;

    private List<Path> pages() throws Exception {
        ManualPages.main(new String[] {directory.resolve("man").toString(), directory.resolve("completion/ic2").toString(),
            REFERENCE.toString()});
        try (Stream<Path> files = Files.list(directory.resolve("man"))) {
            return files.sorted().toList();
        }
    }

    static boolean manInstalled() {
        return Files.isExecutable(Path.of("/usr/bin/man"));
    }

    private static String shown(Path page) throws Exception {
        ProcessBuilder man = new ProcessBuilder("man", "--warnings", "-E", "UTF-8", "-l", page.toString()).redirectErrorStream(true);
        man.environment().putAll(java.util.Map.of("LC_ALL", "C.UTF-8", "MANWIDTH", "80", "GROFF_NO_SGR", "1", "MANROFFOPT", ""));
        Process process = man.start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text.replaceAll(".\b", "");
    }

    @Test
    @EnabledIf("manInstalled")
    void manShowsEachWithoutAWarningAndWithoutWhatItIsWrittenIn() throws Exception {
        assertThat(pages()).hasSizeGreaterThan(10);
        for (Path page : pages()) {
            assertThat(shown(page)).as(page.toString()).doesNotContain("warning", "**", "](", "${", "%n", "@|", "<!--", "\\f", "\\[u");
        }
    }

    @Test
    @EnabledIf("manInstalled")
    void thePageOfTheConfigurationHasEachKeyOfTheReference() throws Exception {
        Path page = pages().stream().filter(file -> file.endsWith("ic2.yaml.5")).findFirst().orElseThrow();
        String text = shown(page).replaceAll("\\s+", " ");
        List<String> keys = Pattern.compile("(?m)^\\| `([^`]+)`").matcher(Files.readString(REFERENCE)).results()
                .map(found -> found.group(1)).toList();
        assertThat(keys).hasSizeGreaterThan(50).allSatisfy(key -> assertThat(text).contains(key));
        assertThat(text).doesNotContain("`").contains("IC2.YAML(5)", "target-response-time default: 0.5s at or below it nothing is done",
                "fast sampling (knowledge-base.md)", "- {mitigation: 2, php-max-children: 100}", "install.md has a file to start from");
    }

    @Test
    void textIsTakenAsItIs() {
        assertThat(ManualText.of("x", "## A\n\n.dot 'quote' \\back - dash\ngoes on `a-b`, **bold `c`** and [l](#x) [p](p.md#q)\n"))
                .isEqualTo(".SH \"A\"\n.PP\n\\&.dot \\(aqquote\\(aq \\eback \\- dash goes on \\fBa\\-b\\fR, \\fBbold \\fBc\\fR\\fR and l p (p.md)\n");
        assertThat(ManualText.of("x", "- one\n  more\n- two\n\nend\n\n```yaml\n.a: [\"b\"]\n```\n")).isEqualTo(".IP \\(bu 2\none more\n"
                + ".IP \\(bu 2\ntwo\n.PP\nend\n.PP\n.RS 4\n.nf\n\\&.a: [\\(dqb\\(dq]\n.fi\n.RE\n");
        assertThat(ManualText.of("x", "| key | default | meaning |\n|---|---|---|\n| `a` | | one \\| two |\n"))
                .isEqualTo(".TP\n\\fBa\\fR\none | two\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"> quote", "1. one", "![picture](x.svg)", "<b>html</b>", "#### deep", "# second title", "---",
        "| a | b |\n|---|---|\n| 1 | 2 | 3 |", "```\nno end"})
    void unknownMarkupIsRefusedByLine(String page) {
        assertThatThrownBy(() -> ManualText.of("x.md", "fine\n\n" + page)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("x\\.md:[3-5]: expected .*, got \".*");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.ic2.agent.cli.Ic2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** CASE_STUDIES.md: its lines are what its commands print with its configuration, and no action is left out. */
class CaseStudiesPageTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern RECORDING = Pattern.compile("zcat (training/data/\\S+) >samples.csv");
    private static final int STUDIES = 3;

    @TempDir
    private Path directory;

    @Test
    void everyLineIsPrintedByTheCommandsAboveIt() throws Exception {
        String page = Files.readString(ROOT.resolve("CASE_STUDIES.md"));
        Path config = Files.writeString(directory.resolve("case.yaml"), blocks(page, "yaml").get(0));
        List<String> studies = Stream.of(page.split("\n## ")).skip(1).toList();
        assertThat(studies).hasSize(STUDIES);
        for (String study : studies) {
            String title = study.lines().findFirst().orElseThrow();
            assertThat(study).as(title).contains("bin/ic2 replay -c case.yaml samples.csv");
            List<String> printed = replayed(config, ROOT.resolve(found(RECORDING, study).group(1)));
            List<String> shown = blocks(study, "").stream().flatMap(String::lines).toList();
            assertThat(shown).as(title).isNotEmpty();
            assertThat(printed).as(title).containsSubsequence(shown);
            int end = actions(shown).isEmpty() ? printed.size() : printed.indexOf(shown.get(shown.size() - 1)) + 1;
            assertThat(actions(shown)).as("actions of: " + title).isEqualTo(actions(printed.subList(0, end)));
        }
    }

    /** What changes something. */
    private static List<String> actions(List<String> lines) {
        return lines.stream().filter(line -> !line.contains(" HOLD ")).toList();
    }

    private List<String> replayed(Path config, Path recording) throws IOException {
        Path samples = directory.resolve("samples.csv");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(recording))) {
            Files.write(samples, in.readAllBytes());
        }
        StringWriter out = new StringWriter();
        CommandLine ic2 = Ic2.commandLine();
        ic2.setOut(new PrintWriter(out, true));
        assertThat(ic2.execute("replay", "-c", config.toString(), samples.toString())).isZero();
        return out.toString().lines().toList();
    }

    /** The blocks in that language; "" for those of none. */
    private static List<String> blocks(String text, String language) {
        return Pattern.compile("(?ms)^```(\\w*)\n(.*?)^```").matcher(text).results().filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2)).toList();
    }

    private static MatchResult found(Pattern pattern, String text) {
        return pattern.matcher(text).results().findFirst().orElseThrow(() -> new AssertionError(pattern + " is not in: " + text));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What the command says of itself: {@code --help} of each verb, completion in a shell, and what the documentation tells people to type. */
class HelpTest {
    /** What is left of a format that nobody filled in. */
    private static final Pattern RAW = Pattern.compile("%[-\\d.]*[a-zA-Z%]|@\\||\\|@|\\$\\{");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z0-9-]*");

    @TempDir
    private Path folder;

    private static Map<String, CommandLine> verbs() {
        return Ic2Fleet.commands().getSubcommands();
    }

    private static Set<String> options(String verb) {
        return verbs().get(verb).getCommandSpec().optionsMap().keySet().stream().filter(name -> name.startsWith("--"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Lines that are too long, that end in the middle of a name, and formats. */
    private static List<String> wrong(String help) {
        List<String> lines = help.lines().toList();
        return IntStream.range(0, lines.size()).filter(i -> lines.get(i).length() > 80 || RAW.matcher(lines.get(i)).find()
                || lines.get(i).matches(".*\\S\\s+|.*[/_]") || lines.get(i).matches(".*\\w[./_-]") && i + 1 < lines.size()
                && lines.get(i + 1).matches("\\s*[a-z0-9](?!\\S*\\s{2}).*")).mapToObj(lines::get).toList();
    }

    @Test
    void theHelpOfEachVerbCanBeReadInEightyColumns() {
        String all = Ic2Fleet.commands().getUsageMessage(Ansi.OFF);
        assertThat(wrong(all)).isEmpty();
        verbs().forEach((verb, line) -> {
            assertThat(all).containsPattern("(?m)^  " + verb + " ");
            assertThat(line.getUsageMessage(Ansi.OFF)).startsWith("Usage: ic2-fleet " + verb).satisfies(help -> assertThat(wrong(help)).isEmpty());
        });
    }

    @Test
    void theListOfVerbsHasAWholeSentenceForEach() {
        verbs().forEach((verb, line) -> {
            UsageMessageSpec usage = line.getCommandSpec().usageMessage();
            assertThat((usage.header().length > 0 ? usage.header() : usage.description())[0]).as(verb).endsWith(".").doesNotContain(". ");
        });
    }

    @Test
    void theDocumentationTellsNothingThatIsNotThere() throws IOException {
        Set<String> told = new TreeSet<>();
        for (String page : List.of("docs/training.md", "docs/results.md", "docs/results/trees.md")) {
            String text = Files.readString(Path.of("../..", page)).replace("\\\n", " ");
            Matcher command = Pattern.compile("ic2-fleet(?:\\.jar)? ([a-z]+)([^\n`#]*)").matcher(text);
            while (command.find()) {
                if (verbs().containsKey(command.group(1))) {
                    told.add(command.group(1));
                    assertThat(options(command.group(1))).as(page + ": " + command.group()).containsAll(OPTION.matcher(command.group(2)).results()
                            .map(found -> found.group()).toList());
                } else {
                    // words about the program, not a command: "ic2-fleet for recordings of many tenants"
                    assertThat(command.group(2)).as(page).doesNotContain("--");
                }
            }
        }
        assertThat(told).containsAll(verbs().keySet().stream().filter(verb -> !verb.equals("completion")).toList());
    }

    @Test
    void bashCompletesVerbsAndOptions() throws IOException, InterruptedException {
        StringWriter said = new StringWriter();
        assertThat(Ic2Fleet.run(Ic2Fleet.commands().setOut(new PrintWriter(said, true)), List.of("completion"))).isZero();
        Path script = Files.writeString(folder.resolve("completion"), said.toString());
        assertThat(completed(script, "")).containsAll(verbs().keySet());
        assertThat(completed(script, "ev")).containsExactly("evaluate");
        for (String verb : verbs().keySet()) {
            assertThat(completed(script, verb, "--")).as(verb).containsAll(options(verb));
        }
    }

    /** What bash offers for the last of the words. */
    private static Set<String> completed(Path script, String... words) throws IOException, InterruptedException {
        String all = "ic2-fleet " + String.join(" ", words);
        String asking = "source " + script + "\nCOMP_WORDS=(ic2-fleet" + Stream.of(words).map(word -> " '" + word + "'").collect(Collectors.joining())
                + ")\nCOMP_CWORD=" + words.length + "\nCOMP_LINE='" + all + "'\n_complete_ic2-fleet 2>/dev/null\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
        Process bash = new ProcessBuilder("bash", "--norc", "-c", asking).start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(new String(bash.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(bash.waitFor()).isZero();
        return said.lines().map(String::strip).filter(word -> !word.isEmpty()).collect(Collectors.toCollection(TreeSet::new));
    }
}

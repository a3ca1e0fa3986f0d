// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;

/**
 * docs/configuration.md and docs/samples.md say what the code does. What it must say is asked of the reader of the configuration itself,
 * which names all that it knows when it meets a word that it does not know.
 */
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("../docs/configuration.md");
    private static final Path SAMPLES = Path.of("../docs/samples.md");
    private static final Path METRICS = Path.of("../knowledge-base/src/main/java/org/ic2/knowledge/Metric.java");
    private static final String UNKNOWN = "no-such-word";
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private final ConfigLoader loader = new ConfigLoader(new SensorRegistry(), new ActuatorRegistry());

    @Test
    void namesEachKeyOfTheFile() throws Exception {
        Set<String> expected = new TreeSet<>(keys(""));
        for (String group : List.of("detector", "safety", "http", "ssh", "tell-host")) {
            expected.remove(group);
            keys("%s: {%s: 1}".formatted(group, UNKNOWN)).forEach(key -> expected.add(group + "." + key));
        }
        keys("detector: {type: cmr, threshold: 0.1, response-time: 1s, %s: 1}".formatted(UNKNOWN))
                .forEach(key -> expected.add("detector." + key));
        for (String key : expectedOf(error("role: web, " + UNKNOWN + ": 1", "{}", ""))) {
            expected.add("members.NAME." + key);
        }
        Set<String> named = new TreeSet<>();
        rows("Keys").values().forEach(cells -> code(cells.get(0)).forEach(named::add));
        assertThat(named).as("the keys in %s", PAGE).isEqualTo(expected);
    }

    @Test
    void namesEachLever() throws Exception {
        assertThat(rows("Levers").keySet()).as("the levers in %s", PAGE).containsExactlyInAnyOrderElementsOf(levers());
    }

    @Test
    void namesEachSensorWithItsSettings() throws Exception {
        Map<String, List<String>> rows = rows("Sensors");
        assertThat(rows.keySet()).as("the sensors in %s", PAGE)
                .containsExactlyElementsOf(expectedOf(error("role: web, sensors: {a: {type: " + UNKNOWN + "}}", "{}", "")));
        for (Map.Entry<String, List<String>> row : rows.entrySet()) {
            assertSettings("sensors", row.getKey(), row.getValue().get(2), "host");
        }
    }

    @Test
    void namesEachActuatorWithItsLeversAndSettings() throws Exception {
        Map<String, List<String>> rows = rows("Actuators");
        assertThat(rows.keySet()).as("the actuators in %s", PAGE)
                .containsExactlyElementsOf(expectedOf(error("role: web, actuators: {a: {type: " + UNKNOWN + "}}", "{}", "")));
        for (Map.Entry<String, List<String>> row : rows.entrySet()) {
            String type = row.getKey();
            assertSettings("actuators", type, row.getValue().get(3), "");
            if (!row.getValue().get(1).equals("any")) {
                Set<String> moved = new TreeSet<>();
                Set<String> asked = new TreeSet<>(levers());
                asked.addAll(code(row.getValue().get(1)));      // one that comes with its actuator alone, too
                for (String lever : asked) {
                    String error = error(member("actuators", type, required(row.getValue().get(3)), ""), "[" + lever + "]", "");
                    if (!error.contains("can move " + lever) && !error.contains("got \"" + lever + "\"")) {
                        moved.add(lever);
                    }
                }
                assertThat(new TreeSet<>(code(row.getValue().get(1)))).as("the levers of %s in %s", type, PAGE)
                        .isEqualTo(moved);
            }
        }
    }

    /** Each metric's meaning is the comment that its constant has. */
    @Test
    void hasATableOfAllColumns() throws Exception {
        String source = Files.readString(METRICS);
        StringBuilder table = new StringBuilder("| column | unit | is |\n|---|---|---|\n");
        for (Metric metric : Metric.values()) {
            Matcher comment = Pattern.compile("/\\*\\* ([^\\n]+) \\*/\\s+" + metric.name() + "\\(").matcher(source);
            assertThat(comment.find()).as("a comment of one line above %s in %s", metric, METRICS).isTrue();
            String meaning = comment.group(1).replaceAll("\\{@link #(\\w+)}", "$1").replaceAll("\\.$", "");
            table.append("| `%s` | %s | %s |%n".formatted(metric.column(), metric.unit(), meaning));
        }
        assertTable("columns", table.toString());
    }

    @Test
    void hasATableOfAllSituations() throws Exception {
        StringBuilder table = new StringBuilder("| id | situation |\n|---|---|\n");
        for (Scenario scenario : Scenario.values()) {
            table.append("| %s | %s |%n".formatted(scenario.id(), scenario.description()));
        }
        assertTable("situations", table.toString());
    }

    /** Compares, or writes the table into the page when the property {@code update} is set. */
    private static void assertTable(String name, String table) throws IOException {
        String begin = "<!-- " + name + ": begin -->\n";
        String end = "<!-- " + name + ": end -->";
        String page = Files.readString(SAMPLES);
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf(end);
        assertThat(to).as("%s...%s in %s", begin, end, SAMPLES).isGreaterThanOrEqualTo(from);
        if (Boolean.getBoolean("update")) {
            Files.writeString(SAMPLES, page.substring(0, from) + table + page.substring(to));
            return;
        }
        assertThat(page.substring(from, to)).as("the table \"%s\" in %s; to write it anew:"
                + " mvn -pl ic2-agent -am test -Dtest=ConfigurationPageTest -Dupdate=true", name, SAMPLES).isEqualTo(table);
    }

    /** The required settings stand in the row with a value that works, the others without; all of them do. */
    private void assertSettings(String kind, String type, String cell, String common) throws IOException {
        String required = required(cell);
        String error = error(member(kind, type, required, UNKNOWN + ": 1"), "{}", "");
        assertThat(error).as("the settings of %s in %s, read as {type: %s%s}", type, PAGE, type, required)
                .contains(UNKNOWN + ": unknown key");
        Set<String> known = new TreeSet<>(expectedOf(error));
        known.removeAll(Set.of("type", common));
        assertThat(named(cell)).as("the settings of %s in %s", type, PAGE).containsAll(known);
        Matcher each = Pattern.compile("(?<=, )[a-z-]+: ").matcher(required);
        while (each.find()) {
            String without = required.replaceFirst(", " + Pattern.quote(each.group()) + "(\\[.*?]|\\{.*?}|[^,]+)", "");
            assertThat(error(member(kind, type, without, UNKNOWN + ": 1"), "{}", ""))
                    .as("the settings of %s without the required %s", type, each.group()).contains("missing");
        }
    }

    private static String member(String kind, String type, String settings, String more) {
        return "role: web, %s: {a: {type: %s%s%s}}".formatted(kind, type, settings, more.isEmpty() ? "" : ", " + more);
    }

    /** The settings that a cell shows with a value, as text to follow {@code type: x}. */
    private static String required(String cell) {
        return code(cell).stream().filter(code -> code.matches("[a-z-]+: .*")).map(code -> ", " + code)
                .collect(Collectors.joining());
    }

    private static Set<String> named(String cell) {
        return code(cell).stream().map(code -> code.replaceFirst(": .*", "")).collect(Collectors.toSet());
    }

    private static List<String> code(String cell) {
        return CODE.matcher(cell).results().map(match -> match.group(1)).toList();
    }

    private static List<String> levers() {
        return List.of(Lever.values()).stream().map(Lever::key).toList();
    }

    /** The rows of the table under a heading by the first code in them, each with its cells. */
    private static Map<String, List<String>> rows(String heading) throws IOException {
        Map<String, List<String>> rows = new TreeMap<>();
        String page = Files.readString(PAGE);
        String section = page.substring(page.indexOf("\n## " + heading + "\n")).split("\n## ")[1];
        for (String line : section.split("\n")) {
            if (line.startsWith("| `")) {
                List<String> cells = List.of(line.substring(2, line.length() - 2).split(" \\| "));
                String name = code(cells.get(0)).get(0);
                assertThat(rows.put(name, cells)).as("%s a second time under %s in %s", name, heading, PAGE).isNull();
            }
        }
        return rows;
    }

    private List<String> keys(String extra) {
        return expectedOf(error("role: web", "[]", extra.isEmpty() ? UNKNOWN + ": 1" : extra));
    }

    /** What the reader says of a file that is right but for what is put in. */
    private String error(String member, String levers, String more) {
        String text = "application: shop\nmembers: {web: {%s}}\nbaseline: {}\nbounds: {}\nlevers: %s\n%s\n"
                .formatted(member, levers, more);
        try {
            loader.parse(Path.of("ic2.yaml"), text);
            return "";
        } catch (ConfigException e) {
            return e.getMessage();
        }
    }

    private static List<String> expectedOf(String error) {
        Matcher list = Pattern.compile("expected one of ([a-z, -]+?)(, got .*)?$").matcher(error);
        assertThat(list.find()).as("what the reader of the configuration names: %s", error).isTrue();
        return new ArrayList<>(List.of(list.group(1).split(", ")));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Reads Faban's run.xml. Names are case sensitive, as on Faban; an element of Faban's that is not known here gives a
 * warning, because Faban ignores misspelt ones in silence.
 */
final class RunConfigReader {
    static final String FA = "http://faban.sunsource.net/ns/faban";
    static final String FH = "http://faban.sunsource.net/ns/fabanharness";
    static final String FD = "http://faban.sunsource.net/ns/fabandriver";
    private static final int MAX_SECONDS = 7 * 24 * 3600;
    private static final Duration DEFAULT_STATS = Duration.ofSeconds(5);
    private static final Duration DEFAULT_DETAIL = Duration.ofSeconds(30);
    private static final Set<String> KNOWN = Set.of("hostConfig", "host", "scale", "runControl", "rampUp", "steadyState",
            "rampDown", "outputDir", "audit", "threadStart", "delay", "simultaneous", "parallel", "stats", "maxRunTime",
            "interval", "runtimeStats", "driverConfig", "agents", "threads", "properties", "property", "name", "value");

    private final Path file;
    private final List<String> warnings = new ArrayList<>();

    private RunConfigReader(Path file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @throws ConfigError names file, line and key, what was expected and what came
     */
    static RunConfig read(Path file) throws ConfigError {
        return new RunConfigReader(file).read(LocatedXml.parse(file));
    }

    private RunConfig read(Document document) throws ConfigError {
        Element root = document.getDocumentElement();
        Element run = child(root, FA, "runConfig");
        if (run == null) {
            throw wrong(root, "an element fa:runConfig (namespace " + FA + ")", "none");
        }
        warnOfUnknown(run);
        String definition = run.getAttribute("definition");
        if (definition.isEmpty()) {
            throw wrong(run, "an attribute definition with the driver class", "none");
        }
        Element control = needed(run, FA, "runControl");
        if (!control.getAttribute("unit").equals("time")) {
            throw wrong(control, "unit=\"time\"", "unit=\"" + control.getAttribute("unit") + "\"");
        }
        Element start = child(run, FD, "threadStart");
        Element stats = child(run, FD, "stats");
        Element runtimeStats = child(run, FD, "runtimeStats");
        Element driver = child(run, FD, "driverConfig");
        Element driverStats = driver == null ? null : child(driver, FD, "stats");
        if (driver != null && child(driver, FD, "operationMix") != null) {
            throw wrong(child(driver, FD, "operationMix"), "no operationMix: the embedded runtime takes the mix from the"
                    + " annotations", "one");
        }
        Element output = child(run, FD, "outputDir");
        int detail = integer(stats, "interval", (int) DEFAULT_DETAIL.toSeconds(), 1, 3600);
        return new RunConfig(file, document, definition,
                integer(needed(run, FA, "scale"), 1, RunConfig.MAX_USERS),
                integer(driver, "threads", 0, 1, RunConfig.MAX_USERS),
                seconds(control, "rampUp", 0), seconds(control, "steadyState", 1), seconds(control, "rampDown", 0),
                output == null || text(output).isEmpty() ? null : Path.of(text(output)),
                Duration.ofMillis(integer(start, "delay", 0, 0, 60_000)), flag(start, "simultaneous", false),
                Duration.ofSeconds(integer(driverStats, "interval", detail, 1, 3600)),
                runtimeStats == null || attributeFlag(runtimeStats, "enabled"),
                Duration.ofSeconds(integer(runtimeStats, "interval", (int) DEFAULT_STATS.toSeconds(), 1, 3600)),
                properties(driver), seed(root), List.copyOf(warnings));
    }

    private Map<String, String> properties(Element driver) throws ConfigError {
        Map<String, String> found = new HashMap<>();
        Element list = driver == null ? null : child(driver, FD, "properties");
        for (Element one : list == null ? List.<Element>of() : children(list)) {
            Element name = child(one, FD, "name");
            Element value = child(one, FD, "value");
            String key = name == null ? one.getAttribute("name") : text(name);
            if (key.isEmpty()) {
                throw wrong(one, "a name, as attribute or as element", "none");
            }
            found.put(key, text(value == null ? one : value));
        }
        return Map.copyOf(found);
    }

    private Long seed(Element root) throws ConfigError {
        Element seed = child(root, null, "seed");
        if (seed == null || text(seed).isEmpty()) {
            return null;
        }
        try {
            return Long.valueOf(text(seed));
        } catch (NumberFormatException e) {
            throw wrong(seed, "an integer", text(seed));
        }
    }

    private void warnOfUnknown(Element parent) {
        for (Element element : children(parent)) {
            String space = element.getNamespaceURI();
            boolean ours = FA.equals(space) || FD.equals(space);
            if (ours && !KNOWN.contains(element.getLocalName()) && !element.getLocalName().equals("operationMix")) {
                warnings.add(file + ":" + LocatedXml.line(element) + ": " + element.getNodeName()
                        + ": unknown, ignored here and by Faban (names are case sensitive)");
            } else if (!FH.equals(space)) {
                warnOfUnknown(element);
            }
        }
    }

    private Duration seconds(Element parent, String name, int min) throws ConfigError {
        return Duration.ofSeconds(integer(needed(parent, FA, name), min, MAX_SECONDS));
    }

    private int integer(Element parent, String name, int fallback, int min, int max) throws ConfigError {
        Element element = parent == null ? null : child(parent, FD, name);
        return element == null ? fallback : integer(element, min, max);
    }

    private int integer(Element element, int min, int max) throws ConfigError {
        try {
            int value = Integer.parseInt(text(element));
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // the message below says what was expected
        }
        throw wrong(element, "an integer in " + min + ".." + max, "'" + text(element) + "'");
    }

    private boolean flag(Element parent, String name, boolean fallback) throws ConfigError {
        Element element = parent == null ? null : child(parent, FD, name);
        if (element == null) {
            return fallback;
        }
        return bool(element, text(element));
    }

    private boolean attributeFlag(Element element, String attribute) throws ConfigError {
        return bool(element, element.getAttribute(attribute));
    }

    private boolean bool(Element element, String text) throws ConfigError {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(element, "true or false", "'" + text + "'");
        };
    }

    private Element needed(Element parent, String space, String name) throws ConfigError {
        Element element = child(parent, space, name);
        if (element == null) {
            throw wrong(parent, "an element " + name + " (namespace " + space + ")", "none");
        }
        return element;
    }

    private static Element child(Element parent, String space, String name) {
        return children(parent).stream()
                .filter(e -> name.equals(e.getLocalName()) && Objects.equals(space, e.getNamespaceURI()))
                .findFirst().orElse(null);
    }

    private static List<Element> children(Element parent) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                found.add(element);
            }
        }
        return found;
    }

    private static String text(Element element) {
        return element.getTextContent().strip();
    }

    private ConfigError wrong(Element element, String expected, String came) {
        return new ConfigError(file + ":" + LocatedXml.line(element) + ": " + element.getNodeName() + ": expected " + expected
                + ", got " + came);
    }
}

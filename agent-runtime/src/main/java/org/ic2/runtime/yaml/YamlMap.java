// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A mapping of a YAML file, read strictly: each key is asked for by name and type, and {@link #done} refuses the keys
 * that nobody asked for. Every error names file, line and key.
 */
public final class YamlMap {

    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?");

    private final String file;
    private final String path;
    private final int line;
    private final Map<String, Node> values = new LinkedHashMap<>();
    private final Map<String, Integer> lines = new LinkedHashMap<>();
    private final TreeSet<String> asked = new TreeSet<>();

    /**
     * The root of a file.
     *
     * @param file its name, for errors
     * @param text what it holds
     * @throws ConfigException when it is no YAML, or no mapping
     */
    public static YamlMap parse(String file, String text) throws ConfigException {
        try {
            LoadSettings settings = LoadSettings.builder().setLabel(file).setAllowNonScalarKeys(true).build();
            YamlLimits.check(file, settings, text);
            Optional<Node> root = new Compose(settings).composeString(text);
            return new YamlMap(file, "", root.orElseThrow(() -> new ConfigException(file + ":1: the file is empty")));
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw new ConfigException(file + ":" + line + ": not YAML: " + e.getProblem(), e);
        } catch (YamlEngineException e) {
            throw new ConfigException(file + ":1: not YAML: " + e.getMessage(), e);
        }
    }

    /**
     * @param path dotted path of this mapping in the file; empty for the root
     */
    private YamlMap(String file, String path, Node node) throws ConfigException {
        this.file = file;
        this.path = path;
        this.line = lineOf(node);
        if (!(node instanceof MappingNode mapping)) {
            throw new ConfigException(file + ":" + line + ": " + (path.isEmpty() ? "the file" : path)
                    + ": expected keys and values, got " + describe(node));
        }
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw new ConfigException(file + ":" + lineOf(tuple.getKeyNode()) + ": expected a plain key");
            }
            String name = key.getValue();
            if (isNull(tuple.getValueNode())) {
                throw new ConfigException(file + ":" + lineOf(key) + ": " + dotted(name)
                        + ": expected a value, got nothing; leave the key out if you want its default");
            }
            if (values.put(name, tuple.getValueNode()) != null) {
                throw new ConfigException(file + ":" + lineOf(key) + ": " + dotted(name) + ": given twice");
            }
            lines.put(name, lineOf(key));
        }
    }

    public String file() {
        return file;
    }

    public boolean has(String key) {
        asked.add(key);
        return values.containsKey(key);
    }

    /** Takes over what another has and this has not; an error in it names the line of the key that brings it. */
    public void addDefaults(YamlMap defaults, String origin) {
        defaults.values.forEach((key, value) -> {
            if (values.putIfAbsent(key, value) == null) {
                lines.put(key, lines.getOrDefault(origin, line));
            }
        });
    }

    /** All keys, for mappings whose keys are names that the tenant chose. */
    public List<String> names() {
        return List.copyOf(values.keySet());
    }

    public String text(String key) throws ConfigException {
        return scalar(key, require(key));
    }

    public Optional<String> optionalText(String key) throws ConfigException {
        return has(key) ? Optional.of(text(key)) : Optional.empty();
    }

    /** A value that {@code parser} reads from text; its IllegalArgumentException becomes an error at this line. */
    public <T> T parsed(String key, Function<String, T> parser) throws ConfigException {
        String text = text(key);
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw error(key, e.getMessage());
        }
    }

    public <T> Optional<T> optionalParsed(String key, Function<String, T> parser) throws ConfigException {
        return has(key) ? Optional.of(parsed(key, parser)) : Optional.empty();
    }

    public <T> T parsed(String key, Function<String, T> parser, T otherwise) throws ConfigException {
        return has(key) ? parsed(key, parser) : otherwise;
    }

    public Duration duration(String key) throws ConfigException {
        return parsed(key, Durations::parse);
    }

    public Duration duration(String key, Duration otherwise) throws ConfigException {
        return has(key) ? duration(key) : otherwise;
    }

    /** Bytes, written as {@link Sizes} reads them. */
    public long size(String key) throws ConfigException {
        return parsed(key, Sizes::parse);
    }

    public int integer(String key) throws ConfigException {
        return parsed(key, YamlMap::parseInteger);
    }

    public int integer(String key, int otherwise) throws ConfigException {
        return has(key) ? integer(key) : otherwise;
    }

    public double number(String key) throws ConfigException {
        return parsed(key, YamlMap::parseNumber);
    }

    public boolean flag(String key, boolean otherwise) throws ConfigException {
        return parsed(key, YamlMap::parseFlag, otherwise);
    }

    /** One of several words. */
    public String oneOf(String key, String otherwise, String... words) throws ConfigException {
        String text = has(key) ? text(key) : otherwise;
        if (!List.of(words).contains(text)) {
            throw error(key, "expected one of " + String.join(", ", words) + ", got \"" + text + "\"");
        }
        return text;
    }

    public List<String> texts(String key) throws ConfigException {
        List<String> texts = new ArrayList<>();
        for (Node item : items(key)) {
            texts.add(scalar(key, item));
        }
        return texts;
    }

    /** The mappings of a list, each of which knows its place: {@code rules[0]}. */
    public List<YamlMap> maps(String key) throws ConfigException {
        List<YamlMap> maps = new ArrayList<>();
        for (Node item : items(key)) {
            maps.add(new YamlMap(file, dotted(key) + "[" + maps.size() + "]", item));
        }
        return maps;
    }

    /** All keys with their values, for mappings of plain values and lists: equal where the file says the same. */
    public Map<String, List<String>> contents() throws ConfigException {
        Map<String, List<String>> contents = new TreeMap<>();
        for (String key : values.keySet()) {
            contents.put(key, textOrTexts(key));
        }
        return contents;
    }

    /** A list, or a single value as a list of one. */
    public List<String> textOrTexts(String key) throws ConfigException {
        return require(key) instanceof SequenceNode ? texts(key) : List.of(text(key));
    }

    public YamlMap map(String key) throws ConfigException {
        return new YamlMap(file, dotted(key), require(key));
    }

    /** The mapping under the key, or an empty one. */
    public YamlMap mapOrEmpty(String key) throws ConfigException {
        return has(key) ? map(key)
                : new YamlMap(file, dotted(key), new MappingNode(Tag.MAP, List.of(), FlowStyle.FLOW));
    }

    /** Refuses keys that nobody asked for. */
    public void done() throws ConfigException {
        only(asked);
    }

    /** Refuses all keys but these, at once: a misspelt key is named before the one that is missing for it. */
    public void only(Collection<String> known) throws ConfigException {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw error(key, "unknown key; expected one of " + String.join(", ", known));
            }
        }
    }

    public ConfigException error(String key, String message) {
        return new ConfigException(file + ":" + lines.getOrDefault(key, line) + ": " + dotted(key) + ": " + message);
    }

    private Node require(String key) throws ConfigException {
        if (!has(key)) {
            throw error(key, "missing; this key is required");
        }
        return values.get(key);
    }

    private List<Node> items(String key) throws ConfigException {
        Node node = require(key);
        if (node instanceof SequenceNode sequence) {
            return sequence.getValue();
        }
        throw error(key, "expected a list, got " + describe(node));
    }

    private String scalar(String key, Node node) throws ConfigException {
        if (node instanceof ScalarNode scalar && !isNull(node)) {
            return scalar.getValue();
        }
        throw error(key, "expected a single value, got " + describe(node));
    }

    private String dotted(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static boolean isNull(Node node) {
        return node instanceof ScalarNode && node.getTag().equals(Tag.NULL);
    }

    private static int lineOf(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private static String describe(Node node) {
        return switch (node.getNodeType()) {
            case MAPPING -> "keys and values";
            case SEQUENCE -> "a list";
            default -> isNull(node) ? "nothing" : "\"" + ((ScalarNode) node).getValue() + "\"";
        };
    }

    private static int parseInteger(String text) {
        if (!text.matches("-?\\d{1,9}")) {
            throw new IllegalArgumentException("expected a whole number, got \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }

    private static double parseNumber(String text) {
        if (!NUMBER.matcher(text).matches() || Double.isInfinite(Double.parseDouble(text))) {
            throw new IllegalArgumentException("expected a number, got \"" + text + "\"");
        }
        return Double.parseDouble(text);
    }

    private static boolean parseFlag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("expected true or false, got \"" + text + "\"");
        };
    }
}

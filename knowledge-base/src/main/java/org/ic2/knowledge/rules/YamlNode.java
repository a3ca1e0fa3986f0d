// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.FormatException;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** A node of a YAML file that knows its file, its line and its path, so that errors can name them. */
final class YamlNode {
    private final String source;
    private final String path;
    private final Node node;

    private YamlNode(String source, String path, Node node) {
        this.source = source;
        this.path = path;
        this.node = node;
    }

    static YamlNode parse(String source, String text) {
        try {
            LoadSettings settings = LoadSettings.builder().setLabel(source).setAllowDuplicateKeys(false)
                    .setMaxAliasesForCollections(0).build();
            Optional<Node> root = new Compose(settings).composeString(text);
            return new YamlNode(source, "", root.orElseThrow(
                    () -> new FormatException(source, "line 1", "the file is empty")));
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw new FormatException(source, "line " + line, "not YAML: " + e.getProblem(), e);
        } catch (YamlEngineException e) {
            throw new FormatException(source, "line 1", "not YAML: " + e.getMessage(), e);
        }
    }

    FormatException wrong(String message) {
        int line = node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
        return new FormatException(source, "line " + line + (path.isEmpty() ? "" : ", " + path), message);
    }

    private Map<String, Node> entries() {
        if (!(node instanceof MappingNode mapping)) {
            throw wrong("expected keys with values");
        }
        Map<String, Node> entries = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
            if (entries.put(key, tuple.getValueNode()) != null) {
                throw new YamlNode(source, path, tuple.getKeyNode()).wrong("key '" + key + "' is there twice");
            }
        }
        return entries;
    }

    Set<String> keys() {
        return entries().keySet();
    }

    boolean has(String key) {
        return entries().containsKey(key);
    }

    YamlNode get(String key) {
        Node value = entries().get(key);
        if (value == null) {
            throw wrong("key '" + key + "' is missing");
        }
        return new YamlNode(source, path.isEmpty() ? key : path + "." + key, value);
    }

    void onlyKeys(String... known) {
        entries().forEach((key, value) -> {
            if (!List.of(known).contains(key)) {
                throw new YamlNode(source, path, value).wrong("unknown key '" + key + "'; expected one of "
                        + String.join(", ", known));
            }
        });
    }

    List<YamlNode> items() {
        if (!(node instanceof SequenceNode sequence)) {
            throw wrong("expected a list");
        }
        List<YamlNode> items = new ArrayList<>();
        for (Node item : sequence.getValue()) {
            items.add(new YamlNode(source, path + "[" + items.size() + "]", item));
        }
        return items;
    }

    String text() {
        if (!(node instanceof ScalarNode scalar)) {
            throw wrong("expected a text or a number");
        }
        return scalar.getValue();
    }

    double number() {
        try {
            double value = Double.parseDouble(text());
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below, with the place
        }
        throw wrong("expected a number, got '" + text() + "'");
    }
}

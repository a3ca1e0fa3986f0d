// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.tree;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Terms;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Vocabulary;

/**
 * Reads and writes {@code classifier.json}. A file that is not wholly understood is refused; the message carries
 * the path of the bad node, such as {@code tree.le.gt.threshold}.
 */
public final class ClassifierJson {
    private static final int FORMAT = 1;
    private static final int MAX_DEPTH = 64;

    private final String source;
    private final Vocabulary vocabulary;

    private ClassifierJson(String source, Vocabulary vocabulary) {
        this.source = source;
        this.vocabulary = vocabulary;
    }

    /** The model of a file's text in the vocabulary that IC2 ships. */
    public static ClassifierModel read(String source, String text) {
        return read(source, text, Terms.shipped());
    }

    /**
     * The model of a file's text.
     *
     * @param source     the file's name, for error messages
     * @param vocabulary the quantities that it may name
     * @throws FormatException if anything is missing, unknown or impossible
     */
    public static ClassifierModel read(String source, String text, Vocabulary vocabulary) {
        return new ClassifierJson(source, vocabulary).model(text);
    }

    /** The file's text; {@link #read} gives an equal model back. */
    public static String write(ClassifierModel model) {
        ClassifierJson json = new ClassifierJson("classifier.json", Terms.shipped());
        ObjectNode file = Json.object();
        file.put("format", FORMAT);
        ArrayNode attributes = file.putArray("attributes");
        model.attributes().forEach(attribute -> attributes.add(attribute.name()));
        ArrayNode classes = file.putArray("classes");
        Arrays.stream(Label.values()).forEach(label -> classes.add(label.name()));
        ArrayNode costs = file.putArray("cost_matrix");
        model.costs().rows().forEach(row -> {
            ArrayNode line = costs.addArray();
            row.forEach(line::add);
        });
        ObjectNode provenance = file.putObject("provenance");
        model.provenance().forEach(provenance::put);
        json.put(file.putObject("tree"), model.tree().root());
        return file.toPrettyString() + "\n";
    }

    private void put(ObjectNode target, TreeNode node) {
        if (node instanceof Split split) {
            target.put("attribute", split.attribute().name()).put("threshold", split.threshold());
            put(target.putObject("le"), split.le());
            put(target.putObject("gt"), split.gt());
        } else if (node instanceof Leaf leaf) {
            target.put("label", leaf.label().name());
            if (!leaf.counts().isEmpty()) {
                ObjectNode counts = target.putObject("counts");
                leaf.counts().forEach((label, count) -> counts.put(label.name(), count));
            }
        }
    }

    private ClassifierModel model(String text) {
        JsonNode file = parse(text);
        keys(file, "top level", Set.of("format", "attributes", "classes", "cost_matrix", "provenance", "tree"),
                Set.of("provenance"));
        if (file.get("format").asInt(-1) != FORMAT) {
            throw wrong("format", "expected " + FORMAT + ", got " + file.get("format")
                    + "; the file was written for another version of IC2");
        }
        List<Attribute> attributes = attributes(file.get("attributes"));
        classes(file.get("classes"));
        TreeNode root = node(file.get("tree"), "tree", attributes, 0);
        return new ClassifierModel(attributes, costs(file.get("cost_matrix")), provenance(file.get("provenance")),
                new DecisionTree(root));
    }

    private JsonNode parse(String text) {
        try {
            return Json.readStrictly(text);
        } catch (JsonProcessingException e) {
            String place = e.getLocation() == null ? "start"
                    : "line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr();
            throw new FormatException(source, place, "not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private List<Attribute> attributes(JsonNode array) {
        if (!array.isArray() || array.isEmpty()) {
            throw wrong("attributes", "expected a list of names, got " + array);
        }
        List<Attribute> found = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            found.add(attribute(array.get(i), "attributes[" + i + "]"));
        }
        return found;
    }

    private Attribute attribute(JsonNode name, String path) {
        if (!name.isTextual()) {
            throw wrong(path, "expected an attribute's name, got " + name);
        }
        try {
            return Attribute.parse(name.textValue(), vocabulary);
        } catch (IllegalArgumentException e) {
            throw new FormatException(source, path, e.getMessage(), e);
        }
    }

    private void classes(JsonNode array) {
        List<String> expected = Arrays.stream(Label.values()).map(Label::name).toList();
        List<String> got = new ArrayList<>();
        array.forEach(name -> got.add(name.asText()));
        if (!expected.equals(got)) {
            throw wrong("classes", "expected " + expected + " in this order, got " + array);
        }
    }

    private CostMatrix costs(JsonNode array) {
        List<List<Double>> rows = new ArrayList<>();
        for (JsonNode line : array) {
            List<Double> row = new ArrayList<>();
            line.forEach(cost -> row.add(cost.isNumber() ? cost.doubleValue() : Double.NaN));
            rows.add(row);
        }
        try {
            return new CostMatrix(rows);
        } catch (IllegalArgumentException e) {
            throw new FormatException(source, "cost_matrix", e.getMessage(), e);
        }
    }

    private Map<String, String> provenance(JsonNode object) {
        Map<String, String> found = new LinkedHashMap<>();
        if (object != null && !object.isObject()) {
            throw wrong("provenance", "expected names with texts, got " + object);
        }
        Set<Map.Entry<String, JsonNode>> entries = object == null ? Set.of() : object.properties();
        for (Map.Entry<String, JsonNode> entry : entries) {
            if (!entry.getValue().isTextual()) {
                throw wrong("provenance." + entry.getKey(), "expected a text in quotes, got " + entry.getValue());
            }
            found.put(entry.getKey(), entry.getValue().textValue());
        }
        return found;
    }

    private TreeNode node(JsonNode node, String path, List<Attribute> attributes, int depth) {
        if (depth > MAX_DEPTH) {
            throw wrong(path, "the tree is deeper than " + MAX_DEPTH + " tests");
        }
        if (!node.isObject()) {
            throw wrong(path, "expected {attribute, threshold, le, gt} or {label, counts}, got " + node);
        }
        if (node.has("label")) {
            return leaf(node, path);
        }
        keys(node, path, Set.of("attribute", "threshold", "le", "gt"), Set.of());
        Attribute attribute = attribute(node.get("attribute"), path + ".attribute");
        if (!attributes.contains(attribute)) {
            throw wrong(path + ".attribute", "'" + attribute + "' is not in the list 'attributes' " + attributes);
        }
        JsonNode threshold = node.get("threshold");
        if (!threshold.isNumber() || !Double.isFinite(threshold.doubleValue())) {
            throw wrong(path + ".threshold", "expected a number, got " + threshold);
        }
        return new Split(attribute, threshold.doubleValue(),
                node(node.get("le"), path + ".le", attributes, depth + 1),
                node(node.get("gt"), path + ".gt", attributes, depth + 1));
    }

    private Leaf leaf(JsonNode node, String path) {
        keys(node, path, Set.of("label", "counts"), Set.of("counts"));
        Map<Label, Double> counts = new EnumMap<>(Label.class);
        JsonNode given = node.path("counts");
        if (!given.isMissingNode() && (!given.isObject() || given.isEmpty())) {
            throw wrong(path + ".counts", "expected a number for each class, got " + given);
        }
        given.properties().forEach(entry -> {
            String place = path + ".counts." + entry.getKey();
            if (!entry.getValue().isNumber() || !(entry.getValue().doubleValue() >= 0)
                    || Double.isInfinite(entry.getValue().doubleValue())) {
                throw wrong(place, "expected a number of 0 or more, got " + entry.getValue());
            }
            counts.put(label(entry.getKey(), place), entry.getValue().doubleValue());
        });
        JsonNode label = node.get("label");
        return new Leaf(label(label.isTextual() ? label.textValue() : label.toString(), path + ".label"), counts);
    }

    private Label label(String name, String path) {
        return Arrays.stream(Label.values()).filter(label -> label.name().equals(name)).findFirst()
                .orElseThrow(() -> wrong(path, "expected one of " + Arrays.toString(Label.values()) + ", got '" + name
                        + "'"));
    }

    private void keys(JsonNode object, String path, Set<String> known, Set<String> optional) {
        if (!object.isObject()) {
            throw wrong(path, "expected an object with " + known + ", got " + object);
        }
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw wrong(path, "unknown key '" + name + "'; expected " + sorted(known));
            }
        });
        for (String name : sorted(known)) {
            if (!object.has(name) && !optional.contains(name)) {
                throw wrong(path, "key '" + name + "' is missing; expected " + sorted(known));
            }
        }
    }

    private static List<String> sorted(Set<String> names) {
        return names.stream().sorted().toList();
    }

    private FormatException wrong(String path, String message) {
        return new FormatException(source, path, message);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Lever;

/**
 * Reads {@code rules.yaml}. Strict: an unknown key, a wrong kind or a rule that can never be understood is an error
 * that names file, line and key.
 */
public final class RulesYaml {
    private static final int FORMAT = 1;

    private RulesYaml() {
    }

    /**
     * The rules of a file's text.
     *
     * @param source the file's name, for error messages
     * @throws FormatException if anything is missing, unknown or impossible
     */
    public static KnowledgeBase read(String source, String text) {
        YamlNode file = YamlNode.parse(source, text);
        file.onlyKeys("format", "fallback", "witnesses", "rules");
        YamlNode format = file.get("format");
        if (format.number() != FORMAT) {
            throw format.wrong("expected " + FORMAT + "; the file was written for another version of IC2");
        }
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (YamlNode node : file.get("rules").items()) {
            Rule rule = rule(node);
            if (!ids.add(rule.id())) {
                throw node.get("id").wrong("rule '" + rule.id() + "' is there twice");
            }
            rules.add(rule);
        }
        YamlNode fallback = file.get("fallback");
        Rule row = rules.stream().filter(rule -> rule.id().equals(fallback.text())).findFirst()
                .orElseThrow(() -> fallback.wrong("expected the id of a rule, one of " + ids.stream().sorted().toList()
                        + ", got '" + fallback.text() + "'"));
        return new KnowledgeBase(rules, row, conditions(file.get("witnesses")));
    }

    private static Rule rule(YamlNode node) {
        node.onlyKeys("id", "row", "context", "when", "set", "reason");
        YamlNode when = node.get("when");
        when.onlyKeys("all", "any");
        if (when.has("all") == when.has("any")) {
            throw when.wrong("expected one of 'all' and 'any'");
        }
        boolean every = when.has("all");
        YamlNode list = when.get(every ? "all" : "any");
        List<Condition> conditions = conditions(list);
        if (conditions.isEmpty()) {
            throw list.wrong("expected at least one condition");
        }
        List<Move> moves = new ArrayList<>();
        for (String key : node.get("set").keys()) {
            moves.add(move(key, node.get("set").get(key)));
        }
        if (moves.isEmpty()) {
            throw node.get("set").wrong("expected at least one lever");
        }
        return new Rule(node.get("id").text(), (int) node.get("row").number(), node.get("context").text(), every,
                conditions, moves, node.get("reason").text());
    }

    private static List<Condition> conditions(YamlNode list) {
        List<Condition> conditions = new ArrayList<>();
        for (YamlNode node : list.items()) {
            node.onlyKeys("attribute", "above", "below");
            if (node.has("above") == node.has("below")) {
                throw node.wrong("expected one of 'above' and 'below'");
            }
            YamlNode name = node.get("attribute");
            boolean above = node.has("above");
            conditions.add(new Condition(attribute(name), above, node.get(above ? "above" : "below").number()));
        }
        return conditions;
    }

    private static Attribute attribute(YamlNode name) {
        try {
            return Attribute.parse(name.text());
        } catch (IllegalArgumentException e) {
            throw name.wrong(e.getMessage());
        }
    }

    private static Move move(String key, YamlNode node) {
        Lever lever = Lever.ofKey(key).filter(Lever::ofPaper).orElseThrow(() -> node.wrong("unknown lever '" + key
                + "'; expected max-request-workers, keep-alive-timeout or php-max-children"));
        node.onlyKeys("direction", "update", "factor", "value");
        YamlNode direction = node.get("direction");
        Direction where = switch (direction.text()) {
            case "up" -> Direction.UP;
            case "down" -> Direction.DOWN;
            default -> throw direction.wrong("expected up or down, got '" + direction.text() + "'");
        };
        return new Move(lever, where, update(node));
    }

    private static UpdateFunction update(YamlNode node) {
        YamlNode name = node.get("update");
        UpdateFunction update = switch (name.text()) {
            case "load-per-operation" -> new UpdateFunction.LoadPerOperation();
            case "response-time" -> new UpdateFunction.ResponseTime(positive(node.get("factor")));
            case "throughput" -> new UpdateFunction.Throughput();
            case "constant" -> new UpdateFunction.Constant(positive(node.get("value")));
            default -> throw name.wrong("unknown update function '" + name.text()
                    + "'; expected load-per-operation, response-time, throughput or constant");
        };
        if (node.has("factor") && !(update instanceof UpdateFunction.ResponseTime)) {
            throw node.get("factor").wrong("'factor' belongs to the update function response-time");
        }
        if (node.has("value") && !(update instanceof UpdateFunction.Constant)) {
            throw node.get("value").wrong("'value' belongs to the update function constant");
        }
        return update;
    }

    private static double positive(YamlNode node) {
        if (!(node.number() > 0)) {
            throw node.wrong("expected a number above 0, got '" + node.text() + "'");
        }
        return node.number();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Vocabulary;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * Reads {@code rules.yaml}. Strict: an unknown key, a wrong kind or a rule that can never be understood is an error
 * that names file, line and key.
 */
public final class RulesYaml {
    private static final int FORMAT = 1;
    private static final int MOST_LEVEL = 99;
    /** The context of a rule that asks for nothing but confirmed interference. */
    private static final String INTERFERENCE = "interference";

    private final Vocabulary vocabulary;
    private final int last;

    private RulesYaml(Vocabulary vocabulary, int last) {
        this.vocabulary = vocabulary;
        this.last = last;
    }

    /** The rules of a file's text in the vocabulary that IC2 ships. */
    public static KnowledgeBase read(String source, String text) {
        return read(source, text, Terms.shipped());
    }

    /**
     * The rules of a file's text.
     *
     * @param source     the file's name, for error messages
     * @param vocabulary the knobs and quantities that they may name
     * @throws FormatException if anything is missing, unknown or impossible
     */
    public static KnowledgeBase read(String source, String text, Vocabulary vocabulary) {
        return read(source, text, vocabulary, MOST_LEVEL);
    }

    /**
     * The same where the ladder is known.
     *
     * @param last the highest level of mitigation that there is to put a wall after
     * @throws FormatException also if a wall would go up after a higher one
     */
    public static KnowledgeBase read(String source, String text, Vocabulary vocabulary, int last) {
        try {
            return new RulesYaml(vocabulary, last).read(YamlMap.parse(source, text));
        } catch (ConfigException e) {
            throw new FormatException(e.getMessage(), e);
        }
    }

    private KnowledgeBase read(YamlMap file) throws ConfigException {
        file.only(List.of("format", "fallback", "independent-signals", "never-normal", "assumed-reliefs", "rules", "causes"));
        if (file.number("format") != FORMAT) {
            throw file.error("format", "expected " + FORMAT + "; the file was written for another version of IC2");
        }
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (YamlMap map : file.maps("rules")) {
            Rule rule = rule(map);
            if (!ids.add(rule.id())) {
                throw map.error("id", "rule '" + rule.id() + "' is there twice");
            }
            rules.add(rule);
        }
        String fallback = file.text("fallback");
        Rule row = rules.stream().filter(rule -> rule.id().equals(fallback)).findFirst()
                .orElseThrow(() -> file.error("fallback", "expected the id of a rule, one of "
                        + ids.stream().sorted().toList() + ", got '" + fallback + "'"));
        return new KnowledgeBase(rules, row,
                file.has("independent-signals") ? conditions(file, "independent-signals") : List.of(), neverNormal(file), reliefs(file), causes(file));
    }

    private Map<Cause, CauseLevers> causes(YamlMap file) throws ConfigException {
        Map<Cause, CauseLevers> causes = new EnumMap<>(Cause.class);
        YamlMap all = file.mapOrEmpty("causes");
        for (String key : all.names()) {
            Cause cause = Cause.ofKey(key).filter(one -> one != Cause.NEIGHBOUR).orElseThrow(() -> all.error(key,
                    "expected a cause other than neighbour, one of " + CauseLevers.keys()));
            YamlMap map = all.map(key);
            map.only(List.of("levels", "wall", "when", "set", "advice"));
            List<String> levels = map.has("levels") ? map.texts("levels") : List.of();
            if (!levels.isEmpty() && !(levels.size() == 2 && levels.stream().allMatch(level -> level.matches("[1-9]\\d?"))
                    && Integer.parseInt(levels.get(0)) <= Integer.parseInt(levels.get(1)))) {
                throw map.error("levels", "expected [first, last] level of mitigation, such as [3, 4], got " + levels);
            }
            List<Move> moves = new ArrayList<>();
            YamlMap set = map.mapOrEmpty("set");
            for (String knob : set.names()) {
                moves.add(move(set, knob));
            }
            int highest = levels.isEmpty() ? 0 : Integer.parseInt(levels.get(1));
            causes.put(cause, new CauseLevers(levels.isEmpty() ? 0 : Integer.parseInt(levels.get(0)), highest, wall(map, highest),
                    map.has("when") ? conditions(map, "when") : List.of(), moves, map.text("advice")));
        }
        return causes;
    }

    /** Beyond the last level that is used for the cause, or that there is, it would never go up. */
    private int wall(YamlMap map, int highest) throws ConfigException {
        int level = map.has("wall") ? map.integer("wall") : -1;
        if (map.has("wall") && (level < 0 || level > Math.min(highest, last))) {
            throw map.error("wall", "expected the level of mitigation after which the wall goes up, 0 to " + Math.min(highest, last)
                    + (last < highest ? ", the ladder's last" : highest == 0 ? ", as no levels are used for this cause" : ", the last of levels")
                    + ", got " + level);
        }
        return level;
    }

    private List<Condition> neverNormal(YamlMap file) throws ConfigException {
        List<Condition> conditions = file.has("never-normal") ? conditions(file, "never-normal") : List.of();
        for (Condition condition : conditions) {
            if (condition.attribute().relative()) {
                throw file.error("never-normal", condition.attribute().name() + " is relative to what is normal, which"
                        + " these conditions come before; expected " + condition.attribute().quantity().column());
            }
        }
        return conditions;
    }

    private AssumedEffects reliefs(YamlMap file) throws ConfigException {
        Map<Knob, TreeMap<Integer, Double>> shares = new HashMap<>();
        YamlMap knobs = file.mapOrEmpty("assumed-reliefs");
        for (String key : knobs.names()) {
            Knob knob = knob(knobs, key);
            YamlMap map = knobs.map(key);
            TreeMap<Integer, Double> known = new TreeMap<>();
            for (String value : map.names()) {
                if (known.put(value(knob, map, value), share(map, value)) != null) {
                    throw map.error(value, "this value of " + key + " is there twice");
                }
            }
            shares.put(knob, known);
        }
        return new AssumedEffects(shares);
    }

    private static int value(Knob knob, YamlMap map, String value) throws ConfigException {
        try {
            return knob.parse(value);
        } catch (IllegalArgumentException e) {
            throw map.error(value, "no value of " + knob.key() + ": " + e.getMessage());
        }
    }

    private static double share(YamlMap map, String value) throws ConfigException {
        double share = positive(map, value);
        if (share > 1) {
            throw map.error(value, "expected a share of what an operation costs at the baseline, above 0 and at most 1,"
                    + " got '" + map.text(value) + "'");
        }
        return share;
    }

    private Knob knob(YamlMap map, String key) throws ConfigException {
        return vocabulary.knob(key).orElseThrow(() -> map.error(key, "unknown knob '" + key
                + "'; expected one of " + String.join(", ", vocabulary.keys())));
    }

    private Rule rule(YamlMap map) throws ConfigException {
        map.only(List.of("id", "row", "context", "when", "acts", "set", "reason"));
        boolean always = map.oneOf("acts", "in-interference", "in-interference", "always").equals("always");
        YamlMap when = map.map("when");
        boolean any = when.has("any");
        List<Condition> conditions = when(when, any ? "any" : "all");
        if (conditions.isEmpty() && always) {
            throw map.error("acts", "'always' needs evidence of the rule's own, 'all' or 'any' under when");
        }
        List<Move> moves = new ArrayList<>();
        YamlMap set = map.map("set");
        for (String key : set.names()) {
            moves.add(move(set, key));
        }
        if (moves.isEmpty()) {
            throw map.error("set", "expected at least one knob");
        }
        OptionalInt row = map.has("row") ? OptionalInt.of(map.integer("row")) : OptionalInt.empty();
        return new Rule(map.text("id"), row, map.text("context"), !any, conditions, always, moves, map.text("reason"));
    }

    /** The conditions, at least one; none where confirmed interference alone is the context. */
    private List<Condition> when(YamlMap when, String key) throws ConfigException {
        when.only(List.of("all", "any", INTERFERENCE));
        if (when.names().size() != 1) {
            throw when.error(key, "expected one of 'all', 'any' and '" + INTERFERENCE + ": confirmed'");
        }
        if (when.has(INTERFERENCE)) {
            when.oneOf(INTERFERENCE, "", "confirmed");
            return List.of();
        }
        List<Condition> conditions = conditions(when, key);
        if (conditions.isEmpty()) {
            throw when.error(key, "expected at least one condition");
        }
        return conditions;
    }

    private List<Condition> conditions(YamlMap parent, String key) throws ConfigException {
        List<Condition> conditions = new ArrayList<>();
        for (YamlMap map : parent.maps(key)) {
            map.only(List.of("attribute", "above", "below"));
            Attribute attribute = map.parsed("attribute", name -> Attribute.parse(name, vocabulary));
            if (map.has("above") == map.has("below")) {
                throw map.error("attribute", "expected one of 'above' and 'below' beside it");
            }
            boolean above = map.has("above");
            conditions.add(new Condition(attribute, above, map.number(above ? "above" : "below")));
        }
        return conditions;
    }

    private Move move(YamlMap set, String key) throws ConfigException {
        Knob knob = knob(set, key);
        YamlMap map = set.map(key);
        map.only(List.of("direction", "update", "factor", "value"));
        Direction where = switch (map.text("direction")) {
            case "up" -> Direction.UP;
            case "down" -> Direction.DOWN;
            default -> throw map.error("direction", "expected up or down, got '" + map.text("direction") + "'");
        };
        return new Move(knob, where, update(map));
    }

    private static UpdateFunction update(YamlMap map) throws ConfigException {
        String name = map.text("update");
        UpdateFunction update = switch (name) {
            case "load-per-operation" -> new UpdateFunction.LoadPerOperation();
            case "response-time" -> new UpdateFunction.ResponseTime(positive(map, "factor"));
            case "throughput" -> new UpdateFunction.Throughput();
            case "constant" -> new UpdateFunction.Constant(positive(map, "value"));
            case "share" -> new UpdateFunction.Share(positive(map, "factor"));
            default -> throw map.error("update", "unknown update function '" + name
                    + "'; expected load-per-operation, response-time, throughput, share or constant");
        };
        if (map.has("factor") && !(update instanceof UpdateFunction.ResponseTime) && !(update instanceof UpdateFunction.Share)) {
            throw map.error("factor", "belongs to the update functions response-time and share");
        }
        if (map.has("value") && !(update instanceof UpdateFunction.Constant)) {
            throw map.error("value", "belongs to the update function constant");
        }
        return update;
    }

    private static double positive(YamlMap map, String key) throws ConfigException {
        double value = map.number(key);
        if (!(value > 0)) {
            throw map.error(key, "expected a number above 0, got '" + map.text(key) + "'");
        }
        return value;
    }
}

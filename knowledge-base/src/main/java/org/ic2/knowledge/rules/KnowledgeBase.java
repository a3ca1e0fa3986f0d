// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Features;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The paper's Table 3 with the evidence that chooses its rows: the content of {@code rules.yaml}.
 *
 * <p><b>Order.</b> The rows' order in the file is the order of precedence: where two rows whose contexts hold move
 * one knob, the first one decides and the decision names the other as overruled.
 *
 * @param rules     the rows, strongest first
 * @param fallback  the row for interference that no row's context explains (row 3, as in the paper's EC2 runs,
 *                  where no counters exist)
 * @param independentSignals conditions that mitigation does not change: while one that held at the start of a mitigation
 *                  still holds, the neighbour is there, however normal LPO and RT look
 * @param neverNormal conditions that need no median: what is measured while one holds is not learned as normal, so that
 *                  a neighbour who was there first does not become it
 * @param reliefs   what an operation is assumed to cost at a level until that is learned
 * @param causes    what helps against each cause of harm but a neighbour, for which the rules are; each is there or nothing does
 */
public record KnowledgeBase(List<Rule> rules, Rule fallback, List<Condition> independentSignals, List<Condition> neverNormal,
        AssumedEffects reliefs, Map<Cause, CauseLevers> causes) {
    public KnowledgeBase {
        causes = causes.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(causes));
        rules = List.copyOf(rules);
        independentSignals = List.copyOf(independentSignals);
        neverNormal = List.copyOf(neverNormal);
        if (!rules.contains(fallback)) {
            throw new IllegalArgumentException("fallback: expected one of the rules, got '" + fallback.id() + "'");
        }
    }

    /** The same with other bounds of what can be normal. */
    public KnowledgeBase withNeverNormal(List<Condition> conditions) {
        return new KnowledgeBase(rules, fallback, independentSignals, conditions, reliefs, causes);
    }

    /** The rows whose context holds, strongest first; the fallback if none does. */
    public List<Rule> select(Features features) {
        List<Rule> selected = rules.stream().filter(rule -> rule.applies(features)).toList();
        return selected.isEmpty() ? List.of(fallback) : selected;
    }

    /** Why a sample cannot be normal, whatever the medians: the first condition that says so, with its value. */
    public Optional<String> doubt(Features features) {
        for (Condition condition : neverNormal) {
            if (condition.holds(features)) {
                return Optional.of(condition.describe(features));
            }
        }
        for (Condition signal : independentSignals) {
            if (!signal.attribute().relative() && signal.holds(features)) {
                return Optional.of(signal.describe(features));
            }
        }
        return Optional.empty();
    }

    /**
     * Algorithm 1 for the rows that apply: every value computed from the baseline, then bounded.
     *
     * @param levers the knobs that may move
     */
    public Plan plan(Settings baseline, Bounds bounds, Set<? extends Knob> levers, Features features) {
        return plan(select(features), baseline, bounds, levers, features);
    }

    /** The rows that act by their own evidence, also without interference, and whose context holds; strongest first. */
    public List<Rule> always(Features features) {
        return rules.stream().filter(rule -> rule.always() && rule.applies(features)).toList();
    }

    /** The same for rows that were selected. */
    public Plan plan(List<Rule> selected, Settings baseline, Bounds bounds, Set<? extends Knob> levers, Features features) {
        List<String> evidence = new ArrayList<>();
        Map<String, Double> numbers = new LinkedHashMap<>();
        Map<Knob, Rule> owners = new TreeMap<>(Knob.ORDER);
        Settings values = baseline;
        for (Rule rule : selected) {
            List<String> found = rule.evidence(features);
            evidence.addAll(rule.applies(features) ? found
                    : List.of(rule.id() + ": no row's evidence holds, interference without counters"));
            for (Move move : rule.moves()) {
                Rule owner = owners.putIfAbsent(move.knob(), rule);
                if (owner != null) {
                    evidence.add(rule.id() + ": " + move.knob().key() + " overruled by " + owner.id());
                } else if (levers.contains(move.knob())) {
                    values = moved(values, move, baseline, bounds, features, evidence, numbers);
                }
            }
        }
        return new Plan(values, selected.stream().map(Rule::id).toList(), evidence, numbers);
    }

    private static Settings moved(Settings values, Move move, Settings baseline, Bounds bounds,
            Features features, List<String> evidence, Map<String, Double> numbers) {
        int base = baseline.get(move.knob());
        double target = move.target(base, features);
        if (Double.isNaN(target)) {
            evidence.add(move.knob().key() + " stays: a number of '" + move.update().formula() + "' is missing");
            return values;
        }
        int bounded = bounds.clamp(move.knob(), target);
        double unit = move.knob().unitsPerColumn();
        String name = "algorithm." + move.knob().column();
        numbers.put(name + ".base", base / unit);
        numbers.put(name + ".delta", (target - base) / unit);
        numbers.put(name + ".bounded", bounded / unit);
        return values.with(move.knob(), bounded);
    }

    /** Every knob that some row names. */
    public Set<Knob> knobs() {
        return Knob.set(rules.stream().flatMap(rule -> rule.moves().stream()).map(Move::knob).toList());
    }

    /** The rules as text, for {@code ic2 explain}. */
    public String toText() {
        return rules.stream().map(Rule::toText).collect(Collectors.joining())
                + "interference that no row explains: " + fallback.id() + "\n"
                + "what mitigation cannot hide: "
                + text(independentSignals) + (neverNormal.isEmpty() ? "" : "never learned as normal: " + text(neverNormal))
                + reliefs.toText().lines().map(line -> "assumed CPU per operation, as a share of the baseline's, of "
                + line + "\n").collect(Collectors.joining())
                + causes.entrySet().stream().map(entry -> "slow, cause " + entry.getKey().key() + ": " + entry.getValue().toText() + "\n")
                .collect(Collectors.joining());
    }

    private static String text(List<Condition> conditions) {
        return conditions.stream().map(Condition::describe).collect(Collectors.joining(", ")) + "\n";
    }
}

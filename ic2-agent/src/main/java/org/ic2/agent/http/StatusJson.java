// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.AgentStatus.Judged;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.agent.tenant.LadderCheck;
import org.ic2.agent.tenant.QuietCheck;
import org.ic2.agent.tenant.TargetCheck;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.ControlJson;
import org.ic2.knowledge.control.learn.LevelEffects;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.SettingsJson;

/** The JSON that status, samples and decisions have, on HTTP and on the control socket alike. */
public final class StatusJson {

    private static final int DECISIONS_SHOWN = 10;
    /** In the name of an extra, before that of a group of processes. */
    private static final String OTHER_GROUP = ".other_cpu.";
    /** A ladder may have many. */
    static final int LEVELS_SHOWN = 64;

    private final ControlJson control = new ControlJson();
    private final AgentStatus board;

    public StatusJson(AgentStatus board) {
        this.board = board;
    }

    /** The running agent at a glance. */
    public ObjectNode status(AgentConfig config) {
        ObjectNode node = Json.object()
                .put("application", config.application())
                .put("version", Metrics.version())
                .put("mode", config.mode().toString())
                .put("interval", config.interval().toMillis() / 1000.0);
        SettingsJson.put(node.putObject("baseline"), config.policy().baseline().managed());
        ArrayNode levers = node.putArray("levers");
        config.policy().levers().forEach(lever -> levers.add(lever.key()));
        ArrayNode acts = node.putArray("act");
        config.policy().acts().forEach(cause -> acts.add(cause.key()));
        Optional<String> ladder = LadderCheck.problem(config.policy());
        node.put("ladder_empty", ladder.isPresent());
        ladder.ifPresent(problem -> node.put("ladder_problem", problem));
        Optional<Tick> latest = board.latest();
        if (latest.isEmpty()) {
            return node.put("state", "starting");
        }
        addTick(node, latest.get(), config);
        ArrayNode decisions = node.putArray("decisions");
        var recent = board.decisions();
        recent.subList(Math.max(0, recent.size() - DECISIONS_SHOWN), recent.size())
                .forEach(decision -> decisions.add(brief(decision)));
        return node;
    }

    private void addTick(ObjectNode node, Tick tick, AgentConfig config) {
        Decision decision = tick.decision();
        decision.harm().ifPresent(harm -> node.set("harm", ControlJson.tree(harm).put("level", tick.level())
                .put("advice", named(harm.advice(), tick.sampled().extras()))));
        node.put("state", tick.stateName())
                .put("context", decision.state().name())
                .put("label", decision.believed().map(Label::name).orElse(null))
                .put("manual", tick.state().manualReason().orElse(null))
                .put("until", board.manualUntil().map(until -> BigDecimal.valueOf(until.toEpochMilli(), 3)).orElse(null))
                .put("epoch", tick.epoch())
                .put("actions_in_last_hour", tick.actionsInLastHour());
        ObjectNode budget = node.putObject("budget").put("actions", tick.budget().actions()).put("limit", tick.budget().limit())
                .put("by_hand", tick.budget().byHand()).put("held_back", tick.heldBack());
        tick.budget().nextFree().filter(free -> tick.heldBack()).ifPresent(free -> budget.put("until", free.getEpochSecond()));
        Settings running = tick.sampled().managed().settings(decision.current());
        SettingsJson.put(node.putObject("running"), running.managed());
        ObjectNode medians = node.putObject("medians").put("count", tick.state().medians().count());
        for (Metric metric : Attribute.LEARNED) {
            double median = tick.state().medians().get(metric);
            if (!Double.isNaN(median)) {
                medians.put(metric.column(), median);
            }
        }
        reliefs(node.putArray("reliefs"), tick, config.policy());
        node.set("sample", sample(tick.sampled().managed()));
        ArrayNode others = node.putArray("members");
        tick.sampled().others().forEach(sample -> others.add(sample(sample)));
        ObjectNode problems = node.putObject("problems");
        tick.sampled().problems().forEach(problems::put);
        TargetCheck.problem(config.policy(), tick.state().learning())
                .ifPresent(problem -> problems.put(TargetCheck.KEY, problem));
        QuietCheck.problem(config.policy(), tick.state().learning()).ifPresent(problem -> problems.put(QuietCheck.KEY, problem));
        ObjectNode extras = node.putObject("extras");
        tick.sampled().extras().forEach(extras::put);
        node.set("last_decision", brief(decision));
    }

    /** An advice for a UNIT with the name of the busiest other group, where a sensor tells it. */
    static String named(String advice, Map<String, Double> extras) {
        return extras.keySet().stream().filter(name -> name.contains(OTHER_GROUP)).findFirst()
                .map(name -> advice.replace("UNIT", name.substring(name.indexOf(OTHER_GROUP) + OTHER_GROUP.length()))).orElse(advice);
    }

    /** What an operation costs on each level, as a share of its CPU at the baseline; unknown ones are absent. */
    private static void reliefs(ArrayNode array, Tick tick, Policy policy) {
        for (int level = 1; level <= Math.min(policy.ladder().highest(), LEVELS_SHOWN); level++) {
            LevelEffects.Effect relief = tick.state().reliefs().at(level, policy);
            if (!Double.isNaN(relief.share())) {
                array.addObject().put("level", level).put("sets", policy.ladder().level(level).describe())
                        .put("relief", relief.share()).put("learned_in", relief.stays());
            }
        }
    }

    /** A sample with what it has; a missing value is absent. */
    public ObjectNode sample(Sample sample) {
        ObjectNode node = Json.object().put("time", BigDecimal.valueOf(sample.time().toEpochMilli(), 3))
                .put("member", sample.member()).put("epoch", sample.epochEnd());
        for (Metric metric : Metric.values()) {
            if (sample.has(metric)) {
                node.put(metric.column(), sample.get(metric));
            }
        }
        sample.others().forEach(node::put);
        return node;
    }

    /** A sample with what was made of it. */
    ObjectNode sample(Judged judged) {
        return sample(judged.sample()).put("state", judged.state()).put("label", judged.label().map(Label::name).orElse(null))
                .put("level", judged.level()).put("decision", judged.decision().orElse(null));
    }

    private ObjectNode brief(Decision decision) {
        ObjectNode node = control.tree(decision);
        node.remove("numbers");
        return node;
    }

    /**
     * The values in a status' {@code running} or {@code baseline}, for people.
     *
     * @param knobs those that the configuration has
     */
    public static String describe(JsonNode configuration, Set<Knob> knobs) {
        List<Knob> shown = configuration == null ? List.of()
                : knobs.stream().filter(knob -> configuration.has(knob.column())).toList();
        return SettingsJson.read(configuration, shown).map(Settings::describe).orElse("unknown");
    }
}

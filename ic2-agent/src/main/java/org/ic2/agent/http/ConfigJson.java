// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.SettingsJson;
import org.ic2.runtime.yaml.Durations;

/**
 * The configuration in force, defaults included, under the keys of {@code ic2.yaml}. What sensors and actuators are given
 * (addresses, commands, credentials in a URL) and where keys and tokens lie is left out.
 */
final class ConfigJson {

    private ConfigJson() {
    }

    static ObjectNode of(AgentConfig config) {
        Policy policy = config.policy();
        ObjectNode node = Json.object().put("application", config.application())
                .put("interval", Durations.format(config.interval())).put("mode", config.mode().toString());
        ArrayNode acts = node.putArray("act");
        policy.acts().forEach(cause -> acts.add(cause.key()));
        node.put("overload-file", config.overloadFile().map(Path::toString).orElse(null));
        ObjectNode members = node.putObject("members");
        config.members().forEach(member -> put(members.putObject(member.name()), member));
        SettingsJson.put(node.putObject("baseline"), policy.baseline().managed());
        ObjectNode bounds = node.putObject("bounds");
        policy.baseline().managed().knobs().forEach(knob -> bounds.putArray(knob.column())
                .add((double) policy.bounds().lowest().get(knob) / knob.unitsPerColumn())
                .add((double) policy.bounds().highest().get(knob) / knob.unitsPerColumn()));
        ArrayNode levers = node.putArray("levers");
        policy.levers().forEach(lever -> levers.add(lever.key()));
        ArrayNode ladder = node.putArray("ladder");
        for (int level = 1; level <= Math.min(policy.ladder().highest(), StatusJson.LEVELS_SHOWN); level++) {
            ladder.add(policy.ladder().change(level));
        }
        node.put("ladder-step", policy.ladderStep().name().toLowerCase(Locale.ROOT));
        node.put("target-response-time", policy.targetResponseTime()).put("target-response-time-of", policy.felt().column());
        ObjectNode rules = node.putObject("rules");
        Stream.concat(policy.knowledge().rules().stream(), Stream.of(policy.knowledge().fallback())).forEach(rule ->
                rule.moves().forEach(move -> rules.withObjectProperty(rule.id()).put(move.knob().column(), move.update().formula())));
        ObjectNode detector = node.putObject("detector");
        if (policy.detector() instanceof Detector.Tree tree) {
            detector.put("type", "tree");
            ObjectNode provenance = detector.putObject("provenance");
            tree.model().provenance().forEach(provenance::put);
        } else if (policy.detector() instanceof Detector.MissRate rate) {
            detector.put("type", "cmr").put("threshold", rate.cmr()).put("response-time", rate.responseTime());
        }
        node.putObject("safety").put("cool-down", Durations.format(policy.coolDown())).put("actions-per-hour", policy.actionsPerHour())
                .put("stale-after", Durations.format(policy.staleAfter())).put("min-requests", policy.minRequests())
                .put("warm-up", policy.warmUp()).put("probe-time", Durations.format(policy.probing().time()))
                .put("probe-requests", policy.probing().requests()).put("longest-hold", Durations.format(policy.probing().longestHold()))
                .put("on-exit", config.restoreOnExit() ? "restore" : "keep");
        return node;
    }

    private static void put(ObjectNode node, MemberConfig member) {
        node.put("role", member.role());
        ArrayNode sensors = node.putArray("sensors");
        member.sensors().forEach(sensor -> sensors.add(sensor.label()));
        ArrayNode actuators = node.putArray("actuators");
        member.actuators().forEach(actuator -> actuators.add(actuator.label()));
    }
}

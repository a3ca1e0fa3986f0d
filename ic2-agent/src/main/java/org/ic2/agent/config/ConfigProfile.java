// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.control.policy.Safeguards;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * Values for keys that the file leaves out, under one name. What the file itself says wins, so that an experiment can
 * change one thing of a profile; what it changes is known.
 *
 * @param name {@code paper}: the system as published
 * @param own  the profile's keys to which the file gives another value
 */
public record ConfigProfile(String name, List<String> own) {

    /** The key. */
    public static final String KEY = "profile";
    private static final String PAPER = "paper";
    private static final String DETECTOR = "detector";
    private static final String TARGET = "target-response-time";
    /** Sensors of hardware counters. */
    private static final List<String> COUNTERS = List.of("perf", "ocount");

    /** The paper's section 4, but for what hangs on the sensors. */
    private static final String PUBLISHED = """
            interval: 5s
            suspicious-interval: off
            levers: [max-request-workers, keep-alive-timeout, php-max-children]
            ladder: []
            detector: {type: tree, model: classifier-paper.json}
            knowledge-base: rules-paper.yaml
            starvation-guard: off
            restore: on-ni2
            """;

    /** Gives the file what the profile that it names has for it; empty if it names none. */
    static Optional<ConfigProfile> apply(YamlMap root) throws ConfigException {
        if (!root.has(KEY)) {
            return Optional.empty();
        }
        String name = root.oneOf(KEY, "", PAPER);
        String values = !counts(root) ? PUBLISHED : PUBLISHED.replaceFirst("(?m)^" + DETECTOR + ": .*$", DETECTOR
                + ": {type: cmr, threshold: 0.1, response-time: " + (root.has(TARGET) ? root.text(TARGET) : "500ms") + "}");
        YamlMap defaults = YamlMap.parse(KEY + " " + name, values);
        List<String> own = defaults.names().stream().filter(root::has).toList();
        root.addDefaults(defaults, KEY);
        return Optional.of(new ConfigProfile(name, own));
    }

    /** True if the managed tier has a sensor of the cache miss rate, by which the paper's private testbed detects. */
    private static boolean counts(YamlMap root) throws ConfigException {
        YamlMap members = root.map("members");
        for (String name : members.names()) {
            YamlMap member = members.map(name);
            if (member.has("role") && member.text("role").equals(MemberConfig.WEB)) {
                YamlMap sensors = member.mapOrEmpty("sensors");
                for (String key : sensors.names()) {
                    if (COUNTERS.contains(sensors.map(key).optionalText("type").orElse(""))) {
                        return true;
                    }
                }
                return false;
            }
        }
        return false;
    }

    /** The safeguards that the file or its profile wants. */
    static Safeguards safeguards(YamlMap root) throws ConfigException {
        return new Safeguards(root.oneOf("starvation-guard", "on", "on", "off").equals("on"),
                root.oneOf("restore", "guarded", "guarded", "on-ni2").equals("guarded"));
    }

    /** For people. */
    public String describe() {
        return name + (own.isEmpty() ? ", with all that it sets" : ", but " + String.join(", ", own)
                + (own.size() == 1 ? " is" : " are") + " your own");
    }
}

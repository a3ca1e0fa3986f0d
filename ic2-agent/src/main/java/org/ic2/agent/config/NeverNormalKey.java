// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.util.List;
import org.ic2.knowledge.rules.Condition;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** The key {@code never-normal}: other bounds of what can be normal than those of the rules, for a machine that is never quiet. */
final class NeverNormalKey {

    private static final String KEY = "never-normal";

    private NeverNormalKey() {
    }

    /** The rules with the values of the file. */
    static KnowledgeBase read(YamlMap root, KnowledgeBase rules) throws ConfigException {
        YamlMap values = root.mapOrEmpty(KEY);
        KnowledgeBase result = rules;
        for (String name : values.names()) {
            List<String> known = rules.neverNormal().stream().map(condition -> condition.attribute().name()).toList();
            if (!known.contains(name)) {
                throw values.error(name, "expected a condition of never-normal in the rules, of " + String.join(", ", known));
            }
            double value = values.number(name);
            if (!(value >= 0 && value <= 1)) {
                throw values.error(name, "expected a share from 0 to 1, got " + value);
            }
            List<Condition> changed = result.neverNormal().stream().map(condition -> condition.attribute().name().equals(name)
                    ? new Condition(condition.attribute(), condition.above(), value) : condition).toList();
            result = result.withNeverNormal(changed);
        }
        values.done();
        return result;
    }
}

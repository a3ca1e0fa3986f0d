// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** The key {@code act}: the causes of harm for which something is done. */
final class ActKey {

    private static final String KEY = "act";

    private ActKey() {
    }

    /** The causes of the file, each of which has a lever; a neighbour, if the file says nothing. */
    static Set<Cause> read(YamlMap root, KnowledgeBase rules) throws ConfigException {
        if (!root.has(KEY)) {
            return Set.of(Cause.NEIGHBOUR);
        }
        Set<Cause> acts = EnumSet.noneOf(Cause.class);
        List<String> possible = Arrays.stream(Cause.values()).filter(cause -> cause == Cause.NEIGHBOUR
                || rules.causes().containsKey(cause) && rules.causes().get(cause).any()).map(Cause::key).toList();
        for (String key : root.texts(KEY)) {
            if (!possible.contains(key)) {
                throw root.error(KEY, "expected causes for which there is a lever, of " + String.join(", ", possible) + ", got \""
                        + key + "\"" + (Cause.ofKey(key).isPresent() ? ", which is only advised" : ""));
            }
            acts.add(Cause.ofKey(key).orElseThrow());
        }
        return acts;
    }
}

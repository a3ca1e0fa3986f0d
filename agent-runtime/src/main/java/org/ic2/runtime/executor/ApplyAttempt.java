// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** One order to each of several actuators, and what came of them. Not thread-safe. */
final class ApplyAttempt {

    private final AppliedState tier;
    private final Settings desired;
    private final Map<String, String> problems = new LinkedHashMap<>();
    private final Map<String, Set<Knob>> answered = new LinkedHashMap<>();

    ApplyAttempt(AppliedState tier, Settings desired) {
        this.tier = tier;
        this.desired = desired;
    }

    /** Every actuator is tried, and none waits until what another was asked is in force. */
    void askAll(Map<String, Set<Knob>> parts) throws InterruptedException {
        for (Map.Entry<String, Set<Knob>> part : parts.entrySet()) {
            note(part, tier.send(part.getKey(), part.getValue(), desired));
        }
        for (Map.Entry<String, Set<Knob>> part : parts.entrySet()) {
            if (!problems.containsKey(part.getKey())) {
                note(part, tier.await(part.getKey(), part.getValue(), desired));
            }
        }
    }

    /** One after the other; the first failure ends it. */
    void askInTurn(Map<String, Set<Knob>> parts) throws InterruptedException {
        for (Map.Entry<String, Set<Knob>> part : parts.entrySet()) {
            note(part, tier.order(part.getKey(), part.getValue(), desired));
            if (!problems.isEmpty()) {
                return;
            }
        }
    }

    private void note(Map.Entry<String, Set<Knob>> part, AppliedState.Outcome outcome) {
        outcome.problem().ifPresent(problem -> problems.put(part.getKey(), problem));
        if (outcome.answered()) {
            answered.put(part.getKey(), part.getValue());
        }
    }

    /** Why something is not in force, by the actuator's label. */
    Map<String, String> problems() {
        return problems;
    }

    /** The parts of which is known whether the order was taken. */
    Map<String, Set<Knob>> answered() {
        return answered;
    }
}

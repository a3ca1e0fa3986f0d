// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.knob.Settings;

/**
 * What was decided on one sample and why: the whole explanation, so that a journal line needs nothing else.
 *
 * @param id       unique within one controller's life (persisted with its state), {@code d-17}
 * @param time     the sample's time
 * @param action   what to do
 * @param scenario the situation, from the table
 * @param reason   one sentence for people, with the numbers that mattered
 * @param before   the state before the sample
 * @param state    the state after it
 * @param tree     the detector's label, empty if the sample could not be judged
 * @param believed the label that moved the state machine; differs from {@code tree} where mitigation hides the cause
 * @param current  the configuration in force, as far as known
 * @param desired  the configuration to have; equals {@code current} unless {@code action} applies something, or enters
 *                 manual mode out of a mitigation: then it is what is left of it once this agent has put back its own values
 * @param rules    identifiers of the rows of the knowledge base that gave the directions, strongest first
 * @param evidence the conditions that chose the rows or kept the mitigation, with their values
 * @param numbers  every number that went in, by name: metrics, {@code median.*}, {@code algorithm.*},
 *                 {@code policy.*}; missing values are absent
 * @param harm     what users suffer, once that is confirmed, with its cause
 */
public record Decision(String id, Instant time, Action action, Scenario scenario, String reason, State before,
        State state, Optional<Label> tree, Optional<Label> believed, Settings current, Settings desired,
        List<String> rules, List<String> evidence, Map<String, Double> numbers, Optional<UserHarm> harm) {
    public Decision {
        rules = List.copyOf(rules);
        evidence = List.copyOf(evidence);
        numbers = Numbers.copyOf(numbers);
    }

    /** True if there is something to apply. */
    public boolean applies() {
        return action.applies();
    }
}

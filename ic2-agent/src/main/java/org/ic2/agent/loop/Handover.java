// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.loop;

import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig.ActuatorConfig;
import org.ic2.agent.config.Mode;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** What a new configuration could not put back, so that it must be put back before the new one takes over. */
final class Handover {

    private Handover() {
    }

    /** Why values that were led away from the old baseline would be out of the new configuration's reach, if so. */
    static Optional<String> stranded(AgentConfig old, AgentConfig fresh, Settings running) {
        Settings baseline = old.policy().baseline();
        StringJoiner away = new StringJoiner("; ");
        for (Knob lever : old.policy().levers()) {
            int value = running.get(lever);
            if (!running.same(baseline, lever)) {
                reason(old, fresh, lever, value).ifPresent(reason ->
                        away.add(lever.key() + " is " + lever.format(value) + " and " + reason));
            }
        }
        return away.length() == 0 ? Optional.empty() : Optional.of(away.toString());
    }

    private static Optional<String> reason(AgentConfig old, AgentConfig fresh, Knob lever, int value) {
        if (fresh.mode() != Mode.ACT) {
            return Optional.of("mode " + fresh.mode() + " changes nothing");
        }
        if (!fresh.policy().levers().contains(lever)) {
            return Optional.of("is no lever any more");
        }
        if (fresh.policy().bounds().clamp(lever, value) != value) {
            return Optional.of("is outside the new bounds");
        }
        if (!fresh.policy().baseline().same(old.policy().baseline(), lever)) {
            return Optional.of("the baseline changes");
        }
        return mover(old, lever).equals(mover(fresh, lever)) ? Optional.empty()
                : Optional.of("another actuator, or the same with other settings, would move it");
    }

    /** Who moves a lever, and how: under the same name there may be another server after an edit. */
    private static List<Object> mover(AgentConfig config, Knob lever) {
        return List.of(config.managed().host(), config.managed().actuators().stream()
                .filter(actuator -> actuator.plan().levers().contains(lever)).map(ActuatorConfig::settings).findFirst());
    }
}

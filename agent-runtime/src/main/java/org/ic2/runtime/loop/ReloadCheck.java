// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** What a new configuration could not put back, so that it must be put back before the new one takes over. */
final class ReloadCheck {

    private final AgentPolicy old;
    private final AgentPolicy fresh;

    ReloadCheck(AgentPolicy old, AgentPolicy fresh) {
        this.old = old;
        this.fresh = fresh;
    }

    /**
     * Why values that were led away from the old baseline would be out of the new configuration's reach, if so.
     *
     * @param open the levers that may be away from it, whatever seems to run
     */
    Optional<String> stranded(Settings running, Set<Knob> open) {
        Settings baseline = old.limits().baseline();
        StringJoiner away = new StringJoiner("; ");
        for (Knob lever : old.limits().levers()) {
            int value = running.get(lever);
            if (open.contains(lever) || !running.same(baseline, lever)) {
                reason(lever, value).ifPresent(reason ->
                        away.add(lever.key() + " is " + (open.contains(lever) ? "unknown" : lever.format(value))
                                + " and " + reason));
            }
        }
        return away.length() == 0 ? Optional.empty() : Optional.of(away.toString());
    }

    private Optional<String> reason(Knob lever, int value) {
        if (!fresh.acts()) {
            return Optional.of("mode " + fresh.mode() + " changes nothing");
        }
        if (!fresh.limits().levers().contains(lever)) {
            return Optional.of("is no lever any more");
        }
        if (fresh.limits().bounds().clamp(lever, value) != value) {
            return Optional.of("is outside the new bounds");
        }
        if (!fresh.limits().baseline().same(old.limits().baseline(), lever)) {
            return Optional.of("the baseline changes");
        }
        return Objects.equals(old.movers().get(lever.key()), fresh.movers().get(lever.key())) ? Optional.empty()
                : Optional.of("another actuator, or the same with other settings, would move it");
    }
}

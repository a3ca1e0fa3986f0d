// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.time.Duration;
import org.ic2.knowledge.control.policy.Probing;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import org.ic2.runtime.yaml.YamlMap;

/** The keys of {@code safety} that say what a try to restore may cost, and how long the next one may be put off. */
final class ProbeKeys {

    private static final String TIME = "probe-time";
    private static final String REQUESTS = "probe-requests";
    private static final String HOLD = "longest-hold";

    private ProbeKeys() {
    }

    /** What the file says. */
    static Probing read(YamlMap safety, Duration coolDown, Duration interval) throws ConfigException {
        Duration usual = Probing.USUAL.time();
        Duration time = safety.duration(TIME, usual.compareTo(interval) > 0 ? usual : interval);
        if (time.compareTo(interval) < 0) {
            throw safety.error(TIME, "expected the interval or more, " + Durations.format(interval) + ", since nothing shorter is measured, got "
                    + Durations.format(time));
        }
        int requests = safety.has(REQUESTS) ? safety.integer(REQUESTS) : (int) Probing.USUAL.requests();
        if (requests < 1) {
            throw safety.error(REQUESTS, "expected 1 or more, got " + requests);
        }
        Duration longest = Probing.USUAL.longestHold();
        Duration hold = safety.duration(HOLD, longest.compareTo(coolDown) > 0 ? longest : coolDown);
        if (hold.compareTo(coolDown) < 0 || hold.isZero()) {
            throw safety.error(HOLD, "expected the cool-down or more, " + Durations.format(coolDown) + ", got " + Durations.format(hold));
        }
        return new Probing(time, requests, hold);
    }
}

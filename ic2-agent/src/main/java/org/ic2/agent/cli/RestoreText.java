// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.time.Duration;
import java.util.List;
import org.ic2.knowledge.control.policy.LongestAway;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Probing;
import org.ic2.runtime.yaml.Durations;

/** What a restore may cost users, and how long it may take, as it follows from the configuration. */
final class RestoreText {

    private RestoreText() {
    }

    static List<String> lines(Policy policy) {
        Probing probing = policy.probing();
        return List.of("without an independent signal one level down is tried at a time, and taken back before users have waited longer than the target"
                + " for more than " + text(probing.time()) + " or in more than " + probing.requests()
                + " requests (safety.probe-time, safety.probe-requests)",
                "the hold before a try doubles with each that failed, up to " + text(probing.longestHold()) + " (safety.longest-hold)",
                "once the cause is gone the baseline is back within " + text(LongestAway.usual(policy)) + ", after tries that failed within "
                + text(LongestAway.of(policy)));
    }

    private static String text(Duration duration) {
        long seconds = (duration.toMillis() + 999) / 1000;
        return seconds < 120 || seconds % 60 == 0 ? Durations.format(duration)
                : seconds / 60 + "m" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + "s");
    }
}

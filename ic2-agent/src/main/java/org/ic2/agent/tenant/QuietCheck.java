// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.learn.Unrest;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.rules.Condition;
import org.ic2.knowledge.rules.NeverQuiet;

/** Whether what is normal was learned on a host that is never quiet: then it says so for as long as it is in force. */
public final class QuietCheck {

    /** The key of the rules, by which it stands among the problems. */
    public static final String KEY = "never-normal";

    private QuietCheck() {
    }

    /** What is wrong with the host, with the values and what to do. */
    public static Optional<String> problem(Policy policy, MetricBaseline learned) {
        if (!learned.unrest().always()) {
            return Optional.empty();
        }
        List<Condition> raised = policy.knowledge().neverNormal().stream().filter(condition -> condition.above()
                && median(learned, condition) > condition.threshold()).toList();
        String above = raised.stream().map(condition -> condition.attribute().name() + ", median " + Rounded.of(median(learned, condition))
                + ", is above " + Rounded.of(condition.threshold())).collect(Collectors.joining("; "));
        String lines = raised.stream().map(condition -> NeverQuiet.line(condition.attribute().name(), median(learned, condition)))
                .collect(Collectors.joining("; ")).replace("}; never-normal: {", ", ");
        return Optional.of("this host is never quiet, so what is normal was learned from " + Unrest.NEVER_QUIET + " samples that are not"
                + (above.isEmpty() ? "" : ": " + above) + "; users are protected all the same. Ask the provider, or set in ic2.yaml "
                + (lines.isEmpty() ? "the bound (never-normal)" : lines));
    }

    private static double median(MetricBaseline learned, Condition condition) {
        return learned.medians().get(condition.attribute().quantity());
    }
}

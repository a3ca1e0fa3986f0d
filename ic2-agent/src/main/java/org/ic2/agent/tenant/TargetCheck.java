// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Locale;
import java.util.Optional;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Policy;

/** Whether the target can be met at all: one below the normal response time is missed for ever, and keeps the ladder up. */
public final class TargetCheck {

    /** The key of the configuration, by which it stands among the problems. */
    public static final String KEY = "target-response-time";

    private TargetCheck() {
    }

    /** What is wrong with the target, as far as what it is compared with has been learned. */
    public static Optional<String> problem(Policy policy, MetricBaseline learned) {
        double normal = learned.medians().get(policy.felt());
        if (learned.size(policy.felt()) < MedianWindow.MIN_VALUES || !(policy.targetResponseTime() < normal)) {
            return Optional.empty();
        }
        return Optional.of(String.format(Locale.ROOT, "%.3g s is below %.3g s, the median %s without"
                + " interference: the ladder would go up again each time it came down; set it to twice the median or more",
                policy.targetResponseTime(), normal,
                policy.felt() == Metric.RESPONSE_TIME ? "response time" : policy.felt().column()));
    }
}

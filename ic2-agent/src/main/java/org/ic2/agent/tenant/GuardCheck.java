// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.util.Optional;
import org.ic2.knowledge.control.policy.Policy;

/** What is risked where the guard against starvation is off. */
public final class GuardCheck {

    /** The key. */
    public static final String KEY = "starvation-guard";

    private GuardCheck() {
    }

    /** The risk, in words; empty while the guard is on. */
    public static Optional<String> problem(Policy policy) {
        return policy.safeguards().starvation() ? Optional.empty()
                : Optional.of("off: with fewer threads (max-request-workers) than connected users, and keep-alive-timeout above their think"
                + " time, some users keep the threads and others get no answer, while the mean response time looks good; nothing undoes it."
                + " \"on\" prevents it");
    }
}

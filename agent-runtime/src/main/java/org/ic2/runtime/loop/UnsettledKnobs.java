// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Set;
import java.util.logging.Logger;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The levers of which it is not known what runs, because their server has not answered since the start, and those that
 * are due back at the baseline and could not be brought there yet. What runs of either is nobody else's change.
 */
final class UnsettledKnobs {

    private static final Logger LOG = Logger.getLogger(UnsettledKnobs.class.getName());

    private final Executor executor;
    private final Settings baseline;
    private final Set<Knob> due = Knob.set(Set.of());
    private Set<Knob> unsure;
    private String reason = "";

    UnsettledKnobs(Executor executor, Settings baseline) {
        this.executor = executor;
        this.baseline = baseline;
        this.unsure = executor.unknown();
    }

    /** Takes over what the earlier configuration's levers left to do. */
    void continueFrom(UnsettledKnobs earlier) {
        due.addAll(earlier.due);
        due.retainAll(executor.levers());
        reason = earlier.reason;
        unsure = unsureNow();
    }

    /** Brings levers back to the baseline: now, or as soon as it can be. */
    Result bringHome(Set<Knob> levers, String why) throws InterruptedException {
        due.addAll(levers);
        reason = why;
        return tryAgain();
    }

    boolean areDue() {
        return !due.isEmpty();
    }

    /** A person takes over: what is due stays as it is. */
    void leave() {
        due.clear();
    }

    /** Tries once more to bring home what is due. */
    Result tryAgain() throws InterruptedException {
        Settings desired = executor.believed().with(baseline.only(due));
        Result result = executor.execute(ChangeRequest.restore("recovery", ChangeRequest.Origin.RECOVERY, reason,
                desired));
        if (result instanceof Result.Applied) {
            due.clear();
        } else {
            due.removeIf(lever -> !executor.unknown().contains(lever)
                    && executor.believed().same(baseline, lever));
            LOG.severe("the baseline could not be restored, trying again: " + result.text());
        }
        return result;
    }

    /** Tells the brain what has become known since the last call. */
    void tell(Brain<?, ?> brain) {
        Set<Knob> unknown = executor.unknown();
        Settings running = brain.inForce();
        for (Knob lever : unsure) {
            running = unknown.contains(lever) ? running : running.with(lever, executor.believed().get(lever));
        }
        unsure = unsureNow();
        brain.found(running);
    }

    private Set<Knob> unsureNow() {
        Set<Knob> now = executor.unknown();
        now.addAll(due);
        return now;
    }

    /** The levers whose running values are no news. */
    Set<Knob> unsure() {
        return unsure;
    }
}

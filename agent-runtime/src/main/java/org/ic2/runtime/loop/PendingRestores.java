// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.executor.Result;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The levers of which it is not known what runs, because their server has not answered since the start or an order to it has
 * no outcome, and those that are due back at the baseline and could not be brought there yet. What runs of either is nobody
 * else's change.
 */
final class PendingRestores {

    /** Between two tries to restore what is due; doubled from the shortest to the longest. */
    private static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(8);

    /** Of the end: a try takes 20 s at most where httpd alone is moved, and systemd waits 90 s. */
    private static final long LAST_TRY_WITHIN = TimeUnit.SECONDS.toNanos(10);

    private static final Logger LOG = Logger.getLogger(PendingRestores.class.getName());

    private final Executor executor;
    private final Settings baseline;
    private final Set<Knob> due = Knob.set(Set.of());
    private final LongSupplier nanoClock;
    private Set<Knob> unsure;
    private String reason = "";
    private long triedNanos;
    private long pause;

    PendingRestores(Executor executor, Settings baseline, LongSupplier nanoClock) {
        this.executor = executor;
        this.baseline = baseline;
        this.nanoClock = nanoClock;
        this.unsure = executor.unknown();
    }

    /** Takes over what the earlier configuration's levers left to do. */
    void continueFrom(PendingRestores earlier) {
        due.addAll(earlier.due);
        due.retainAll(executor.levers());
        reason = earlier.reason;
        unsure = unsureNow();
    }

    /** Brings levers back to the baseline: now, or as soon as it can be. */
    Result restoreBaseline(Set<Knob> levers, String why) throws InterruptedException {
        due.addAll(levers);
        reason = why;
        return tryAgain();
    }

    /** True when something is due, and the last try is long enough ago. */
    boolean areDue() {
        return !due.isEmpty() && nanoClock.getAsLong() - triedNanos >= pause;
    }

    /** True when something is due, now or later. */
    boolean due() {
        return !due.isEmpty();
    }

    /** What has no outcome is due, and what runs of it no news; true when that is so of anything. */
    boolean dueWithoutOutcome() {
        Set<Knob> open = executor.open();
        if (!open.isEmpty() && due.addAll(open)) {
            reason = "what was sent has no outcome, so what runs is unknown";
        }
        return !open.isEmpty();
    }

    /** A person takes over: what is due stays as it is. */
    void leave() {
        due.clear();
        pause = 0;
    }

    /** Tries once more to restore what is due. */
    Result tryAgain() throws InterruptedException {
        Settings desired = executor.believed().with(baseline.only(due));
        Result result = executor.execute(ChangeRequest.restore("recovery", ChangeRequest.Origin.RECOVERY, reason,
                desired));
        triedNanos = nanoClock.getAsLong();
        if (result instanceof Result.Applied) {
            leave();
        } else {
            pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, 2 * pause));
            due.removeIf(lever -> !executor.unknown().contains(lever)
                    && executor.believed().same(baseline, lever));
            LOG.severe("the baseline could not be restored, trying again: " + result.text());
        }
        return result;
    }

    /**
     * The restore at the agent's end. A server that answers and yet did not do it is asked again; the last try begins in
     * time for the end to be in time.
     */
    void restoreAtTheEnd(String why) throws InterruptedException {
        long end = nanoClock.getAsLong() + LAST_TRY_WITHIN;
        ChangeRequest request = ChangeRequest.restore("exit", ChangeRequest.Origin.EXIT, why, baseline);
        Result result = executor.execute(request);
        while (result instanceof Result.Failed failed && (failed.running().isPresent() || !executor.open().isEmpty())
                && nanoClock.getAsLong() < end) {
            TimeUnit.NANOSECONDS.sleep(SHORTEST_PAUSE);
            result = executor.execute(request);
        }
        if (!(result instanceof Result.Applied)) {
            LOG.severe("the baseline could not be restored at the end; the next start tries again: " + result.text());
        }
    }

    /** Tells the brain what has become known since the last call. */
    void tell(Brain brain) {
        Set<Knob> unknown = executor.unknown();
        Settings running = brain.inForce();
        for (Knob lever : unsure) {
            running = unknown.contains(lever) ? running : running.with(lever, executor.believed().get(lever));
        }
        unsure = unsureNow();
        brain.found(running);
    }

    /** The levers whose running values are no news, as of now. */
    private Set<Knob> unsureNow() {
        Set<Knob> now = executor.unknown();
        now.addAll(due);
        return now;
    }

    /** The levers whose running values are no news. */
    Set<Knob> unsure() {
        unsure.addAll(executor.open());
        return unsure;
    }
}

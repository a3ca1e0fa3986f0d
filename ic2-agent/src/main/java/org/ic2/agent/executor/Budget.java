// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Cool-down and action budget, counted on the monotonic clock so that a step of the wall clock neither lifts nor
 * prolongs them. Not thread-safe.
 */
final class Budget {

    private static final long HOUR = Duration.ofHours(1).toNanos();

    /** The decisions keep the cool-down on the samples' clock; ours may differ from it by the length of a tick. */
    private static final double TOLERANCE = 0.9;

    private final Safety safety;
    private final LongSupplier nanoClock;
    private final Deque<Long> actions = new ArrayDeque<>();
    private Long lastAway;

    Budget(Safety safety, LongSupplier nanoClock) {
        this.safety = safety;
        this.nanoClock = nanoClock;
    }

    /** Continues after a restart: actions of the journal, by wall clock; one in the future counts as just now. */
    void restore(List<Instant> earlier, Optional<Instant> away, Instant now) {
        for (Instant time : earlier) {
            long age = Math.max(0, Duration.between(time, now).toNanos());
            if (age < HOUR) {
                actions.add(nanoClock.getAsLong() - age);
            }
        }
        away.map(time -> Math.max(0, Duration.between(time, now).toNanos())).filter(age -> age < HOUR)
                .ifPresent(age -> lastAway = nanoClock.getAsLong() - age);
    }

    /** Goes on with what the budget of an earlier configuration has counted. */
    void continueFrom(Budget earlier) {
        actions.clear();
        actions.addAll(earlier.actions);
        lastAway = earlier.lastAway;
    }

    /** Why one more action away from the baseline may not be; empty when it may. */
    Optional<String> refusal() {
        long now = nanoClock.getAsLong();
        while (!actions.isEmpty() && now - actions.peekFirst() >= HOUR) {
            actions.removeFirst();
        }
        if (lastAway != null && now - lastAway < safety.coolDown().toNanos() * TOLERANCE) {
            return Optional.of("the last action was " + (now - lastAway) / 1_000_000 + " ms ago, within the cool-down of "
                    + safety.coolDown().toMillis() + " ms");
        }
        if (actions.size() >= safety.actionsPerHour()) {
            return Optional.of(actions.size() + " actions in the last hour, and the budget is "
                    + safety.actionsPerHour());
        }
        return Optional.empty();
    }

    void count(boolean away) {
        long now = nanoClock.getAsLong();
        actions.add(now);
        if (away) {
            lastAway = now;
        }
    }

    int inLastHour() {
        long now = nanoClock.getAsLong();
        return (int) actions.stream().filter(time -> now - time < HOUR).count();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.ic2.runtime.budget.ActionTimes;

/**
 * Cool-down and action budget, counted on the monotonic clock so that a step of the wall clock neither lifts nor
 * prolongs them. Not thread-safe.
 */
final class Budget {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    /** The decisions keep the cool-down on the samples' clock; ours may differ from it by the length of a tick. */
    private static final double TOLERANCE = 0.9;

    private final Limits limits;
    private final LongSupplier nanoClock;
    private ActionTimes actions = ActionTimes.none(TimeUnit.NANOSECONDS);

    Budget(Limits limits, LongSupplier nanoClock) {
        this.limits = limits;
        this.nanoClock = nanoClock;
    }

    /** Continues after a restart: actions of the journal, by wall clock; one in the future counts as just now. */
    void restore(List<Instant> earlier, Optional<Instant> away, Instant now) {
        actions = new ActionTimes(TimeUnit.NANOSECONDS,
                earlier.stream().flatMap(time -> onOurClock(time, now).stream()).toList(),
                away.flatMap(time -> onOurClock(time, now)));
    }

    private Optional<Long> onOurClock(Instant time, Instant now) {
        long age = Math.max(0, Duration.between(time, now).toNanos());
        return age < HOUR ? Optional.of(nanoClock.getAsLong() - age) : Optional.empty();
    }

    /** Goes on with what the budget of an earlier configuration has counted. */
    void continueFrom(Budget earlier) {
        actions = earlier.actions;
    }

    /** Why one more action away from the baseline may not be; empty when it may. */
    Optional<String> refusal() {
        long since = actions.since(nanoClock.getAsLong());
        if (since < limits.coolDown().toNanos() * TOLERANCE) {
            return Optional.of("the last action was " + since / 1_000_000 + " ms ago, within the cool-down of "
                    + limits.coolDown().toMillis() + " ms");
        }
        if (inLastHour() >= limits.actionsPerHour()) {
            return Optional.of(inLastHour() + " actions in the last hour, and the budget is "
                    + limits.actionsPerHour());
        }
        return Optional.empty();
    }

    void count(boolean away) {
        actions = actions.plus(nanoClock.getAsLong(), away);
    }

    int inLastHour() {
        return actions.inLastHour(nanoClock.getAsLong());
    }
}

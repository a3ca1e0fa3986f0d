// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.ic2.runtime.budget.ActionTimes;
import org.ic2.runtime.budget.BudgetUse;
import org.ic2.runtime.executor.ChangeRequest.Origin;
import org.ic2.runtime.journal.JournalReplay;

/**
 * Cool-down and action budgets, counted on the monotonic clock so that a step of the wall clock neither lifts nor
 * prolongs them. People have a budget of their own, so that what they try does not keep the agent from acting. It counts
 * how often they leave the baseline: a trial of the whole ladder counts once. Not thread-safe.
 */
final class Budget {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    /** The decisions keep the cool-down on the samples' clock; ours may differ from it by the length of a tick. */
    private static final double TOLERANCE = 0.9;

    private final Limits limits;
    private final LongSupplier nanoClock;
    private ActionTimes actions = ActionTimes.none(TimeUnit.NANOSECONDS);
    private ActionTimes byHand = ActionTimes.none(TimeUnit.NANOSECONDS);

    Budget(Limits limits, LongSupplier nanoClock) {
        this.limits = limits;
        this.nanoClock = nanoClock;
    }

    /** Continues after a restart: actions of the journal, by wall clock; one in the future counts as just now. */
    void restore(JournalReplay past, Instant now) {
        actions = times(past.actions(), past.lastAway(), now);
        byHand = times(past.byHand(), Optional.empty(), now);
    }

    private ActionTimes times(List<Instant> earlier, Optional<Instant> away, Instant now) {
        return new ActionTimes(TimeUnit.NANOSECONDS, earlier.stream().flatMap(time -> onOurClock(time, now).stream()).toList(),
                away.flatMap(time -> onOurClock(time, now)));
    }

    private Optional<Long> onOurClock(Instant time, Instant now) {
        long age = Math.max(0, Duration.between(time, now).toNanos());
        return age < HOUR ? Optional.of(nanoClock.getAsLong() - age) : Optional.empty();
    }

    /** Goes on with what the budget of an earlier configuration has counted. */
    void continueFrom(Budget earlier) {
        actions = earlier.actions;
        byHand = earlier.byHand;
    }

    /**
     * Why one more action of the agent away from the baseline may not be; empty when it may.
     *
     * @param now by the wall clock, for people
     */
    Optional<String> refusal(Instant now) {
        long since = actions.since(nanoClock.getAsLong());
        if (since < limits.coolDown().toNanos() * TOLERANCE) {
            return Optional.of("the last action was " + since / 1_000_000 + " ms ago, within the cool-down of "
                    + limits.coolDown().toMillis() + " ms");
        }
        int used = inLastHour();
        return used < limits.actionsPerHour() ? Optional.empty() : Optional.of(BudgetUse.HELD_BACK + used + " of "
                + limits.actionsPerHour() + " actions in the last hour" + (limits.actionsPerHour() == 0 ? ""
                : "; held back until " + fewerAt(actions, limits.actionsPerHour(), now)));
    }

    /**
     * Why a person may not leave the baseline once more just now; empty when that may be, or nobody asks for it.
     *
     * @param leaving true when it is the baseline that runs
     */
    Optional<String> refusalByHand(Origin origin, boolean leaving, Instant now) {
        int used = byHand.inLastHour(nanoClock.getAsLong());
        return origin != Origin.OPERATOR || !leaving || used < limits.byHandPerHour() ? Optional.empty() : Optional.of(BudgetUse.HELD_BACK + "the baseline was left by hand "
                + used + " times in the last hour, and " + limits.byHandPerHour() + " are allowed (safety.actions-per-hour); held back until "
                + fewerAt(byHand, limits.byHandPerHour(), now) + "; \"ic2 restore\" always works");
    }

    private Instant fewerAt(ActionTimes times, int most, Instant now) {
        return now.plusNanos(times.untilFewerThan(most, nanoClock.getAsLong())).truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    }

    /**
     * Counts an action. The agent keeps its cool-down after those of people, too.
     *
     * @param away    true when it leads away from the baseline
     * @param leaving true when it was the baseline that ran before
     */
    void count(Origin origin, boolean away, boolean leaving) {
        long now = nanoClock.getAsLong();
        if (origin != Origin.OPERATOR) {
            actions = actions.plus(now, away);
            return;
        }
        if (away && leaving) {
            byHand = byHand.plus(now, false);
        }
        if (away) {
            actions = new ActionTimes(actions.unit(), actions.lastHour(), Optional.of(now));
        }
    }

    /** The agent's. */
    int inLastHour() {
        return actions.inLastHour(nanoClock.getAsLong());
    }

    /** @param now by the wall clock */
    BudgetUse use(Instant now) {
        int used = inLastHour();
        return new BudgetUse(used, byHand.inLastHour(nanoClock.getAsLong()), limits.actionsPerHour(),
                used == 0 ? Optional.empty() : Optional.of(fewerAt(actions, used, now)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.state;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.runtime.budget.ActionTimes;
import org.ic2.runtime.knob.Settings;

/**
 * The actions so far, on the controller's own clock: what the cool-down and the action budget are counted from.
 *
 * @param last     when the last action was decided, ms; -1 if never
 * @param lastHour when those of the last hour were, ms, oldest first
 * @param failures how many actions in a row did not take effect
 */
public record ActionHistory(long last, List<Long> lastHour, int failures) {
    private static final int MAX_DOUBLINGS = 6;
    private static final long MAX_PAUSE_BACK = 30_000;

    public ActionHistory {
        lastHour = List.copyOf(lastHour);
    }

    /** Nothing done yet. */
    public static ActionHistory empty() {
        return new ActionHistory(-1, List.of(), 0);
    }

    private ActionTimes times() {
        return new ActionTimes(TimeUnit.MILLISECONDS, lastHour, last < 0 ? Optional.empty() : Optional.of(last));
    }

    private ActionHistory with(ActionTimes times) {
        return new ActionHistory(times.last().orElse(-1L), times.lastHour(), failures);
    }

    /** The same with an action that was decided now. */
    public ActionHistory plus(long now) {
        return with(times().plus(now, true));
    }

    /** The same without the last action, which was refused; the cool-down is counted from it all the same. */
    public ActionHistory refused() {
        return with(times().withoutLatest());
    }

    /** The same with another count of failures. */
    public ActionHistory withFailures(int count) {
        return count == failures ? this : new ActionHistory(last, lastHour, count);
    }

    /** Milliseconds since the last action; very many if there was none. */
    public long since(long now) {
        return times().since(now);
    }

    /** How many actions there were in the last hour. */
    public int inLastHour(long now) {
        return times().inLastHour(now);
    }

    /** The cool-down, doubled for each action in a row that did not take effect, then at least a second. */
    public long pause(long coolDown) {
        return failures == 0 ? coolDown : Math.max(1000, coolDown) << Math.min(failures, MAX_DOUBLINGS);
    }

    /** The same before a further try to lead back: half a minute at most, however long the cool-down. */
    public long pauseBack(long coolDown) {
        return Math.min(MAX_PAUSE_BACK, pause(coolDown));
    }

    /** How long an action may take to be seen in force: the cool-down, at most half a minute. */
    public static long patience(long coolDown) {
        return Math.min(MAX_PAUSE_BACK, coolDown);
    }

    /**
     * True if the budget has room for one more action that leads to {@code desired}, and for the way back from there:
     * one action for the rules' values, one for each level.
     */
    public boolean affords(long now, int budget, Settings desired, Ladder ladder) {
        int wayBack = (ladder.othersAtBaseline(desired) ? 0 : 1) + ladder.stepsDown(desired);
        return inLastHour(now) + 1 + wayBack <= budget;
    }
}

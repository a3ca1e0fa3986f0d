// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.budget;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * When actions were done, on the clock of the one who counts them. Immutable.
 *
 * @param unit     of all times; where the clock begins does not matter
 * @param lastHour when those of the last hour were; older ones are not counted, and drop out with the next action
 * @param last     when the one was from which the cool-down is counted; empty when there was none
 */
public record ActionTimes(TimeUnit unit, List<Long> lastHour, Optional<Long> last) {

    public ActionTimes {
        lastHour = List.copyOf(lastHour);
    }

    /** Nothing done yet. */
    public static ActionTimes none(TimeUnit unit) {
        return new ActionTimes(unit, List.of(), Optional.empty());
    }

    /**
     * The same with one more.
     *
     * @param cools true when the cool-down is counted from it
     */
    public ActionTimes plus(long now, boolean cools) {
        List<Long> kept = new ArrayList<>(lastHour.size() + 1);
        for (Long time : lastHour) {
            if (counts(time, now)) {
                kept.add(time);
            }
        }
        kept.add(now);
        return new ActionTimes(unit, kept, cools ? Optional.of(now) : last);
    }

    /** The same without the latest, which came to nothing; the cool-down is counted from it all the same. */
    public ActionTimes withoutLatest() {
        return new ActionTimes(unit, lastHour.subList(0, Math.max(0, lastHour.size() - 1)), last);
    }

    /** How many were in the last hour. */
    public int inLastHour(long now) {
        int count = 0;
        for (long time : lastHour) {
            count += counts(time, now) ? 1 : 0;
        }
        return count;
    }

    /**
     * The time until fewer than {@code most} were in the last hour; 0 if that is so now.
     *
     * @param most above 0
     */
    public long untilFewerThan(int most, long now) {
        List<Long> counted = lastHour.stream().filter(time -> counts(time, now)).sorted().toList();
        return counted.size() < most ? 0 : unit.convert(1, TimeUnit.HOURS) - (now - counted.get(counted.size() - most));
    }

    /** The time since the one from which the cool-down is counted; very long if there was none. */
    public long since(long now) {
        return last.map(time -> now - time).orElse(Long.MAX_VALUE);
    }

    private boolean counts(long time, long now) {
        return now - time < unit.convert(1, TimeUnit.HOURS);
    }
}

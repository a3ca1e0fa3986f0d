// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Duration;
import java.util.List;
import org.ic2.knowledge.Label;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.Run;

/**
 * How firmly a tree sees an interference that is being mitigated (design, section 3.1: mitigation hides what it cures).
 *
 * @param mitigated judged intervals with interference and away from the baseline
 * @param seen      those that the tree labelled INTERFERENCE
 * @param swings    returns to the baseline although the interference went on
 * @param actions   changes of the configuration while it went on
 * @param time      how long interference was recorded
 */
public record Steady(long mitigated, long seen, int swings, int actions, Duration time) {
    private static final double SECONDS_AN_HOUR = 3600;

    /** Of runs in which an agent acted; a run without a known baseline counts nothing. */
    public static Steady of(Run run, List<Answer> answers) {
        if (run.baseline().isEmpty()) {
            return new Steady(0, 0, 0, 0, Duration.ZERO);
        }
        Settings baseline = run.baseline().get();
        Settings before = baseline;
        long mitigated = 0;
        long seen = 0;
        int swings = 0;
        int actions = 0;
        long intervals = 0;
        for (Answer answer : answers) {
            Settings now = answer.row().sample().settings(before);
            if (answer.row().truth().equals(java.util.Optional.of(Label.INTERFERENCE))) {
                intervals++;
                actions += now.equals(before) ? 0 : 1;
                swings += now.equals(baseline) && !before.equals(baseline) ? 1 : 0;
                boolean away = answer.label().isPresent() && !now.equals(baseline);
                mitigated += away ? 1 : 0;
                seen += away && answer.label().get() == Label.INTERFERENCE ? 1 : 0;
            }
            before = now;
        }
        return new Steady(mitigated, seen, swings, actions, run.interval().multipliedBy(intervals));
    }

    /** The sum of both. */
    public Steady plus(Steady other) {
        return new Steady(mitigated + other.mitigated, seen + other.seen, swings + other.swings,
                actions + other.actions, time.plus(other.time));
    }

    /** The share of mitigated intervals in which the tree still says INTERFERENCE, NaN if there were none. */
    public double share() {
        return mitigated == 0 ? Double.NaN : (double) seen / mitigated;
    }

    /** Swings in an hour of interference, NaN if there was none. */
    public double swingsAnHour() {
        return time.isZero() ? Double.NaN : swings / (time.toMillis() / 1000.0) * SECONDS_AN_HOUR;
    }
}

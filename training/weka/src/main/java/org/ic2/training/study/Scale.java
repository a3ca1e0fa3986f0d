// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.time.Duration;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.training.collect.Progress;

/**
 * How much shorter than the paper's a training is. The paper records three phases of ten hours, the neighbour on and off
 * for 240 s; we take the same sum for the phases and, beside them, the recordings for the judgement: a quarter each.
 * However small the scale, the neighbour rests for {@value #LEAST_SAMPLES} samples at a time: {@value MedianWindow#MIN_VALUES} teach
 * what is normal, from the others a tree can be trained.
 *
 * @param value    1 = the paper's
 * @param interval of the samples
 * @param longest  what counts as transient after a switch, if the phases are long enough for it; the paper: 30 s
 */
public record Scale(double value, Duration interval, Duration longest) {
    private static final Duration PAPER = Duration.ofHours(3 * 10).plus(Duration.ofHours(10));
    private static final long PHASE_SECONDS = 240;
    private static final int LEAST_SAMPLES = MedianWindow.MIN_VALUES + 8;
    private static final int LEAST_SAMPLES_OF_OTHERS = 24;
    private static final int CYCLES_A_PART = 6;
    private static final double SETTLING_SHARE = 0.4;

    public Scale {
        if (!(value > 0 && value <= 1)) {
            throw new IllegalArgumentException("--scale: expected more than 0 and at most 1, got " + value);
        }
    }

    /** Time for each of the four parts: phases 1, 2, 3 and the judgement. */
    public Duration part() {
        return longer(phase().multipliedBy(2), share());
    }

    private Duration share() {
        return Duration.ofMillis((long) (PAPER.toMillis() * value / 4 * 0.83));
    }

    /** How long the neighbour runs, and rests, at a time: at most the paper's 240 s, at least six of both in a part. */
    public Duration phase() {
        long seconds = (share().toSeconds() / CYCLES_A_PART - Progress.OVERHEAD.toSeconds()) / 2;
        return longer(interval.multipliedBy(LEAST_SAMPLES), Duration.ofSeconds(Math.min(PHASE_SECONDS, seconds)));
    }

    /** How long a run of the judgement is in which something else happens than that the neighbour comes and goes. */
    public Duration other() {
        return longer(interval.multipliedBy(LEAST_SAMPLES_OF_OTHERS), share().dividedBy(8));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** What counts as transient after a switch: at most two fifths of a phase. */
    public Duration settling() {
        return Duration.ofMillis(Math.min(longest.toMillis(), (long) (SETTLING_SHARE * phase().toMillis())));
    }

    /** In words, for the report. */
    public String text() {
        return "scale " + value + ": " + Progress.text(part()) + " for each phase instead of 10 h, the neighbour "
                + phase().toSeconds() + " s on and off instead of 240 s, " + settling().toSeconds()
                + " s after a switch are transient instead of 30 s";
    }
}

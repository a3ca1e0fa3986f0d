// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.experiment;

import java.time.Duration;

/**
 * How much shorter than the paper's a training is. The paper records three phases of ten hours, the neighbour on and off
 * for 240 s; we take the same sum for the phases and, beside them, the recordings for the judgement: a quarter each.
 *
 * @param value 1 = the paper's
 */
public record Scale(double value) {
    private static final Duration PAPER = Duration.ofHours(3 * 10).plus(Duration.ofHours(10));
    private static final long PHASE_SECONDS = 240;
    private static final long LEAST_PHASE_SECONDS = 14;
    private static final int CYCLES_A_PART = 6;
    private static final double SETTLING_SHARE = 0.4;

    public Scale {
        if (!(value > 0 && value <= 1)) {
            throw new IllegalArgumentException("--scale: expected more than 0 and at most 1, got " + value);
        }
    }

    /** Time for each of the four parts: phases 1, 2, 3 and the judgement. */
    public Duration part() {
        return Duration.ofMillis((long) (PAPER.toMillis() * value / 4 * 0.83));
    }

    /** How long the neighbour runs, and rests, at a time: at most the paper's 240 s, at least six of both in a part. */
    public Duration phase() {
        long seconds = (part().toSeconds() / CYCLES_A_PART - Progress.OVERHEAD.toSeconds()) / 2;
        return Duration.ofSeconds(Math.max(LEAST_PHASE_SECONDS, Math.min(PHASE_SECONDS, seconds)));
    }

    /** What counts as transient after a switch: at most the paper's 30 s, at most two fifths of a phase. */
    public Duration settling() {
        return Duration.ofSeconds(Math.min(30, (long) (SETTLING_SHARE * phase().toSeconds())));
    }

    /** In words, for the report. */
    public String text() {
        return "scale " + value + ": " + Progress.text(part()) + " for each phase instead of 10 h, the neighbour "
                + phase().toSeconds() + " s on and off instead of 240 s, " + settling().toSeconds()
                + " s after a switch are transient instead of 30 s";
    }
}

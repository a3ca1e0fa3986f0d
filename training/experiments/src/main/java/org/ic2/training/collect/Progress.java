// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.collect;

import java.io.PrintStream;
import java.time.Duration;
import org.ic2.training.run.RunPlan;

/** Tells a person how far the runs are and how long they will take. */
public class Progress {
    /** What starting and stopping adds to a run. */
    public static final Duration OVERHEAD = Duration.ofSeconds(25);

    private static final int EVERY_SECONDS = 10;

    private final PrintStream out;
    private final boolean terminal;
    private Duration left;
    private long told = -1;

    /**
     * @param terminal true: one line that changes; false: a line now and then
     * @param left     how long all of it will take, as estimated
     */
    public Progress(PrintStream out, boolean terminal, Duration left) {
        this.out = out;
        this.terminal = terminal;
        this.left = left;
    }

    /** A line of its own. */
    public void say(String line) {
        out.println((terminal ? "\r\u001b[K" : "") + line);
    }

    /** A run starts. */
    public void begin(RunPlan plan) {
        told = -1;
        if (!terminal) {
            say("%s: starting (%s, neighbour %s), %s left".formatted(plan.id(), plan.kind(),
                    plan.neighbours().stream().map(one -> one.program() + " " + one.placement()).findFirst().orElse("none"), text(left)));
        }
    }

    /** The measured time of a run so far. */
    public void at(RunPlan plan, Duration time) {
        long seconds = time.toSeconds();
        if (terminal) {
            out.print("\r\u001b[K%s: %d of %d s, about %s left".formatted(plan.id(), seconds, plan.length().toSeconds(),
                    text(left.minus(time))));
            out.flush();
        } else if (seconds / EVERY_SECONDS != told) {
            told = seconds / EVERY_SECONDS;
            out.println("%s: %d of %d s, about %s left".formatted(plan.id(), seconds, plan.length().toSeconds(),
                    text(left.minus(time))));
        }
    }

    /** A run is done. */
    public void end(RunPlan plan) {
        left = left.minus(plan.length()).minus(OVERHEAD);
        say(plan.id() + ": done");
    }

    /** A duration for people. */
    public static String text(Duration time) {
        long seconds = Math.max(0, time.toSeconds());
        return seconds < 90 ? seconds + " s" : seconds < 5400 ? (seconds + 30) / 60 + " min"
                : String.format(java.util.Locale.ROOT, "%.1f h", seconds / 3600.0);
    }
}

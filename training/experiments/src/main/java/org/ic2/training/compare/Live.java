// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.run.RunPlan;

/**
 * What a person sees while the runs are made: the arm, the neighbour, the response time now against the normal one, what
 * IC² believes and what it did last. On a terminal one line that changes; otherwise a line when a phase begins. When it ends,
 * a line with its own figures stays.
 */
public final class Live extends Progress {
    private static final String CLEAR = "\r\u001b[K";
    /** A line longer than the terminal would not be overwritten by the next one. */
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    /** Where lines stay, not one of each second. */
    private static final Duration TELL_EVERY = Duration.ofSeconds(30);

    private final PrintStream out;
    private final boolean terminal;
    private final Path folder;
    private final ComparePlan plan;
    private final InstantSource clock;
    private int number;
    private PlannedRun slot;
    private Duration left;
    private RunWatch watch;
    private int phase = -1;
    private long waited;

    /**
     * @param terminal true: one line that changes
     * @param folder   of the comparison
     * @param left     how long all of it will take
     */
    public Live(PrintStream out, boolean terminal, Path folder, ComparePlan plan, Duration left, InstantSource clock) {
        super(out, terminal, left);
        this.out = out;
        this.terminal = terminal;
        this.folder = folder;
        this.plan = plan;
        this.left = left;
        this.clock = clock;
    }

    /** Where the agent of a run of this arm keeps what it has learned; the next run begins with nothing. */
    public static Path agentHome(Path folder, Arm arm) {
        return folder.resolve("agent-" + arm.letter());
    }

    void next(PlannedRun next) {
        slot = next;
        number++;
    }

    /** A run was disturbed, and is made again. */
    void again(Path aside) {
        left = left.plus(plan.length()).plus(OVERHEAD).plus(plan.leadIn());
        say(head() + "disturbed, the machine did something else; kept in " + aside + ", and made again");
    }

    /** The run waits for the machine. */
    public void waits(String what) {
        long part = clock.millis() / TELL_EVERY.toMillis();
        show("starting", what, what, part != waited);
        waited = part;
    }

    @Override
    public void begin(RunPlan run) {
        watch = new RunWatch(folder.resolve(run.id()), agentHome(folder, slot.arm()), clock.instant(), plan.agents().interval());
        phase = -1;
        show("starting", "load " + run.users() + " users", "load " + run.users() + " users", true);
    }

    @Override
    public void at(RunPlan run, Duration time) {
        Instant begin = clock.instant().minus(time);
        int now = phaseAt(time);
        boolean fresh = now != phase;
        if (fresh) {
            endPhase(begin.plus(begin(now)));
            phase = now;
            watch.next(new PhaseFigures(name(now), begin.plus(begin(now))));
        }
        watch.look(Instant.MAX, phase == 0);
        watch.page().ifPresent(page -> say(head() + "the page of IC\u00b2 while this run lasts: " + page));
        Duration rest = (plan.loadOnly() ? run.length() : begin(now + 1)).minus(time);
        String all = Progress.text(left.minus(time)) + " left in all";
        show(name(now), all, rest.toSeconds() + " s, " + all + " | " + watch.now(slot.arm()), fresh);
    }

    /** The figures of a phase come when it is over, so that they are its own. */
    private void endPhase(Instant end) {
        if (phase >= 0) {
            watch.look(end, phase == 0);
            say(head() + watch.whole(slot.arm()));
        }
    }

    /** 0 before the first visit, 1 beside the neighbour, 2 when he has left, and so on. */
    private int phaseAt(Duration time) {
        if (plan.loadOnly()) {
            return 0;
        }
        long cycle = plan.on(slot.neighbour()).plus(plan.off(slot.neighbour())).toMillis();
        return (int) (time.toMillis() / cycle) * 2 + (time.toMillis() % cycle >= plan.off(slot.neighbour()).toMillis() ? 1 : 0);
    }

    /** Since the run's begin. */
    private Duration begin(int number) {
        return plan.on(slot.neighbour()).plus(plan.off(slot.neighbour())).multipliedBy(number / 2).plus(number % 2 == 0 ? Duration.ZERO : plan.off(slot.neighbour()));
    }

    private String name(int number) {
        return plan.loadOnly() ? "no neighbour" : number % 2 == 0 ? "neighbour off" : "neighbour ON";
    }

    @Override
    public void end(RunPlan run) {
        left = left.minus(run.length()).minus(OVERHEAD).minus(plan.leadIn());
        endPhase(Instant.MAX);
        say(head() + "done");
    }

    private String head() {
        return "run " + number + " of " + plan.slots().size() + ", arm " + slot.arm().letter() + " (" + slot.arm().title() + ")"
                + (plan.loadOnly() ? "" : " beside " + slot.neighbour()) + ", round " + slot.round() + ": ";
    }

    /**
     * @param line  for a line of its own, at the begin of a phase
     * @param text  for the line that changes
     */
    private void show(String now, String line, String text, boolean fresh) {
        if (terminal) {
            out.print(CLEAR + NO_WRAP + "[" + number + "/" + plan.slots().size() + "] (" + slot.arm().letter() + ") " + now + " " + text
                    + WRAP);
            out.flush();
        } else if (fresh) {
            out.println(head() + now + ", " + line);
        }
    }

    /** Takes the changing line away. */
    void clear() {
        if (terminal) {
            out.print(CLEAR);
            out.flush();
        }
    }

    /** How long the runs will take that are not there yet. */
    public static Duration estimate(Path folder, ComparePlan plan) {
        Duration measured = Collection.estimate(folder, plan.runs());
        return measured.plus(plan.leadIn().multipliedBy(measured.dividedBy(plan.length().plus(OVERHEAD))));
    }
}

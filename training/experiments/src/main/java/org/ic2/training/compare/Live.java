// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.PrintStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.report.Words;
import org.ic2.training.run.RunPlan;

/**
 * What a person sees while the runs are made, in lines of 80 columns: the arm, the neighbour, the response time now against the normal
 * one, what IC² believes, and each change that it makes. On a terminal one line that changes; otherwise a line when a phase begins.
 * When it ends, a line with its own figures stays.
 */
public final class Live extends Progress {
    /** Words of SSH_CONNECTION: the client's address and port, the server's address and port. */
    private static final int CONNECTION = 4;
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
    private final Optional<String> remote;
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
     * @param remote   this machine's name for ssh; empty if it has a display
     */
    public Live(PrintStream out, boolean terminal, Path folder, ComparePlan plan, Duration left, InstantSource clock, Optional<String> remote) {
        super(out, terminal, left);
        this.out = out;
        this.terminal = terminal;
        this.folder = folder;
        this.plan = plan;
        this.left = left;
        this.clock = clock;
        this.remote = remote;
    }

    /** One that tells on the standard error of what is still to be made. */
    public static Live of(Path folder, ComparePlan plan) {
        Duration left = estimate(folder, plan);
        Live live = new Live(System.err, System.console() != null, folder, plan, left, InstantSource.system(), remote(System.getenv()));
        live.say(plan.runs().size() + " runs, about " + Progress.text(left) + " to measure");
        return live;
    }

    /** The name of this machine by which a person without a display here may have reached it. */
    public static Optional<String> remote(Map<String, String> environment) {
        boolean display = environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
        String[] connection = environment.getOrDefault("SSH_CONNECTION", "").split(" ");
        return display ? Optional.empty() : Optional.of(connection.length == CONNECTION ? connection[CONNECTION - 2] : host());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "HOST";
        }
    }

    /** Where the agent of a run of this arm keeps what it has learned; the next run begins with nothing. */
    public static Path agentHome(Path folder, Arm arm) {
        return folder.resolve("agent-" + arm.key());
    }

    void next(PlannedRun next) {
        slot = next;
        number++;
    }

    /** A run was disturbed, and is made again. */
    void again() {
        left = left.plus(plan.length()).plus(OVERHEAD).plus(plan.leadIn());
        say(head() + "disturbed, the machine did something else; made again");
    }

    /** The run waits for the machine. */
    public void waits(String what) {
        long part = clock.millis() / TELL_EVERY.toMillis();
        if (terminal) {
            changing(what);
        } else if (part != waited) {
            Words.wrapped(head(), what).forEach(this::say);
        }
        waited = part;
    }

    @Override
    public void begin(RunPlan run) {
        watch = new RunWatch(folder.resolve(run.id()), agentHome(folder, slot.arm()), clock.instant(), plan.agents().interval());
        phase = -1;
        say(head() + "starting, " + run.users() + " users; " + Progress.text(left) + " left in all");
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
        news();
        watch.page().ifPresent(this::offer);
        Duration rest = (plan.loadOnly() ? run.length() : begin(now + 1)).minus(time);
        show(name(now), rest, fresh);
    }

    /** The figures of a phase come when it is over, so that they are its own. */
    private void endPhase(Instant end) {
        if (phase >= 0) {
            watch.look(end, phase == 0);
            news();
            say(head() + watch.whole());
        }
    }

    private void news() {
        watch.news().forEach(line -> Words.wrapped(head(), line).forEach(this::say));
    }

    /** The page is on this machine; without a browser here, it is reached through ssh. */
    private void offer(URI page) {
        say(head() + "the agent's page: " + page);
        if (remote.isPresent()) {
            say("  from your own machine: ssh -L " + page.getPort() + ":127.0.0.1:" + page.getPort() + " " + remote.get());
        }
    }

    /** 0 before the first episode, 1 beside the neighbour, 2 when it has stopped, and so on. */
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
        return plan.shuffled() ? "run " + number + " of " + plan.slots().size() + ", arm " + slot.arm().key() + (plan.loadOnly() ? ""
                : " beside " + slot.neighbour()) + ", round " + slot.round() + ": " : plan.called(slot.arm()) + ": ";
    }

    private void show(String now, Duration rest, boolean fresh) {
        if (terminal) {
            changing((plan.shuffled() ? slot.arm().key() : plan.called(slot.arm())) + ": " + now + " " + rest.toSeconds() + " s | "
                    + watch.now(slot.arm()));
        } else if (fresh) {
            out.println(head() + now + " for " + rest.toSeconds() + " s");
        }
    }

    private void changing(String line) {
        out.print(CLEAR + NO_WRAP + "[" + number + "/" + plan.slots().size() + "] " + line + WRAP);
        out.flush();
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

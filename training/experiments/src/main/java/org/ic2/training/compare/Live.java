// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.State;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.Csv;
import org.ic2.training.evaluate.Quantiles;
import org.ic2.training.run.RunPlan;

/**
 * What a person sees while the runs are made: the arm, the neighbour, the response time now against the normal one, what
 * IC² believes and what it did last. On a terminal one line that changes; otherwise a line at each change of phase.
 */
public final class Live extends Progress {
    private static final String CLEAR = "\r\u001b[K";
    /** A line longer than the terminal would not be overwritten by the next one. */
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";
    private static final int NOW = 3;

    private final PrintStream out;
    private final boolean terminal;
    private final Path folder;
    private final ComparePlan plan;
    private int number;
    private PlannedRun slot;
    private Duration left;
    private Watch watch;
    private String phase = "";

    /**
     * @param terminal true: one line that changes
     * @param folder   of the comparison
     * @param left     how long all of it will take
     */
    public Live(PrintStream out, boolean terminal, Path folder, ComparePlan plan, Duration left) {
        super(out, terminal, left);
        this.out = out;
        this.terminal = terminal;
        this.folder = folder;
        this.plan = plan;
        this.left = left;
    }

    /** What the files of the run that is being made have said so far. */
    private static final class Watch {
        private final Tail client;
        private final Tail journal;
        private final Instant start = Instant.now();
        private final List<Double> quiet = new ArrayList<>();
        private final List<Double> latest = new ArrayList<>();
        private List<String> columns = List.of();
        private Optional<State> state = Optional.empty();
        private String decision = "";

        Watch(Path run, Path agent) {
            client = new Tail(run.resolve(Recording.CLIENT));
            journal = new Tail(agent.resolve(Event.FILE));
        }

        void look(boolean normal) {
            for (String line : client.lines()) {
                List<String> cells = Csv.cells(line);
                if (columns.isEmpty()) {
                    columns = cells;
                } else if (cells.size() == columns.size() && cells.get(columns.indexOf("phase")).startsWith("steady")) {
                    responseTime(cells.get(columns.indexOf("response_time")), normal);
                }
            }
            for (String line : journal.lines()) {
                Event.parse(line).filter(event -> event.time().isAfter(start)).ifPresent(this::event);
            }
        }

        private void responseTime(String cell, boolean normal) {
            if (!cell.isBlank()) {
                latest.add(Double.valueOf(cell));
                latest.subList(0, Math.max(0, latest.size() - NOW)).clear();
                if (normal) {
                    quiet.add(Double.valueOf(cell));
                }
            }
        }

        private void event(Event event) {
            state = event.state().or(() -> state);
            if (event.reconfigured()) {
                decision = event.action() + " to " + event.configuration().map(Event::tuple).orElse("?") + ": " + event.reason();
            } else if (event.kind().equals("decision") || event.kind().equals("failed") || event.kind().equals("refused")) {
                decision = event.action() + (event.problem().isEmpty() ? "" : " " + event.kind() + ": " + event.problem()) + ": "
                        + event.reason();
            }
        }

        String text(Arm arm) {
            double now = latest.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
            double normal = Quantiles.median(quiet.stream().mapToDouble(Double::doubleValue).toArray());
            return "RT " + Words.number("%.3f s", now) + ", normal " + Words.number("%.3f s", normal) + (!arm.on() ? " | IC\u00b2 off"
                    : " | IC\u00b2 " + state.map(State::name).orElse("starting") + (decision.isEmpty() ? "" : ", " + decision));
        }
    }

    /** Where the agent of a run of this arm keeps what it has learned; the next run begins with nothing. */
    public static Path agentHome(Path folder, Arm arm) {
        return folder.resolve("agent-" + arm.letter());
    }

    void next(PlannedRun next) {
        slot = next;
        number++;
    }

    @Override
    public void begin(RunPlan run) {
        watch = new Watch(folder.resolve(run.id()), agentHome(folder, slot.arm()));
        phase = "";
        show("starting", "load " + run.users() + " users", true);
    }

    @Override
    public void at(RunPlan run, Duration time) {
        boolean loud = !plan.loadOnly() && inCycle(time).compareTo(plan.off()) >= 0;
        boolean never = plan.loadOnly() || time.compareTo(plan.off()) < 0;
        watch.look(never);
        Duration rest = plan.loadOnly() ? run.length().minus(time)
                : (loud ? plan.on().plus(plan.off()) : plan.off()).minus(inCycle(time));
        String now = plan.loadOnly() ? "no neighbour" : loud ? "neighbour ON" : "neighbour off";
        boolean fresh = !phase.equals(now + cycle(time));
        phase = now + cycle(time);
        show(now, (terminal ? rest.toSeconds() + " s, " : "") + Progress.text(left.minus(time)) + " left in all | "
                + watch.text(slot.arm()), fresh);
    }

    private Duration inCycle(Duration time) {
        return Duration.ofMillis(time.toMillis() % plan.on().plus(plan.off()).toMillis());
    }

    private long cycle(Duration time) {
        return time.toMillis() / plan.on().plus(plan.off()).toMillis();
    }

    @Override
    public void end(RunPlan run) {
        left = left.minus(run.length()).minus(OVERHEAD).minus(plan.leadIn());
        say(head() + "done | " + watch.text(slot.arm()));
    }

    private String head() {
        return "run " + number + " of " + plan.slots().size() + ", arm " + slot.arm().letter() + " (" + slot.arm().title() + ")"
                + (plan.loadOnly() ? "" : " beside " + slot.neighbour()) + ", round " + slot.round() + ": ";
    }

    private void show(String now, String text, boolean fresh) {
        if (terminal) {
            out.print(CLEAR + NO_WRAP + "[" + number + "/" + plan.slots().size() + "] (" + slot.arm().letter() + ") " + now + " " + text
                    + WRAP);
            out.flush();
        } else if (fresh) {
            out.println(head() + now + ", " + text);
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

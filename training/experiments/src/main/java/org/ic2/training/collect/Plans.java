// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.collect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Change;
import org.ic2.training.run.NeighbourPlan;
import org.ic2.training.run.RunPlan;

/**
 * The runs of an experiment.
 *
 * @param users emulated users
 * @param seed  of the order of things and of the load
 * @param on    how long the neighbour runs at a time (the paper: 240 s)
 * @param off   how long it rests
 */
public record Plans(int users, long seed, Duration on, Duration off) {
    /** What the paper trains with: dcopy only, in several sizes and thread counts. */
    public static final List<String> TRAINING = List.of("dcopy --size 20MB", "dcopy --size 1.5GB",
            "dcopy --size 20MB --threads 2", "dcopy --size 64MB --threads 2", "dcopy --size 200MB");
    /** What it evaluates with: the same and one that training never saw. */
    public static final List<String> EVALUATION = List.of("llcprobe --size 32MiB", "dcopy --size 1.5GB",
            "llcprobe --size 20MB", "dcopy --size 20MB");
    /** Both ways in which a neighbour meets the web tier. */
    public static final List<String> PLACEMENTS = List.of("same-core", "other-core");

    /** How many levels are set by hand, level 0 included. */
    private static final int LEVELS = Ladder.SHIPPED_LEVELS + 1;
    /** About 3.5 ms more for a page of 6 to 9 ms. */
    private static final int ADDED_PAGE_ROUNDS = 100;
    /** Enough at 1 s to learn what is normal. */
    private static final Duration FIRST_REST = Duration.ofSeconds(40);

    /**
     * How often the neighbour comes and goes in one run.
     *
     * @param number at least 1
     * @param first  how long there is none before it first comes, so that what is normal can be learned
     * @param rest   how long there is none after it last went, so that the last end can be noticed too
     */
    public record Cycles(int number, Duration first, Duration rest) {
        public Cycles {
            if (number < 1 || first.isZero() || first.isNegative()) {
                throw new IllegalArgumentException("--cycles, --quiet-first: expected at least 1 and more than 0 s, got " + number
                        + " and " + first.toSeconds() + " s");
            }
        }
    }

    /** How long one off and one on phase take. */
    public Duration cycle() {
        return on.plus(off);
    }

    /**
     * Runs in which the neighbour comes and goes, for about so long altogether; every run has another neighbour.
     *
     * @param total  time of all runs together; there is at least one
     * @param cycles of each run
     */
    public List<RunPlan> alternating(String kind, Duration total, Cycles cycles, List<String> programs,
            List<String> placements, AgentArm agent) {
        List<NeighbourPlan> neighbours = neighbours(programs, placements, schedule(cycles));
        Duration length = cycle().multipliedBy(cycles.number()).minus(off).plus(cycles.first()).plus(cycles.rest());
        long runs = Math.max(1, Math.round((double) total.toMillis() / length.plus(Progress.OVERHEAD).toMillis()));
        List<RunPlan> plans = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            plans.add(plan(kind, i, length, Optional.of(neighbours.get(i % neighbours.size())), agent, List.of()));
        }
        return plans;
    }

    /** In an order by chance; neighbours in the first placement, which bite most, come twice as often as in the others. */
    private List<NeighbourPlan> neighbours(List<String> programs, List<String> placements, String schedule) {
        List<String> order = new ArrayList<>(programs);
        Collections.shuffle(order, new Random(seed));
        List<NeighbourPlan> result = new ArrayList<>();
        for (int i = 0; i < 2 * order.size(); i++) {
            String program = order.get(i % order.size());
            result.add(new NeighbourPlan(program, placements.get(0), schedule));
            if (i % 2 == 1 && placements.size() > 1) {
                result.add(new NeighbourPlan(program, placements.get(1), schedule));
            }
        }
        return result;
    }

    private String schedule() {
        return off.toMillis() + "ms off, " + on.toMillis() + "ms on";
    }

    private String schedule(Cycles cycles) {
        return cycles.first().equals(off) ? schedule() : cycles.first().toMillis() + "ms off, " + on.toMillis() + "ms on"
                + (", " + schedule()).repeat(cycles.number() - 1);
    }

    /**
     * The ladder by hand: every level with and without interference, so that a tree learns what lies behind it.
     *
     * @param settling what is labelled TRANSIENT after a switch; the rest of a phase is shared out equally to the levels
     */
    public List<RunPlan> ladder(String kind, int runs, List<String> programs, String placement, Duration settling) {
        List<RunPlan> plans = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            List<Change> changes = new ArrayList<>(levels(Duration.ZERO, off, settling, i));
            changes.addAll(levels(off, on, settling, i));
            plans.add(plan(kind + "-ladder", i, cycle(), Optional.of(new NeighbourPlan(programs.get(i % programs.size()),
                    placement, schedule())), AgentArm.observer(), changes));
        }
        return plans;
    }

    /** All levels of one phase, beginning with another one in each run. */
    private static List<Change> levels(Duration begin, Duration length, Duration settling, int first) {
        Duration half = length.dividedBy(2);
        Duration settled = settling.compareTo(half) < 0 ? settling : half;
        List<Change> changes = new ArrayList<>();
        for (int step = 0; step < LEVELS; step++) {
            Duration time = step == 0 ? Duration.ZERO : settled.plus(length.minus(settled).multipliedBy(step).dividedBy(LEVELS));
            changes.add(new Change.SetValues(begin.plus(time), Map.of("MITIGATION", Integer.toString((step + first) % LEVELS)),
                    OptionalInt.empty()));
        }
        return changes;
    }

    /** Twice the users for the middle third, without interference: must not be taken for it. */
    public RunPlan surge(Duration length, AgentArm agent) {
        Duration third = length.dividedBy(3);
        int half = Math.max(1, users / 2);
        return new RunPlan("surge-1", "surge", length, half, seed, Optional.empty(), agent,
                List.of(new Change.Surge(third, half, third)));
    }

    /**
     * Half of the users ask for other things in the middle third, without interference: they stay logged in, attend the events
     * that they see and take no files.
     */
    public RunPlan mix(Duration length, AgentArm agent) {
        Duration third = length.dividedBy(3);
        int half = Math.max(1, users / 2);
        return new RunPlan("mix-1", "mix", length, half, seed, Optional.empty(), agent, List.of(
                new Change.Surge(Duration.ZERO, half, third), new Change.Crowd(third, half, third, true),
                new Change.Surge(third.multipliedBy(2), half, third)));
    }

    /** A deployment that makes every page dearer in the middle third, without interference. */
    public RunPlan deployment(Duration length, AgentArm agent) {
        Duration third = length.dividedBy(3);
        return new RunPlan("deployment-1", "deployment", length, Math.max(1, users * 2 / 3), seed, Optional.empty(), agent,
                List.of(new Change.PageCost(third, ADDED_PAGE_ROUNDS), new Change.PageCost(third.multipliedBy(2), 0)));
    }

    /** Interference without an end, with the agent acting: does it swing? */
    public RunPlan steady(Duration length, String program, String placement, AgentArm agent) {
        Duration rest = Collections.min(List.of(FIRST_REST, length.dividedBy(4)));
        return new RunPlan("steady-1", "steady", length, users, seed, Optional.of(new NeighbourPlan(program,
                placement, rest.toMillis() + "ms off, " + length.toMillis() + "ms on")), agent, List.of());
    }

    private RunPlan plan(String kind, int index, Duration length, Optional<NeighbourPlan> neighbour, AgentArm agent,
            List<Change> changes) {
        return new RunPlan(kind + "-" + (index + 1), kind, length, users, seed + index, neighbour, agent, changes);
    }
}

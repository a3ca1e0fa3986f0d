// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Stream;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.NeighbourPlan;
import org.ic2.training.run.Neighbourhood;
import org.ic2.training.run.RunPlan;

/**
 * What is compared, and how.
 *
 * @param arms       in order
 * @param neighbours kinds of interference; empty: load only
 * @param placement  {@code same-core} or {@code other-core}
 * @param repeat     runs of each arm beside each neighbour
 * @param length     of a run; the paper: 1 h
 * @param on         how long the neighbour runs at a time; the paper: 240 s
 * @param off        how long it rests
 * @param firstHalf  how much of an interference episode is its first part; the paper: 60 s
 * @param settle     how much of the time after an episode does not count, while queues drain
 * @param users      emulated users
 * @param seed       of the order of the arms and of the load
 * @param agents     what the agents of all arms share
 * @param subject    what it is measured on
 */
public record ComparePlan(List<Arm> arms, List<Neighbour> neighbours, String placement, int repeat, Duration length,
        Duration on, Duration off, Duration firstHalf, Duration settle, int users, long seed,
        AgentSettings agents, TestSubject subject) {
    /** With phases as long as the paper's the agent's own times of rest fit; with shorter ones they would hide the arm paper-graceful. */
    private static final Duration LONG_PHASE = Duration.ofSeconds(120);
    /** What a neighbour that is there all the time lets the tier have to itself, while it starts. */
    private static final Duration NEIGHBOUR_START_UP = Duration.ofSeconds(2);
    private static final int SEED_FACTOR = 1000;
    /** Intervals that a new agent needs to fill its windows and to learn what is normal. */
    private static final int LEARNING_INTERVALS = 35;

    public ComparePlan {
        arms = arms.stream().distinct().sorted().toList();
        neighbours = List.copyOf(neighbours);
        require(!arms.isEmpty(), "--arms: expected some of " + Arm.NAMES);
        require(repeat >= 1 && repeat <= SEED_FACTOR, "--repeat: expected 1 to " + SEED_FACTOR + ", got " + repeat);
        require(neighbours.stream().map(Neighbour::name).distinct().count() == neighbours.size(),
                "--neighbour: expected each name once");
        require(subject.patched() || arms.stream().allMatch(Arm::onStock),
                "--arms: on a stock httpd paper-online and paper-graceful cannot be compared; they move what the patched one can");
        require(arms.stream().allMatch(arm -> arm.host().isEmpty()) || placement.equals("same-core") && !subject.layout().equals(Neighbourhood.APART),
                "--host: expected tier and neighbour on one CPU: the layout overcommitted and the placement same-core");
        require(!on.isZero() && !off.isZero(), "--on, --off: expected more than 0 s");
        require(firstHalf.compareTo(on) <= 0, "--first-half: expected at most --on, " + on.toSeconds() + " s, got "
                + firstHalf.toSeconds() + " s");
        Duration most = neighbours.isEmpty() ? off : Stream.concat(Stream.of(Duration.ZERO), cycles(neighbours, on, off)).max(Comparator
                .naturalOrder()).orElseThrow();
        require(length.compareTo(most) >= 0, "--run: expected at least --off and --on" + (neighbours.stream().allMatch(one -> one.duty().isEmpty())
                ? "" : ", which --duty makes") + ", " + most.toSeconds() + " s, got " + length.toSeconds() + " s");
        require(neighbours.stream().allMatch(one -> one.duty().orElse(0) < Neighbour.ALWAYS) || length.compareTo(NEIGHBOUR_START_UP.plus(on)) >= 0,
                "--run: expected at least --on and " + NEIGHBOUR_START_UP.toSeconds() + " s");
    }

    private static Stream<Duration> cycles(List<Neighbour> neighbours, Duration on, Duration off) {
        return neighbours.stream().filter(one -> one.duty().orElse(0) < Neighbour.ALWAYS).map(one -> on.plus(rest(one, on, off)));
    }

    private static Duration rest(Neighbour one, Duration on, Duration off) {
        return one.duty().isEmpty() ? off : on.multipliedBy(Neighbour.ALWAYS - one.duty().getAsInt()).dividedBy(one.duty().getAsInt());
    }

    private boolean always(String neighbour) {
        return duty(neighbour).equals(OptionalInt.of(Neighbour.ALWAYS));
    }

    private OptionalInt duty(String neighbour) {
        return neighbours.stream().filter(one -> one.name().equals(neighbour)).map(Neighbour::duty).findFirst().orElse(OptionalInt.empty());
    }

    /** How long a neighbour runs at a time. */
    Duration on(String neighbour) {
        return always(neighbour) ? length.minus(NEIGHBOUR_START_UP) : on;
    }

    /** How long it rests; ahead of one that runs all the time, a moment. */
    Duration off(String neighbour) {
        return always(neighbour) ? NEIGHBOUR_START_UP : neighbours.stream().filter(one -> one.name().equals(neighbour)).findFirst()
                .map(one -> rest(one, on, off)).orElse(off);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** True if the host's agent takes part in some arm. */
    public boolean hosted() {
        return arms.stream().anyMatch(arm -> arm.host().isPresent());
    }

    /** True if no neighbour runs. */
    public boolean loadOnly() {
        return neighbours.isEmpty();
    }

    /**
     * All places, in the order of the runs: in every round, beside every neighbour, the arms in an order by chance. Of a single run of
     * each arm that would say nothing, so there the baseline comes first.
     */
    List<PlannedRun> slots() {
        List<PlannedRun> slots = new ArrayList<>();
        List<String> names = loadOnly() ? List.of(Neighbour.NONE) : neighbours.stream().map(Neighbour::name).toList();
        for (int round = 1; round <= repeat; round++) {
            for (int i = 0; i < names.size(); i++) {
                List<Arm> order = new ArrayList<>(arms);
                if (shuffled()) {
                    Collections.shuffle(order, new Random((seed * SEED_FACTOR + round) * SEED_FACTOR + i));
                }
                for (Arm arm : order) {
                    slots.add(new PlannedRun(round, names.get(i), arm));
                }
            }
        }
        return slots;
    }

    /** True if chance has a say in the order. */
    boolean shuffled() {
        return repeat * Math.max(1, neighbours.size()) > 1;
    }

    /** An arm for people: with and without IC², where those are the only two. */
    String called(Arm arm) {
        boolean plain = arms.size() == 2 && arms.contains(Arm.OFF) && arms.stream().anyMatch(Arm::on);
        return plain ? (arm.on() ? "with IC\u00b2" : "without IC\u00b2") : "arm " + arm.key() + " (" + arm.title() + ")";
    }

    /** The run of a place. All arms of a round have the same load and the same schedule. */
    RunPlan run(PlannedRun slot) {
        Optional<NeighbourPlan> plan = neighbours.stream().filter(one -> one.name().equals(slot.neighbour())).findFirst()
                .map(one -> new NeighbourPlan(one.command(), placement, schedule(slot)));
        AgentArm agent = slot.arm().agent(agents.classifier(), rest());
        RunPlan run = new RunPlan(slot.id(), "compare", length, users, seed + slot.round() - 1, plan,
                subject.patched() ? agent : agent.onStock(), slot.arm().changes());
        return run.withHost(slot.arm().host());
    }

    /**
     * When the neighbour runs. It comes up to an interval later than the plan says, by chance: locked to the samples, every
     * latency of a run would be the same one. All arms of a round have the same neighbour at the same times.
     */
    private String schedule(PlannedRun slot) {
        Random random = new Random((seed * SEED_FACTOR + slot.round()) * SEED_FACTOR + slot.neighbour().hashCode());
        StringBuilder phases = new StringBuilder();
        long late = 0;
        Duration rest = off(slot.neighbour());
        Duration there = on(slot.neighbour());
        for (long begin = 0; begin < length.toMillis(); begin += rest.plus(there).toMillis()) {
            long later = (long) (random.nextDouble() * Math.min(agents.interval().toMillis(), rest.toMillis()));
            phases.append(phases.isEmpty() ? "" : ", ").append(rest.toMillis() + later - late).append("ms off, ").append(there.toMillis())
                    .append("ms on");
            late = later;
        }
        return phases.toString();
    }

    /** All runs in order. */
    public List<RunPlan> runs() {
        return slots().stream().map(this::run).toList();
    }

    /** Least time between two graceful restarts, and between two reloads of PHP; empty: the agent's own. */
    Optional<Duration> rest() {
        return off.compareTo(LONG_PHASE) >= 0 ? Optional.empty() : Optional.of(off.dividedBy(2));
    }

    /** What a run needs before its measured time, so that a new agent knows what is normal when the neighbour comes. */
    public Duration leadIn() {
        Duration least = neighbours.stream().map(one -> off(one.name())).min(Comparator.naturalOrder()).orElse(off);
        Duration missing = agents.interval().multipliedBy(LEARNING_INTERVALS).minus(least);
        return missing.isNegative() ? Duration.ZERO : missing;
    }
}

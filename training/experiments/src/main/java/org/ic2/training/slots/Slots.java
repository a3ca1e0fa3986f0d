// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Change;
import org.ic2.training.run.NeighbourPlan;
import org.ic2.training.run.RunPlan;

/**
 * Which setting is measured when, beside which neighbour. The state of a shared machine drifts by the minute, so two
 * settings measured one after the other say little: a run of the load is cut into slots of equal length, and each round
 * gives every pair of setting and neighbour one slot, in random order. A slot begins with a time to settle that does not
 * count.
 *
 * @param tunings    the settings
 * @param neighbours beside which each is measured, {@link NeighbourSlot#ALONE} among them
 * @param rounds     how often each pair is measured
 * @param settle     of each slot
 * @param window     of each slot, what counts
 */
public record Slots(List<WebTierSetting> tunings, List<NeighbourSlot> neighbours, int rounds, Duration settle, Duration window) {
    /** After the last slot, until the load has written its last line. */
    private static final Duration END = Duration.ofSeconds(2);

    public Slots {
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds: expected at least one, got " + rounds);
        }
    }

    /** The length of a slot. */
    public Duration length() {
        return settle.plus(window);
    }

    /** When the window of the slot with this index begins, from the begin of its run. */
    public Duration from(int index) {
        return length().multipliedBy(index).plus(settle);
    }

    /** The slots of one round, in an order of its own; the same seed gives the same order. */
    public List<Slot> round(int number, long seed) {
        List<Slot> slots = new ArrayList<>(tunings.stream()
                .flatMap(tuning -> neighbours.stream().map(beside -> new Slot(number, tuning, beside))).toList());
        Collections.shuffle(slots, new Random(seed * 1000 + number));
        return slots;
    }

    /** All rounds. */
    public List<Slot> all(long seed) {
        return IntStream.rangeClosed(1, rounds).mapToObj(number -> round(number, seed)).flatMap(List::stream).toList();
    }

    /** The run that takes place in these slots, recorded by the agent. */
    public RunPlan recorded(String id, String kind, List<Slot> slots, int users, long seed) {
        return new RunPlan(id, kind, length().multipliedBy(slots.size()), users, seed, plans(slots), AgentArm.observer(),
                changes(slots), List.of());
    }

    /** The same without an agent, and the counters read at both ends of each window. */
    RunPlan counted(String id, String kind, List<Slot> slots, int users, long seed) {
        List<Duration> edges = IntStream.range(0, slots.size()).boxed().flatMap(i -> Stream.of(from(i), from(i).plus(window))).toList();
        return new RunPlan(id, kind, length().multipliedBy(slots.size()).plus(END), users, seed, plans(slots), AgentArm.off(),
                changes(slots), edges);
    }

    private List<Change> changes(List<Slot> slots) {
        return IntStream.range(0, slots.size()).<Change>mapToObj(i -> new Change.SetValues(length().multipliedBy(i),
                slots.get(i).tuning().values(), slots.get(i).tuning().php())).toList();
    }

    /** Each neighbour with the plan as it is seen from its side. */
    private List<NeighbourPlan> plans(List<Slot> slots) {
        return slots.stream().map(Slot::beside).filter(NeighbourSlot::present).distinct().map(one -> new NeighbourPlan(one.program(),
                one.placement(), slots.stream().map(slot -> length().toMillis() + (slot.beside().equals(one) ? "ms on" : "ms off"))
                        .collect(Collectors.joining(", ")))).toList();
    }
}

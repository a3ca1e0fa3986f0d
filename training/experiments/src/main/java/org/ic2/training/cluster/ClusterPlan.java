// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import org.ic2.training.run.ClusterRun;

/**
 * All runs of a comparison.
 *
 * @param arms      what is compared
 * @param noisy     at how many servers there are neighbours, each of these numbers in turn
 * @param servers   how many there are
 * @param repeat    runs of each arm with each of them
 * @param program   the neighbour's command line
 * @param times     of a run's phases
 * @param load      of all runs
 * @param shares    that agents may ask for
 * @param seed      of the load of the first round; each round has another one
 */
public record ClusterPlan(List<ClusterArm> arms, List<Integer> noisy, int servers, int repeat, String program, ClusterRun.Times times,
        Load load, ClusterRun.Shares shares, long seed) {
    /**
     * The load, the same for every arm.
     *
     * @param users     emulated users
     * @param rate      of an open loop, operations per second
     * @param sticky    whether a cookie keeps them at a server
     * @param keepAlive whether they keep their connections
     */
    public record Load(int users, OptionalDouble rate, boolean sticky, boolean keepAlive) {
    }

    /** A run and the arm that it is of. */
    public record Slot(ClusterArm arm, ClusterRun run) {
    }

    public ClusterPlan {
        arms = List.copyOf(arms);
        noisy = List.copyOf(noisy);
        for (int one : noisy) {
            if (one < 1 || one > servers) {
                throw new IllegalArgumentException("--noisy: expected numbers from 1 to the " + servers + " servers that there are, got "
                        + one);
            }
        }
        if (repeat < 1 || arms.isEmpty() || noisy.isEmpty()) {
            throw new IllegalArgumentException("expected an arm, a number of noisy servers and a --repeat of 1 or more");
        }
        if (times.before().toSeconds() < 2 || times.noisy().toSeconds() < 2 || times.after().toSeconds() < 2) {
            throw new IllegalArgumentException("--on and --off: expected 2 s or more");
        }
    }

    /** All runs, the arms in turn; every other time in reverse, so that no arm always has the later moment. */
    public List<Slot> slots() {
        List<Slot> slots = new ArrayList<>();
        boolean back = false;
        for (int round = 1; round <= repeat; round++) {
            for (int count : noisy) {
                List<ClusterArm> order = new ArrayList<>(arms);
                if (back) {
                    Collections.reverse(order);
                }
                back = !back;
                for (ClusterArm arm : order) {
                    slots.add(new Slot(arm, new ClusterRun("r" + round + "-n" + count + "-" + arm.key().replace("+", "-"),
                            new ClusterRun.Site(arm.balance(), load.sticky(), load.users(), load.rate(), load.keepAlive()), arm.levers(), count,
                            program, times, shares, seed + round - 1)));
                }
            }
        }
        return slots;
    }
}

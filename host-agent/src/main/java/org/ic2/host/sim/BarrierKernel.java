// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A parallel program over the virtual CPUs of several guests, as the NAS benchmarks of Perfect Xen are: each rank computes for
 * a while and then waits for all others, again and again.
 */
public final class BarrierKernel {
    private final SimMachine machine;
    private final Waits waits;
    private final double grain;
    private final int phases;
    private final List<Rank> ranks = new ArrayList<>();
    private int passed;
    private int arrived;
    private int finished;

    /** How a rank waits for the others. */
    public enum Waits {
        /** Not at all (EP). */
        NEVER,
        /** Asking over and over, as MPI does. */
        SPINNING,
        /** Asleep. */
        BLOCKED
    }

    /**
     * @param grain  mean CPU time between two barriers, s; drawn evenly from 0.8 to 1.2 of it
     * @param phases how many times
     */
    public BarrierKernel(SimMachine machine, Waits waits, double grain, int phases) {
        this.machine = machine;
        this.waits = waits;
        this.grain = grain;
        this.phases = phases;
    }

    /** One rank more: what a virtual CPU does. All ranks are made before time passes. */
    public Workload rank() {
        Rank rank = new Rank(machine.random());
        ranks.add(rank);
        return rank;
    }

    /** True when all ranks are through. */
    public boolean done() {
        return finished == ranks.size();
    }

    private final class Rank implements Workload {
        private final SplittableRandom random;
        private VirtualCpu cpu;
        private int phase = -1;
        private boolean computing;
        private boolean waiting;

        Rank(SplittableRandom random) {
            this.random = random;
        }

        @Override
        public Want next(VirtualCpu on) {
            cpu = on;
            if (computing) {
                computing = false;
                waiting = waits != Waits.NEVER && arrive();
            }
            if (waiting) {
                int here = phase;
                if (passed <= here) {
                    return waits == Waits.SPINNING ? new Want.Spin(() -> passed > here) : Want.BLOCK;
                }
                waiting = false;
            }
            if (++phase >= phases) {
                finished++;
                return Want.END;
            }
            computing = true;
            return new Want.Compute(Math.round(grain * (0.8 + 0.4 * random.nextDouble()) * 1e9));
        }

        /** True if others are still to come. */
        private boolean arrive() {
            if (++arrived < ranks.size()) {
                return true;
            }
            arrived = 0;
            passed++;
            if (waits == Waits.BLOCKED) {
                ranks.stream().filter(other -> other != this).forEach(other -> machine.signal(other.cpu));
            } else {
                machine.signalSpinning();
            }
            return false;
        }
    }
}

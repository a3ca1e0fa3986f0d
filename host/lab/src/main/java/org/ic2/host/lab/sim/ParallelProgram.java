// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A parallel program over the virtual CPUs of one guest or of several, as the NAS benchmarks of Perfect Xen are: each rank
 * computes for a while and then waits for those that its {@link CommunicationPattern} names, again and again. A rank hears of another one of
 * its guest in a moment, of one in another guest by a message through Dom0, if there is a network.
 */
public final class ParallelProgram {
    private final SimMachine machine;
    private final Waits waits;
    private final CommunicationPattern exchange;
    private final int count;
    private final double grain;
    private final int steps;
    private final Optional<Dom0Io> network;
    private final int bytes;
    private final List<Rank> ranks = new ArrayList<>();
    private long ended;
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
     * @param count   how many ranks will be made, all of them before time passes
     * @param grain   mean CPU time of a step, s; each is drawn evenly from 0.8 to 1.2 of what it should be
     * @param steps   how many
     * @param network what carries messages between guests; a moment, if empty
     * @param bytes   of such a message
     */
    public ParallelProgram(SimMachine machine, Waits waits, CommunicationPattern exchange, int count, double grain, int steps,
            Optional<Dom0Io> network, int bytes) {
        exchange.check(count);
        this.count = count;
        this.machine = machine;
        this.waits = waits;
        this.exchange = exchange;
        this.grain = grain;
        this.steps = steps;
        this.network = network;
        this.bytes = bytes;
    }

    /** Ranks that meet at barriers. */
    public static ParallelProgram withBarriers(SimMachine machine, Waits waits, int count, double grain, int steps) {
        return new ParallelProgram(machine, waits, CommunicationPattern.ALL, count, grain, steps, Optional.empty(), 0);
    }

    /** One rank more: what a virtual CPU does. */
    public Workload rank() {
        Rank rank = new Rank(ranks.size(), machine.random());
        ranks.add(rank);
        return rank;
    }

    /** True when all ranks are through. */
    public boolean done() {
        return finished == count;
    }

    /** Steps that the ranks have ended, all together. */
    public long ended() {
        return ended;
    }

    private final class Rank implements Workload {
        private final int number;
        private final SplittableRandom random;
        /** Steps that the others have ended, as far as it knows. */
        private final int[] heard = new int[count];
        private VirtualCpu cpu;
        private int step;
        private boolean computing;
        private boolean asleep;

        Rank(int number, SplittableRandom random) {
            this.number = number;
            this.random = random;
        }

        @Override
        public NextAction next(VirtualCpu on) {
            cpu = on;
            if (computing) {
                computing = false;
                step++;
                ended++;
                tell();
            }
            if (!ready()) {
                asleep = waits == Waits.BLOCKED;
                return asleep ? NextAction.BLOCK : new NextAction.Spin(this::ready);
            }
            asleep = false;
            if (step >= steps) {
                finished++;
                return NextAction.END;
            }
            computing = true;
            double seconds = grain * exchange.work(step, count) * (0.8 + 0.4 * random.nextDouble());
            return new NextAction.Compute(Math.round(seconds * 1e9));
        }

        /** At the end everybody waits for everybody. */
        private CommunicationPattern meeting(int before) {
            return before >= steps ? CommunicationPattern.ALL : exchange;
        }

        private boolean ready() {
            if (waits == Waits.NEVER || step == 0 && exchange.lag() == 1) {
                return true;
            }
            CommunicationPattern with = meeting(step);
            for (int other : with.needs(number, step, count)) {
                if (heard[other] < step + 1 - with.lag()) {
                    return false;
                }
            }
            return true;
        }

        /** Whoever needs what has just been ended. */
        private void tell() {
            if (waits == Waits.NEVER) {
                return;
            }
            int now = step;
            for (Rank other : ranks) {
                if (other != this && (other.needs(number, now - 1 + exchange.lag()) || now == steps)) {
                    send(other, () -> other.hear(number, now));
                }
            }
        }

        private boolean needs(int other, int before) {
            for (int one : meeting(before).needs(number, before, count)) {
                if (one == other) {
                    return true;
                }
            }
            return false;
        }

        private void send(Rank other, Runnable delivered) {
            if (network.isPresent() && other.cpu != null && other.cpu.guest() != cpu.guest()) {
                network.get().transfer(cpu.guest(), bytes, delivered);
            } else {
                machine.signal(delivered);
            }
        }

        private void hear(int other, int stepsEnded) {
            heard[other] = Math.max(heard[other], stepsEnded);
            if (cpu == null) {
                return;
            }
            if (waits == Waits.SPINNING) {
                machine.look(cpu);
            } else if (asleep && ready()) {
                asleep = false;
                machine.wake(cpu);
            }
        }
    }
}

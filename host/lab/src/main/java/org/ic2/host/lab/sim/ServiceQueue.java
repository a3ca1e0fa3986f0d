// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Work that is done in the order in which it comes, by all virtual CPUs of a guest: a server, or Dom0's side of an I/O. */
public final class ServiceQueue implements Workload {
    private final SimMachine machine;
    private final Deque<Job> waiting = new ArrayDeque<>();
    private final Deque<VirtualCpu> idle = new ArrayDeque<>();
    private final List<Job> inHand = new ArrayList<>();

    private record Job(long nanos, Runnable done) {
    }

    public ServiceQueue(SimMachine machine) {
        this.machine = machine;
    }

    /** More to do: so many nanoseconds of CPU time, and what is to happen then. */
    public void submit(long nanos, Runnable done) {
        waiting.add(new Job(nanos, done));
        VirtualCpu free = idle.poll();
        if (free != null) {
            machine.wake(free);
        }
    }

    @Override
    public NextAction next(VirtualCpu cpu) {
        while (inHand.size() <= cpu.index()) {
            inHand.add(null);
        }
        Job done = inHand.set(cpu.index(), null);
        if (done != null) {
            done.done().run();
        }
        Job job = waiting.poll();
        inHand.set(cpu.index(), job);
        if (job != null) {
            return new NextAction.Compute(job.nanos());
        }
        if (!idle.contains(cpu)) {
            idle.add(cpu);
        }
        return NextAction.BLOCK;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;

/**
 * The server of the joint controller's paper (section III): each request burns CPU and touches random parts of a heap. Requests
 * come at random at a given rate; rate and heap change with time. Pages that are not there come from one disk of the guest, one
 * after the other.
 */
public final class MemAccess {
    private final SimMachine machine;
    private final SimGuest guest;
    private final ServiceQueue server;
    private final SplittableRandom random;
    private final MemoryModel memory;
    private final DoubleUnaryOperator heap;
    private final double cpu;
    private long diskFree;

    /**
     * @param server what the guest's virtual CPUs do
     * @param heap   bytes at a time in seconds since the beginning
     * @param cpu    mean CPU time of a request without faults, s; drawn evenly from half to one and a half of it
     */
    public MemAccess(SimMachine machine, SimGuest guest, ServiceQueue server, MemoryModel memory, DoubleUnaryOperator heap,
            double cpu) {
        this.machine = machine;
        this.guest = guest;
        this.server = server;
        this.memory = memory;
        this.heap = heap;
        this.cpu = cpu;
        random = machine.random();
    }

    /** Requests begin to come: 1/s at a time in seconds, and the greatest that this can be. */
    public void start(DoubleUnaryOperator rate, double most) {
        new Arrivals(machine, machine.random(), rate, most, this::request).start();
    }

    /** Bytes in use now. */
    public double used() {
        return memory.used(heapNow(), guest.memory());
    }

    private double heapNow() {
        return heap.applyAsDouble(machine.now() / 1e9);
    }

    private void request() {
        int faults = memory.faults(heapNow(), guest.memory(), random);
        double seconds = cpu * (0.5 + random.nextDouble());
        go(machine.now(), faults, Math.round((seconds / (faults + 1) + (faults > 0 ? memory.cpuTime() : 0)) * 1e9));
    }

    /** Computes up to the next fault, waits for its page, and goes on. */
    private void go(long sent, int faults, long burst) {
        server.submit(burst, () -> {
            if (faults == 0) {
                guest.requests().add((machine.now() - sent) / 1e9);
                return;
            }
            long from = Math.max(machine.now(), diskFree);
            diskFree = from + Math.round(memory.diskTime() * 1e9);
            guest.faulted();
            guest.stalled(diskFree - from);
            machine.after(diskFree - machine.now(), () -> go(sent, faults - 1, burst));
        });
    }
}

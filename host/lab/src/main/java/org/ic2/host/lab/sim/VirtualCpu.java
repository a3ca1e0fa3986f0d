// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.function.BooleanSupplier;

/** A guest's virtual CPU: what it does, where it stands with its scheduler, and how it has fared. */
public final class VirtualCpu {

    /** Where it is. Time is booked by it as Xen's run states are: blocked, runnable, running, offline. */
    enum Place { BLOCKED, QUEUED, RUNNING, PARKED }

    final SimGuest guest;
    final int index;
    final Workload workload;

    Place place = Place.BLOCKED;
    private long since;

    /** CPU time that it still wants, ns. */
    long need;
    /** CPU time lost to cold caches before it gets on with that, ns. */
    long refill;
    BooleanSupplier spin;
    /** A wake-up that came while it was awake. */
    boolean pending;

    /** Where it is queued, runs or ran last. */
    PhysicalCpu cpu;
    /** The number of the CPU of its pool on which alone it may run; less than 0: where its guest may. */
    int pin = -1;
    /** Credit1: ten are a millisecond of CPU time. Credit2: nanoseconds of it at the greatest weight. */
    double credit;
    int priority = Credit1.UNDER;
    boolean active;
    /** Its cap keeps it from running. */
    boolean parked;
    /** What is left of its cap under Credit2, ns. */
    double budget;

    private final long[] spent = new long[Place.values().length];
    long runs;
    long wakeups;

    VirtualCpu(SimGuest guest, int index, Workload workload) {
        this.guest = guest;
        this.index = index;
        this.workload = workload;
    }

    /** Its guest. */
    public SimGuest guest() {
        return guest;
    }

    /** Its number in its guest. */
    public int index() {
        return index;
    }

    /** True if it has something to do, be it given a CPU or not. */
    boolean hasWork() {
        return need > 0 || spin != null;
    }

    boolean mayRunOn(PhysicalCpu one) {
        return pin < 0 ? guest.mayRunOn(one) : one.index == pin;
    }

    /** Books the time since it came where it is. */
    void book(long now) {
        spent[place.ordinal()] += now - since;
        since = now;
    }

    void move(Place to, long now) {
        book(now);
        place = to;
    }

    long spent(Place in) {
        return spent[in.ordinal()];
    }

    @Override
    public String toString() {
        return guest.name() + "." + index;
    }
}

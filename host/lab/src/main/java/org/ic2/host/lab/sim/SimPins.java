// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import org.ic2.host.lab.sim.VirtualCpu.Place;

/** Virtual CPUs are pinned while they run, as Xen does it: at once, and whoever is elsewhere moves. */
final class SimPins {
    private SimPins() {
    }

    /**
     * Pins one.
     *
     * @param cpu a number of its pool; less than 0: where its guest may run
     */
    static void pin(VirtualCpu one, int cpu) {
        SimPool pool = one.guest.pool();
        one.pin = cpu;
        if (one.mayRunOn(one.cpu)) {
            return;
        }
        if (one.place == Place.RUNNING) {
            pool.tickle(one.cpu);
        } else if (one.place == Place.QUEUED) {
            pool.scheduler.remove(one);
            one.cpu = pool.cpus().get(cpu);
            pool.scheduler.enqueue(one, false);
        } else {
            one.cpu = pool.cpus().get(cpu);
        }
    }

    /** True if one that runs may not run there any more: it is queued where it may. */
    static boolean leaves(SimPool pool, VirtualCpu one, long now) {
        if (one.mayRunOn(one.cpu)) {
            return false;
        }
        one.move(Place.QUEUED, now);
        one.cpu = pool.cpus().get(one.pin);
        pool.scheduler.enqueue(one, false);
        return true;
    }
}

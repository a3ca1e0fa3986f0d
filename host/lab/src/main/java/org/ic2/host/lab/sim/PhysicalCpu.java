// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.ArrayList;
import java.util.List;

/** A physical CPU of a pool. */
final class PhysicalCpu {
    /** Its number in its pool. */
    final int index;
    /** Credit1's queue of it. */
    final List<VirtualCpu> queue = new ArrayList<>();

    VirtualCpu current;
    /** Whose data its caches hold. */
    VirtualCpu owner;
    /** When {@link #current} came. */
    long stint;
    /** Until when {@link #current} has been charged. */
    long charged;
    long sliceEnd;
    /** Told to schedule, and has not yet. */
    boolean tickled;
    /** Orders of earlier decisions are void. */
    long decision;

    /** How much of its work a second brings; less than 1 where memory is contended for. */
    double speed = 1;
    /** How much longer than alone a request for memory takes. */
    double latency = 1;
    /** Who has used memory here since that was found. */
    VirtualCpu counting;

    PhysicalCpu(int index) {
        this.index = index;
    }

    boolean idle() {
        return current == null && !tickled;
    }
}

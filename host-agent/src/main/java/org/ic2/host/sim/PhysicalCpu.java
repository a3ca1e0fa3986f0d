// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.sim;

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

    PhysicalCpu(int index) {
        this.index = index;
    }

    boolean idle() {
        return current == null && !tickled;
    }
}

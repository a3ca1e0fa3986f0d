// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/** What a guest does. One object may serve several of its virtual CPUs. */
@FunctionalInterface
public interface Workload {

    /** What this virtual CPU wants next; asked when it has got what it wanted before, with the CPU in its hands. */
    NextAction next(VirtualCpu cpu);
}

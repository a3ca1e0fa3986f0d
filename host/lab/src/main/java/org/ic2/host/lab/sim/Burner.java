// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/** Uses all the CPU that it gets, for ever. */
public final class Burner implements Workload {
    private static final NextAction MUCH = new NextAction.Compute(1_000_000_000L);

    @Override
    public NextAction next(VirtualCpu cpu) {
        return MUCH;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/** Uses all the CPU that it gets, for ever. */
public final class Burner implements Workload {
    private static final Want MUCH = new Want.Compute(1_000_000_000L);

    @Override
    public Want next(VirtualCpu cpu) {
        return MUCH;
    }
}

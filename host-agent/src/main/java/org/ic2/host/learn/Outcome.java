// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.List;

/**
 * What was measured while a setting was tried.
 *
 * @param shares of each guest that runs, the host's own domain among them where it has one
 */
public record Outcome(List<CpuShare> shares) {
    public Outcome {
        shares = List.copyOf(shares);
    }

    /** CPUs that all guests used together. */
    public double run() {
        return shares.stream().mapToDouble(CpuShare::run).sum();
    }
}

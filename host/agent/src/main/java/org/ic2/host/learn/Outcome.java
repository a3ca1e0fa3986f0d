// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.List;
import java.util.Optional;

/**
 * What was measured while a setting was tried.
 *
 * @param shares  of each guest that runs, the host's own domain among them where it has one
 * @param refused why the host does not take the setting, so that nothing was measured; empty where it did
 */
public record Outcome(List<CpuShare> shares, Optional<String> refused) {
    public Outcome {
        shares = List.copyOf(shares);
    }

    public Outcome(List<CpuShare> shares) {
        this(shares, Optional.empty());
    }

    /** Of a setting that the host does not take. */
    public static Outcome refused(String why) {
        return new Outcome(List.of(), Optional.of(why));
    }

    /** CPUs that all guests used together. */
    public double run() {
        return shares.stream().mapToDouble(CpuShare::run).sum();
    }
}

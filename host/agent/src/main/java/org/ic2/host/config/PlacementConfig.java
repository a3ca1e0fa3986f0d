// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.ic2.host.model.MoveCommand;

/**
 * Workload-aware placement: virtual CPUs on physical ones and, with a fleet, guests on hosts.
 *
 * @param realise   how a plan becomes real
 * @param intensity where the memory intensity comes from
 * @param leave     a memory-intensive guest whose intensity falls to this is one no longer
 * @param enter     a guest whose intensity exceeds this is memory-intensive
 * @param period    between two plans of a host
 * @param latency   how latency is predicted; none: nobody is asked to migrate
 * @param fleet     the file of the hosts; none: this one is alone
 * @param migrate   the command that moves a guest; none: moves are advice
 * @param deadline  of that command
 * @param onCredit1 what is wrong with it, with its line, if the host's scheduler is Credit1
 */
public record PlacementConfig(Realise realise, IntensityChoice intensity, double leave, double enter, Duration period,
        Optional<LatencyChoice> latency, Optional<Path> fleet, Optional<MoveCommand> migrate, Duration deadline, Optional<String> onCredit1) {

    /** Its name as an owner of knobs. */
    public static final String NAME = "placement";

    /** True if the agent pins. */
    public boolean pins() {
        return realise == Realise.AFFINITY;
    }

    /** How a plan becomes real. */
    public enum Realise {
        /** The agent pins. */
        AFFINITY,
        /** A person makes Xen's cpupools; the agent says how, and moves nothing. */
        CPUPOOL
    }
}

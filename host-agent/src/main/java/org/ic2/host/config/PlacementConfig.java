// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
 * @param migrate   the command that moves a guest, with {@link #WORDS} in braces to be filled in; empty: moves are advice
 * @param onCredit1 what is wrong with it, with its line, if the host's scheduler is Credit1
 */
public record PlacementConfig(Realise realise, IntensityChoice intensity, double leave, double enter, Duration period,
        Optional<LatencyChoice> latency, Optional<Path> fleet, List<String> migrate, Optional<String> onCredit1) {

    /** Its name as an owner of knobs. */
    public static final String NAME = "placement";

    /** What the command of a migration may hold in braces: the guest's address on its host, its uuid and name, both hosts' names. */
    public static final List<String> WORDS = List.of("id", "uuid", "name", "from", "to");

    public PlacementConfig {
        migrate = List.copyOf(migrate);
    }

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

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.List;

/**
 * Physical CPUs that share a scheduler.
 *
 * @param name      Xen's name of the cpupool; {@code linux} where there are no pools
 * @param scheduler {@code credit}, {@code credit2}, {@code cfs}
 * @param cpus      the numbers of its physical CPUs
 * @param topology  which of them are threads of one core, and where they are
 */
public record Pool(String name, String scheduler, List<Integer> cpus, Topology topology) {
    /** Of which nothing more is known. */
    public Pool(String name, String scheduler, List<Integer> cpus) {
        this(name, scheduler, cpus, Topology.FLAT);
    }

    public Pool {
        cpus = List.copyOf(cpus);
    }
}

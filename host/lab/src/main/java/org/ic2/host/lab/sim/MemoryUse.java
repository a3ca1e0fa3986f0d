// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/**
 * How the work of a guest uses memory below its own caches. The numbers are chosen, not measured: so that what workload-aware
 * placement reports of four SPEC programs comes out in its direction (figures 5 and 6).
 *
 * @param requests that it makes of what the cores share, in those of lbm
 * @param stalled  share of its time alone in which it waits for them
 * @param missing  share of them that miss the last cache
 */
public record MemoryUse(double requests, double stalled, double missing) {
    /** Memory-intensive, with few misses for its requests: its data is streamed. */
    public static final MemoryUse LBM = new MemoryUse(1, 0.7, 0.02);
    /** Memory-intensive, with many. */
    public static final MemoryUse GEMS = new MemoryUse(0.9, 0.6, 0.15);
    /** Little. */
    public static final MemoryUse ZEUSMP = new MemoryUse(0.15, 0.1, 0.3);
    /** Hardly anything, and most of it misses. */
    public static final MemoryUse SJENG = new MemoryUse(0.05, 0.03, 0.8);
    /** A cache in memory, memcached: each request of a client waits for memory for half of its time. */
    public static final MemoryUse CACHE = new MemoryUse(0.3, 0.5, 0.3);

    public MemoryUse {
        if (!(requests >= 0 && stalled >= 0 && stalled <= 1 && missing >= 0 && missing <= 1)) {
            throw new IllegalArgumentException("memory use: expected no negative rate and shares from 0 to 1, got " + requests + ", "
                    + stalled + ", " + missing);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/**
 * A pool's knobs.
 *
 * @param tsliceMillis    Credit1's time slice, 1 to 1000 ms (Xen: 30); Credit2 has none
 * @param ratelimitMicros the least time that one runs before another may take its place, microseconds (Xen: 1000); 0 = none
 */
public record SchedulerSettings(int tsliceMillis, int ratelimitMicros) {
    /** Xen's own. */
    public static final SchedulerSettings DEFAULT = new SchedulerSettings(30, 1000);

    public SchedulerSettings {
        if (tsliceMillis < 1 || tsliceMillis > 1000) {
            throw new IllegalArgumentException("time slice: expected 1 to 1000 ms, got " + tsliceMillis);
        }
        if (ratelimitMicros != 0 && (ratelimitMicros < 100 || ratelimitMicros > 500_000)) {
            throw new IllegalArgumentException("rate limit: expected 0 or 100 to 500000 us, got " + ratelimitMicros);
        }
        if (ratelimitMicros > tsliceMillis * 1000) {
            throw new IllegalArgumentException("rate limit: expected at most the time slice of " + tsliceMillis * 1000
                    + " us, got " + ratelimitMicros);
        }
    }
}

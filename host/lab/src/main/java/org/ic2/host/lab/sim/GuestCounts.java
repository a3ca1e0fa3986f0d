// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/**
 * What has happened to a guest since it was started, or between two moments.
 *
 * @param run       CPU time, s
 * @param waited    time in which it was runnable and did not run, s, over its virtual CPUs
 * @param parked    time in which it had work and its cap kept it from running, s (Xen: offline)
 * @param switches  how often it was put on a physical CPU
 * @param wakeups   how often it woke up
 * @param netBytes  bytes sent and received
 * @param majflt    page faults that waited for the disk
 * @param stalled   time in which something waited for such a fault, s
 */
public record GuestCounts(double run, double waited, double parked, long switches, long wakeups, double netBytes, long majflt,
        double stalled) {
    /** Nothing yet. */
    public static final GuestCounts NONE = new GuestCounts(0, 0, 0, 0, 0, 0, 0, 0);

    /** What has happened since {@code earlier}. */
    public GuestCounts since(GuestCounts earlier) {
        return new GuestCounts(run - earlier.run, waited - earlier.waited, parked - earlier.parked, switches - earlier.switches,
                wakeups - earlier.wakeups, netBytes - earlier.netBytes, majflt - earlier.majflt, stalled - earlier.stalled);
    }

    /** Mean length of a run, s; NaN if it never ran. */
    public double meanRun() {
        return switches > 0 ? run / switches : Double.NaN;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

/**
 * Whether a tenant that tells of a response time beyond its target is listened to. A queue misses its target now and then by itself, and
 * a cap costs more than that: only a miss that lasts counts. Lowering others' caps helps within minutes or not at all: who goes on
 * complaining is not heard any more until it has been content for as long. Immutable.
 *
 * @param lasting for how long its response time has been beyond its target without a break, s
 * @param seconds for how long it has complained, less for how long it was content since
 */
public record Complaint(double lasting, double seconds) {
    /** So long a miss has to last. */
    public static final double LASTING = 36;
    /** For so long in all a complaint counts. */
    public static final double PATIENCE = 180;
    private static final double MOST = 3600;

    static Complaint none() {
        return new Complaint(0, 0);
    }

    /** After so many seconds more; rt is NaN where nothing was told. */
    Complaint after(double more, double rt, double target) {
        boolean now = rt > target;
        return new Complaint(now ? lasting + more : 0, Math.max(0, Math.min(MOST, seconds + (now ? more : -more))));
    }

    boolean counts() {
        return lasting >= LASTING && seconds <= PATIENCE;
    }
}

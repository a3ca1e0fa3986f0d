// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

/**
 * Whether a tenant that tells of a response time beyond its target is listened to. Lowering others' caps helps within minutes or not at
 * all: who goes on complaining is not heard any more until it has been content for as long. Immutable.
 *
 * @param missing whether its response time was beyond its target last
 * @param seconds for how long it has complained, less for how long it was content since
 */
public record Complaint(boolean missing, double seconds) {
    /** For so long in all a complaint counts. */
    public static final double PATIENCE = 180;
    private static final double MOST = 3600;

    static Complaint none() {
        return new Complaint(false, 0);
    }

    /** After so many seconds more; rt is NaN where nothing was told. */
    Complaint after(double more, double rt, double target) {
        boolean now = rt > target;
        return new Complaint(now, Math.max(0, Math.min(MOST, seconds + (now ? more : -more))));
    }

    boolean counts() {
        return missing && seconds <= PATIENCE;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import java.io.Serializable;
import org.ic2.fleet.store.FleetException;

/**
 * When tenants of a host agree that a neighbour slows them down.
 *
 * @param tenants how many must be slow in the same window (k)
 * @param window  seconds that count as the same
 * @param least   windows for which it must last
 * @param factor  slow is what lies further above a tenant's median than this many times the distance of its lower quartile from it,
 *                which is the median absolute deviation of a symmetric distribution (the paper's equation 1) and which slow
 *                stretches do not widen
 * @param harm    and at least this many times the median
 * @param busier  its own load has risen if throughput lies as far above its median, and at least this many times the median
 */
public record AgreementRule(int tenants, int window, int least, double factor, double harm, double busier) implements Serializable {
    private static final long serialVersionUID = 1;

    public AgreementRule {
        check(tenants >= 2, "--agree", "2 or more: one tenant has no other to agree with", tenants);
        check(window >= 1 && window <= 300, "--window", "1 to 300 s", window);
        check(least >= 1, "--least", "1 or more windows", least);
        check(factor > 0, "--factor", "more than 0", factor);
        check(harm >= 1, "--agreed-harm", "1 or more", harm);
        check(busier >= 1, "--busier", "1 or more", busier);
    }

    private static void check(boolean good, String option, String expected, Object got) {
        if (!good) {
            throw new FleetException(option + ": expected " + expected + ", got " + got);
        }
    }

    /** Above it a tenant is slow. */
    double slowAbove(double median, double lowerQuartile) {
        return Math.max(median + factor * (median - lowerQuartile), harm * median);
    }

    /** Above it its own load has risen. */
    double busyAbove(double median, double lowerQuartile) {
        return Math.max(median + factor * (median - lowerQuartile), busier * median);
    }
}

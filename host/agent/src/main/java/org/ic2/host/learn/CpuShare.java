// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import org.ic2.host.model.GuestClass;

/**
 * What a guest had of the CPUs while a setting was tried, CPUs: means over the window.
 *
 * @param guest      which one, the same in all trials of one search
 * @param guestClass how it is to be served
 * @param run        CPUs in use
 * @param waited     CPUs that it waited for
 * @param throttled  CPUs that a cap withheld; 0 where it has no cap
 */
public record CpuShare(String guest, GuestClass guestClass, double run, double waited, double throttled) {
    public CpuShare {
        check(guest, "run", run);
        check(guest, "wait", waited);
        check(guest, "throttled", throttled);
    }

    private static void check(String guest, String what, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(guest + ": cpu." + what + ": expected CPUs, 0 or more, got " + value);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

/**
 * A guest: a virtual machine or, on Linux, a control group.
 *
 * @param id         how its backend addresses it while it runs: a domain's number, a control group's path
 * @param uuid       which one it is: a guest started anew under the same name or number has another
 * @param name       for people and the configuration; may hold anything
 * @param vcpus      virtual CPUs; of a control group the CPUs that it may use
 * @param memMin     the least memory that it may be given, bytes
 * @param memMax     the most, bytes
 * @param guestClass how it is to be served
 * @param rtTarget   the response time that its tenant wants, seconds; NaN if none was said
 * @param intensity  its memory intensity as declared, 0 to 1; NaN if it was not
 * @param plain      true of a control group that is no machine: it has no virtual CPUs of its own
 */
public record Guest(String id, String uuid, String name, int vcpus, long memMin, long memMax, GuestClass guestClass,
        double rtTarget, double intensity, boolean plain) {

    private static final int LEAST_FOR_EACH = 50;

    /** A machine. */
    public Guest(String id, String uuid, String name, int vcpus, long memMin, long memMax, GuestClass guestClass, double rtTarget,
            double intensity) {
        this(id, uuid, name, vcpus, memMin, memMax, guestClass, rtTarget, intensity, false);
    }

    /**
     * The least cap, thousandths of a CPU: a twentieth of a CPU for each virtual CPU. A plain group counts for as many as it may fill.
     *
     * @param most CPUs, the most that it may be given
     */
    public int leastCap(double most) {
        return LEAST_FOR_EACH * (int) Math.max(1, plain ? Math.min(vcpus, Math.ceil(most)) : vcpus);
    }

    /** True if it is the same guest, whatever is said of it now. */
    public boolean is(Guest other) {
        return uuid.equals(other.uuid);
    }
}

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
 */
public record Guest(String id, String uuid, String name, int vcpus, long memMin, long memMax, GuestClass guestClass,
        double rtTarget, double intensity) {

    /** True if it is the same guest, whatever is said of it now. */
    public boolean is(Guest other) {
        return uuid.equals(other.uuid);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

/** The network of the guests as Xen has it: Dom0's virtual CPUs carry each transfer, in the order in which they come. */
public final class Dom0Io {
    private final ServiceQueue dom0;
    private final long each;
    private final double perByte;

    /**
     * @param dom0    what Dom0's virtual CPUs do
     * @param each    CPU time of Dom0 for a transfer, ns
     * @param perByte and for each byte of it, ns
     */
    public Dom0Io(ServiceQueue dom0, long each, double perByte) {
        this.dom0 = dom0;
        this.each = each;
        this.perByte = perByte;
    }

    /** Carries something from or to a guest. */
    public void transfer(SimGuest guest, int bytes, Runnable delivered) {
        guest.transferred(bytes);
        dom0.submit(each + Math.round(perByte * bytes), delivered);
    }
}

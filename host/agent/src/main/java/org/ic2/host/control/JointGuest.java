// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

/**
 * What it remembers of a guest.
 *
 * @param cpu    of its CPUs
 * @param memory of its memory
 * @param heard  of its response time
 * @param own    the memory that it had at first, in the knob's unit; 0 as long as that is not known
 * @param complaint what counts of its response time against others
 */
public record JointGuest(UtilizationController.Recent cpu, UtilizationController.Recent memory,
        ResponseTimeController.Heard heard, double own, Complaint complaint) {
}

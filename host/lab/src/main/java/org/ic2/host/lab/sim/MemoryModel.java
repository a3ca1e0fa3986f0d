// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.SplittableRandom;

/**
 * What too little memory does to a request (joint control, section IV, figures 2 and 3): nothing until the memory in use
 * reaches the knee of what there is; beyond, the part of the heap that has no room is on the disk, and each page that the request
 * touches there waits for it.
 *
 * @param knee     share of the memory that is the heap's to use (paper: 0.9)
 * @param touches  pages that a request touches at random
 * @param diskTime of a page fault, s
 * @param cpuTime  of a page fault, s
 */
public record MemoryModel(double knee, int touches, double diskTime, double cpuTime) {
    /** The paper's knee; the rest is chosen so that its cliff comes out. */
    public static final MemoryModel PAPER = new MemoryModel(0.9, 60, 0.005, 0.0002);

    public MemoryModel {
        if (!(knee > 0 && knee <= 1) || touches < 0 || diskTime < 0 || cpuTime < 0) {
            throw new IllegalArgumentException("memory model: expected a knee above 0 and up to 1 and no negative time, got "
                    + knee + ", " + touches + ", " + diskTime + ", " + cpuTime);
        }
    }

    /** The share of a heap that has no room. */
    public double missing(double heap, double allocation) {
        return heap <= knee * allocation ? 0 : 1 - knee * allocation / heap;
    }

    /** The memory in use: the heap, at most what there is. */
    public double used(double heap, double allocation) {
        return Math.min(heap, allocation);
    }

    /** How many of a request's pages have to come from the disk. */
    int faults(double heap, double allocation, SplittableRandom random) {
        double missing = missing(heap, allocation);
        int faults = 0;
        for (int i = 0; missing > 0 && i < touches; i++) {
            faults += random.nextDouble() < missing ? 1 : 0;
        }
        return faults;
    }
}

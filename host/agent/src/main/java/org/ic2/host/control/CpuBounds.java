// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

/**
 * Between which caps a guest may be moved, CPUs.
 *
 * @param least above 0: a cap of 0 would be none
 * @param most  not below the least
 */
public record CpuBounds(double least, double most) {
    public CpuBounds {
        if (!(least > 0 && least <= most) || Double.isInfinite(most)) {
            throw new IllegalArgumentException("cpu: expected [least, most] CPUs, the least above 0, got [" + least + ", "
                    + most + "]");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.Arrays;

/** The response times of a guest's requests, s, in the order in which they were done. */
public final class RequestLog {
    private double[] seconds = new double[64];
    private int count;

    /** One more, s. */
    public void add(double response) {
        if (count == seconds.length) {
            seconds = Arrays.copyOf(seconds, 2 * count);
        }
        seconds[count++] = response;
    }

    /** How many have been done. */
    public int count() {
        return count;
    }

    /** Their mean without the first {@code from}, s; NaN if there is none. */
    public double mean(int from) {
        return Arrays.stream(seconds, from, count).average().orElse(Double.NaN);
    }

    /** The quantile (nearest rank) without the first {@code from}, s; NaN if there is none. */
    public double quantile(int from, double share) {
        double[] sorted = Arrays.copyOfRange(seconds, from, count);
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}

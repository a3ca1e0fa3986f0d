// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.Arrays;

/** Response times of an interval, ns. Not safe for several threads. */
final class ResponseTimes {
    private long[] all = new long[128];
    private int count;

    void add(long nanos) {
        if (count == all.length) {
            all = Arrays.copyOf(all, count * 2);
        }
        all[count++] = nanos;
    }

    /** All of them, ascending; then empty again. */
    long[] takeSorted() {
        long[] taken = Arrays.copyOf(all, count);
        Arrays.sort(taken);
        count = 0;
        return taken;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.util.HashMap;
import java.util.Map;

/** Rates of counters between two readings. A counter that is new, or that went back, has no rate. Not thread-safe. */
public final class CounterRates {

    private Map<String, Double> before = new HashMap<>();
    private Map<String, Double> now = new HashMap<>();
    private long beforeNanos;
    private double seconds = Double.NaN;

    /** Begins a reading at this monotonic time. */
    public void begin(long nanos) {
        Map<String, Double> last = now;
        now = before;
        now.clear();
        before = last;
        seconds = before.isEmpty() ? Double.NaN : (nanos - beforeNanos) / 1e9;
        beforeNanos = nanos;
    }

    /** CounterRates per second since the previous reading; NaN when unknown. */
    public double rate(String counter, double value) {
        return growth(counter, value) / seconds;
    }

    /** CounterRates since the previous reading; NaN when unknown. */
    public double growth(String counter, double value) {
        if (Double.isNaN(value)) {
            return Double.NaN;
        }
        now.put(counter, value);
        Double last = before.get(counter);
        return last == null || value < last || !(seconds > 0) ? Double.NaN : value - last;
    }
}

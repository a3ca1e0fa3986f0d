// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostWindow;

/**
 * What tells the load of a host (paper T, 3.5.1), in the order and the units of Table 1: CPU use in percent, virtual CPUs for
 * each physical one, guests, network traffic in Mbit/s.
 */
public final class HostFeatures {
    /** Their names in files. */
    public static final List<String> KEYS = List.of("cpu_percent", "vcpu_ratio", "vm_count", "net_mbit");

    private static final List<HostMetric> METRICS = List.of(HostMetric.CPU_UTIL, HostMetric.VCPU_RATIO, HostMetric.VM_COUNT,
            HostMetric.NET_RATE);

    private HostFeatures() {
    }

    /** The means over a window; NaN where there is none. */
    public static double[] of(HostWindow window) {
        double[] features = METRICS.stream().mapToDouble(window::mean).toArray();
        features[0] *= 100;
        return features;
    }

    /** Why some are missing, one reason for each; empty if none is. */
    public static List<String> missing(HostWindow window) {
        List<String> why = new ArrayList<>();
        for (HostMetric metric : METRICS) {
            if (Double.isNaN(window.mean(metric))) {
                why.add(metric.key() + ": " + window.last().host().why(metric));
            }
        }
        return why;
    }

    /** For people: {@code CPU 91.8 %, ratio 5.71, 15.6 guests, 24.3 Mbit/s}. */
    public static String describe(double[] features) {
        return String.format(Locale.ROOT, "CPU %.1f %%, ratio %.2f, %.1f guests, %.1f Mbit/s", features[0], features[1],
                features[2], features[3]);
    }
}

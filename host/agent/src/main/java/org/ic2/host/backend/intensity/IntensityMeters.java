// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.util.function.LongSupplier;
import org.ic2.runtime.host.Host;

/** The ways by the words of the configuration. */
public final class IntensityMeters {

    private IntensityMeters() {
    }

    /**
     * One that nobody has asked yet; it makes nothing before it is asked. {@code backend} is none: there the backend tells its
     * guests' intensities itself.
     *
     * @param writes false for one that changes nothing of the host: it reads what others have made to measure by
     * @throws IllegalArgumentException if there is no such way
     */
    public static IntensityMeter of(String type, Host host, LongSupplier nanos, boolean writes) {
        return switch (type) {
            case "perf-sq" -> new PerfSq(host, nanos);
            case "resctrl" -> new Resctrl(host, nanos, writes);
            case "declared" -> new Declared();
            case "canary" -> new Canary(nanos);
            default -> throw new IllegalArgumentException("intensity: expected perf-sq, resctrl, declared or canary, got " + type);
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.util.Arrays;
import java.util.Optional;

/** One of the four values that IC2 sets while the middleware runs. */
public enum Lever {
    /** MXC, threads. */
    MAX_REQUEST_WORKERS("max-request-workers", Metric.MXC),
    /** KAT; the integer is in milliseconds. */
    KEEP_ALIVE_TIMEOUT("keep-alive-timeout", Metric.KAT),
    /** PHP, processes. */
    PHP_MAX_CHILDREN("php-max-children", Metric.PHP),
    /** The rung of the ladder, 0 = nothing. */
    MITIGATION("mitigation", Metric.MITIGATION);

    private final String key;
    private final Metric metric;

    Lever(String key, Metric metric) {
        this.key = key;
        this.metric = metric;
    }

    /** The name in configuration files and rules. */
    public String key() {
        return key;
    }

    /** Where a sample carries the value that was in force. */
    public Metric metric() {
        return metric;
    }

    /** True for the paper's three levers, false for the ladder. */
    public boolean ofPaper() {
        return this != MITIGATION;
    }

    /** How many of this lever's integer units make one unit of its {@link #metric()}: 1000 for KAT, else 1. */
    public int unitsPerMetric() {
        return this == KEEP_ALIVE_TIMEOUT ? 1000 : 1;
    }

    /** The value for people: {@code 650}, {@code 5s}, {@code 1500ms}. */
    public String format(int value) {
        if (this != KEEP_ALIVE_TIMEOUT) {
            return Integer.toString(value);
        }
        return value % 1000 == 0 ? value / 1000 + "s" : value + "ms";
    }

    /** The lever of a key, if there is one. */
    public static Optional<Lever> ofKey(String key) {
        return Arrays.stream(values()).filter(lever -> lever.key.equals(key)).findFirst();
    }
}

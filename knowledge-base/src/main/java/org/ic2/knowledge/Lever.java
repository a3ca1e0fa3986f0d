// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.time.Duration;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.Durations;

/** The four knobs that IC2 ships, in the order in which knobs are written. */
public enum Lever implements Knob {
    /** MXC, threads, at least 1. */
    MAX_REQUEST_WORKERS("max-request-workers", "MXC", Metric.MXC, 1),
    /** KAT; the integer is in milliseconds. */
    KEEP_ALIVE_TIMEOUT("keep-alive-timeout", "KAT", Metric.KAT, 0) {
        @Override
        public int neutral() {
            return 1;
        }

        @Override
        public int unitsPerColumn() {
            return 1000;
        }

        @Override
        public String format(int value) {
            return value % 1000 == 0 ? value / 1000 + "s" : value + "ms";
        }

        /** A timeout needs its unit, and is at least a millisecond where a person gives it. */
        @Override
        public int parse(String text) {
            long millis = Durations.parse(text).toMillis();
            if (millis > Duration.ofHours(1).toMillis()) {
                throw new IllegalArgumentException("expected at most 1h, got \"" + text + "\"");
            }
            if (millis < 1) {
                throw new IllegalArgumentException("expected at least 1ms, got \"" + text + "\"");
            }
            return (int) millis;
        }
    },
    /** PHP, processes, at least 1. */
    PHP_MAX_CHILDREN("php-max-children", "PHP", Metric.PHP, 1) {
        /** It gains nothing above the knee. */
        @Override
        public boolean leverByDefault() {
            return false;
        }
    },
    /** The level of the ladder, 0 = nothing. */
    MITIGATION("mitigation", "mitigation", Metric.MITIGATION, 0);

    private final String key;
    private final String label;
    private final Metric metric;
    private final int least;

    Lever(String key, String label, Metric metric, int least) {
        this.key = key;
        this.label = label;
        this.metric = metric;
        this.least = least;
    }

    /**
     * One value for each lever, in their order.
     *
     * @throws IllegalArgumentException if there is not one for each, or one is impossible
     */
    public static Settings settings(int... values) {
        if (values.length != values().length) {
            throw new IllegalArgumentException("expected " + values().length + " values, got " + values.length);
        }
        Settings settings = Settings.none();
        for (Lever lever : values()) {
            settings = settings.with(lever, values[lever.ordinal()]);
        }
        return settings;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public int rank() {
        return ordinal();
    }

    @Override
    public Metric quantity() {
        return metric;
    }

    @Override
    public String column() {
        return metric.column();
    }

    @Override
    public String unit() {
        return metric.unit();
    }

    @Override
    public int least() {
        return least;
    }

    /** Nobody runs a tier with one thread, one PHP process or a keep-alive of a millisecond; level 0 is a value. */
    @Override
    public boolean unmanaged(int value) {
        return neutral() > 0 && value == neutral();
    }
}

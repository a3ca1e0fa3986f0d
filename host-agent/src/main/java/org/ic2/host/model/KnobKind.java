// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds of knobs of a host. Values are whole numbers in the unit named here. */
public enum KnobKind {
    /** A guest's share of CPU time against the others', 256 = normal. */
    WEIGHT("weight", "1/256", 1, false, Duration.ofSeconds(15)),
    /** The most CPU time of a guest, thousandths of a CPU; 0 = no limit, which only the way home writes. */
    CAP("cap", "CPU/1000", 0, false, Duration.ofSeconds(3)),
    /** A guest's memory, MiB. */
    MEMORY("memory", "MiB", 0, false, Duration.ofSeconds(3)),
    /** The time slice of a pool's scheduler, ms. */
    TSLICE("tslice", "ms", 1, true, Duration.ofSeconds(75)),
    /** The least time that a vCPU runs before another may take its place, microseconds; 0 = none. */
    RATELIMIT("ratelimit", "us", 0, true, Duration.ofSeconds(75));

    private final String key;
    private final String unit;
    private final int least;
    private final boolean ofPool;
    private final Duration pause;

    KnobKind(String key, String unit, int least, boolean ofPool, Duration pause) {
        this.key = key;
        this.unit = unit;
        this.least = least;
        this.ofPool = ofPool;
        this.pause = pause;
    }

    /** The name in the configuration and for people. */
    public String key() {
        return key;
    }

    /** The unit of its values. */
    public String unit() {
        return unit;
    }

    /** The least value that can be at all. */
    public int least() {
        return least;
    }

    /** True if a pool has it, false if a guest has. */
    public boolean ofPool() {
        return ofPool;
    }

    /** The least time between two changes of it. */
    public Duration pause() {
        return pause;
    }

    /** The kind of a name. */
    public static Optional<KnobKind> of(String key) {
        return Stream.of(values()).filter(kind -> kind.key.equals(key)).findFirst();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds of knobs of a host. Values are whole numbers in the unit named here. */
public enum KnobKind {
    /** A guest's share of CPU time against the others', 256 = normal. */
    WEIGHT("weight", "1/256", 1, Scope.GUEST, Duration.ofSeconds(15)),
    /** The most CPU time of a guest, thousandths of a CPU; 0 = no limit, which only the restore writes. */
    CAP("cap", "CPU/1000", 0, Scope.GUEST, Duration.ofSeconds(3)),
    /** A guest's memory, MiB. */
    MEMORY("memory", "MiB", 0, Scope.GUEST, Duration.ofSeconds(3)),
    /** The time slice of a pool's scheduler, ms. */
    TSLICE("tslice", "ms", 1, Scope.POOL, Duration.ofSeconds(75)),
    /** The least time that a vCPU runs before another may take its place, microseconds; 0 = none. */
    RATELIMIT("ratelimit", "us", 0, Scope.POOL, Duration.ofSeconds(75)),
    /**
     * The number of the physical CPU on which alone a virtual one may run; less than 0 = it may run on several, which only the restore
     * writes ({@link CpuSets#affinity}).
     */
    AFFINITY("affinity", "CPU", Integer.MIN_VALUE, Scope.VCPU, Duration.ofSeconds(15)),
    /**
     * The physical CPUs on which the threads of a guest may run that has no virtual ones, a bit for each ({@link CpuSets#mask});
     * 0 = whatever its parent may, which only the restore writes.
     */
    CPUSET("cpuset", "CPU mask", 0, Scope.GUEST, Duration.ofSeconds(15)),
    /** The ways of the last cache that a guest may fill; 0 = as all that nobody rules, which only the restore writes. */
    CACHE("cache", "ways", 0, Scope.GUEST, Duration.ofSeconds(15)),
    /** Memory bandwidth of a guest, of what its cores could have; 0 = as all that nobody rules, which only the restore writes. */
    BANDWIDTH("bandwidth", "%", 0, Scope.GUEST, Duration.ofSeconds(15)),
    /** Memory of a guest that the kernel takes only after all that is not protected, MiB; 0 = none, which only the restore writes. */
    MEMORY_LOW("memory-low", "MiB", 0, Scope.GUEST, Duration.ofSeconds(15)),
    /** A guest's share of the disks' time against the others', 100 = normal. */
    IO_WEIGHT("io-weight", "1/100", 1, Scope.GUEST, Duration.ofSeconds(15)),
    /**
     * The most that a guest reads, and the most that it writes, on each disk, MiB a second; 0 = no limit, less than 0 = limits of several
     * kinds, both of which only the restore writes.
     */
    IO_MAX("io-max", "MiB/s", Integer.MIN_VALUE, Scope.GUEST, Duration.ofSeconds(15));

    /** What has a knob. */
    public enum Scope {
        GUEST("guest"), VCPU("vCPU"), POOL("pool");

        private final String word;

        Scope(String word) {
            this.word = word;
        }

        /** For people. */
        public String word() {
            return word;
        }

        boolean has(Target target) {
            return switch (this) {
                case GUEST -> target instanceof Target.OfGuest;
                case VCPU -> target instanceof Target.OfVcpu;
                case POOL -> target instanceof Target.OfPool;
            };
        }
    }

    private final String key;
    private final String unit;
    private final int least;
    private final Scope scope;
    private final Duration pause;

    KnobKind(String key, String unit, int least, Scope scope, Duration pause) {
        this.key = key;
        this.unit = unit;
        this.least = least;
        this.scope = scope;
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

    /** What has it. */
    public Scope scope() {
        return scope;
    }

    /** True if a pool has it, false if a guest or one of its virtual CPUs has. */
    public boolean ofPool() {
        return scope == Scope.POOL;
    }

    /** True if its values name physical CPUs: one is not nearer to another than a third. */
    public boolean namesCpus() {
        return this == AFFINITY || this == CPUSET;
    }

    /** True if only Linux's groups of threads have it, which are no virtual machines by themselves. */
    public boolean ofGroups() {
        return switch (this) {
            case WEIGHT, CAP, MEMORY, TSLICE, RATELIMIT, AFFINITY -> false;
            case CPUSET, CACHE, BANDWIDTH, MEMORY_LOW, IO_WEIGHT, IO_MAX -> true;
        };
    }

    /** True if resctrl has it: Linux's groups by cache and bandwidth. */
    public boolean ofResctrl() {
        return this == CACHE || this == BANDWIDTH;
    }

    /** True if it is memory, or bytes a second: the file says it as a size. */
    public boolean isSize() {
        return unit.startsWith("MiB");
    }

    /** The key under which the file says what each class of guests gets of it; empty if it does not. */
    public String byClass() {
        return switch (this) {
            case WEIGHT -> "weights";
            case CACHE, BANDWIDTH, MEMORY_LOW, IO_WEIGHT, IO_MAX -> key;
            default -> "";
        };
    }

    /** The most that a file may say of it by class. */
    public int most() {
        return switch (this) {
            case WEIGHT -> 65_535;
            case CACHE -> 64;
            case BANDWIDTH -> 100;
            case IO_WEIGHT -> 10_000;
            case IO_MAX -> 1_000_000;
            default -> Integer.MAX_VALUE;
        };
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

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.StringJoiner;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.KnobKind;

/**
 * One setting of a host's scheduler: what the annealer moves as one vector (paper T, 3.5.2). What a scheduler has not, such
 * as Credit2 a time slice, is empty; a class that no guest has may be left out.
 *
 * @param tslice    time slice, ms, 1 to 1000
 * @param ratelimit least time that a vCPU runs, microseconds, 0 = none or 100 to 500000; not above the time slice
 * @param weights   by class, 256 = normal, 1 to 65535
 */
public record SchedulerVector(OptionalInt tslice, OptionalInt ratelimit, Map<GuestClass, Integer> weights) {
    public static final int NORMAL_WEIGHT = 256;
    public static final int LONGEST_TSLICE = 1000;
    public static final int SHORTEST_RATELIMIT = 100;
    public static final int LONGEST_RATELIMIT = 500_000;
    public static final int LARGEST_WEIGHT = 65_535;

    public SchedulerVector {
        EnumMap<GuestClass, Integer> copy = new EnumMap<>(GuestClass.class);
        copy.putAll(weights);
        weights = Collections.unmodifiableMap(copy);
        tslice.ifPresent(ms -> check("tslice", ms, 1, LONGEST_TSLICE, "ms"));
        ratelimit.ifPresent(us -> check("ratelimit", us, us == 0 ? 0 : SHORTEST_RATELIMIT, LONGEST_RATELIMIT, "us or 0"));
        weights.forEach((guestClass, weight) -> check("weight of " + guestClass, weight, 1, LARGEST_WEIGHT, "of 256 = normal"));
        if (tslice.isPresent() && ratelimit.isPresent() && ratelimit.getAsInt() > 1000 * tslice.getAsInt()) {
            throw new IllegalArgumentException("ratelimit: expected at most the time slice of " + tslice.getAsInt() + " ms, got "
                    + ratelimit.getAsInt() + " us");
        }
    }

    private static void check(String what, int value, int least, int most, String unit) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + ": expected " + least + " to " + most + " " + unit + ", got " + value);
        }
    }

    /** Xen's Credit1 as it comes: 30 ms, 1 ms, all guests alike. */
    public static SchedulerVector credit1() {
        return new SchedulerVector(OptionalInt.of(30), OptionalInt.of(1000), alike());
    }

    /** Xen's Credit2 as it comes: 1 ms, all guests alike; it has no time slice. */
    public static SchedulerVector credit2() {
        return new SchedulerVector(OptionalInt.empty(), OptionalInt.of(1000), alike());
    }

    /** Linux's control groups as they come: weights only, all alike. */
    public static SchedulerVector linux() {
        return new SchedulerVector(OptionalInt.empty(), OptionalInt.empty(), alike());
    }

    /** What the paper found for cluster 3 (Table 3), without its caps. */
    public static SchedulerVector table3() {
        Map<GuestClass, Integer> weights = Map.of(GuestClass.HOST, 62_208, GuestClass.LS1, 43_008, GuestClass.LS2, 18_176,
                GuestClass.LS3, 2560, GuestClass.NLS, 256);
        return new SchedulerVector(OptionalInt.of(34), OptionalInt.of(1600), weights);
    }

    private static Map<GuestClass, Integer> alike() {
        EnumMap<GuestClass, Integer> all = new EnumMap<>(GuestClass.class);
        for (GuestClass guestClass : GuestClass.values()) {
            all.put(guestClass, NORMAL_WEIGHT);
        }
        return all;
    }

    /** The same without the weights of classes that are not among these. */
    public SchedulerVector only(Iterable<GuestClass> classes) {
        EnumMap<GuestClass, Integer> some = new EnumMap<>(GuestClass.class);
        for (GuestClass guestClass : classes) {
            if (weights.containsKey(guestClass)) {
                some.put(guestClass, weights.get(guestClass));
            }
        }
        return new SchedulerVector(tslice, ratelimit, some);
    }

    /** The same without what knobs other than these would have to be moved for. */
    public SchedulerVector movedBy(Set<KnobKind> knobs) {
        return new SchedulerVector(knobs.contains(KnobKind.TSLICE) ? tslice : OptionalInt.empty(),
                knobs.contains(KnobKind.RATELIMIT) ? ratelimit : OptionalInt.empty(),
                knobs.contains(KnobKind.WEIGHT) ? weights : Map.of());
    }

    /** For people: {@code tslice 34 ms, ratelimit 1600 us, HOST 62208, LS1 43008, ...}. */
    public String describe() {
        StringJoiner text = new StringJoiner(", ");
        tslice.ifPresent(ms -> text.add("tslice " + ms + " ms"));
        ratelimit.ifPresent(us -> text.add("ratelimit " + us + " us"));
        weights.forEach((guestClass, weight) -> text.add(guestClass + " " + weight));
        return text.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.apply;

import java.util.Map;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.model.Guest;
import org.ic2.host.model.KnobKind;

/**
 * How far each knob may go: what the backend takes, what the provider allows, and what no guest is ever denied.
 *
 * @param ranges of the backend; a kind that it lacks is absent
 * @param cpus   by the guests' names, what the provider allows them of CPU time
 */
public record KnobLimits(Map<KnobKind, Capabilities.Range> ranges, Map<String, CpuRange> cpus) {

    private static final long MEBIBYTE = 1 << 20;

    /**
     * CPU time that a guest may be given.
     *
     * @param least CPUs
     * @param most  CPUs
     */
    public record CpuRange(double least, double most) {
    }

    public KnobLimits {
        ranges = Map.copyOf(ranges);
        cpus = Map.copyOf(cpus);
    }

    /** The least value that a decision may set, in the knob's unit: never 0 where that means no limit. */
    public int lowest(KnobKind kind, Guest guest) {
        int lowest = ranges.get(kind).lowest();
        return switch (kind) {
            case CAP -> Math.max(lowest, Math.max(guest.leastCap(cpu(guest).most), (int) Math.ceil(cpu(guest).least * 1000)));
            case MEMORY -> (int) Math.max(Math.max(1, lowest), (guest.memMin() + MEBIBYTE - 1) / MEBIBYTE);
            default -> lowest;
        };
    }

    /** The greatest value that a decision may set. */
    public int highest(KnobKind kind, Guest guest) {
        int highest = ranges.get(kind).highest();
        int own = switch (kind) {
            case CAP -> (int) Math.min(highest, Math.floor(cpu(guest).most * 1000));
            case MEMORY -> (int) Math.min(highest, guest.memMax() / MEBIBYTE);
            default -> highest;
        };
        return Math.max(own, lowest(kind, guest));
    }

    /** The least value of a pool's knob. */
    public int lowest(KnobKind kind) {
        return ranges.get(kind).lowest();
    }

    /** The greatest value of a pool's knob. */
    public int highest(KnobKind kind) {
        return ranges.get(kind).highest();
    }

    private CpuRange cpu(Guest guest) {
        return cpus.getOrDefault(guest.name(), new CpuRange(0, guest.vcpus()));
    }

    /**
     * What a single change makes of a value that is to become another: the nearest within floors and the largest step that the
     * backend takes. No limit counts as the highest. Of values that name CPUs there is no nearest.
     */
    public int step(KnobKind kind, int before, int wanted, int lowest, int highest) {
        if (kind.namesCpus()) {
            return wanted;  // another CPU than the one that is wanted would not be nearly as good
        }
        boolean unlimited = before == 0 && (kind == KnobKind.CAP || kind == KnobKind.MEMORY);
        int from = unlimited ? highest : before;
        int least = RateLimits.least(kind, from);
        int most = RateLimits.most(kind, from);
        return round(kind, Math.max(lowest, Math.min(highest, wanted)), Math.max(least, Math.min(lowest, most)),
                Math.min(most, Math.max(highest, least)));
    }

    /** The nearest value between two that the backend takes: a multiple of its step. */
    public int round(KnobKind kind, int value, int lowest, int highest) {
        int step = Math.max(1, ranges.get(kind).step());
        int up = Math.floorDiv(lowest + step - 1, step) * step;
        int down = Math.floorDiv(highest, step) * step;
        int nearest = (int) Math.rint((double) value / step) * step;
        return up > down ? Math.max(lowest, Math.min(highest, value)) : Math.max(up, Math.min(down, nearest));
    }
}

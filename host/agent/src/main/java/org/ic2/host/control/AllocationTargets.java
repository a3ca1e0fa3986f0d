// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.util.Locale;
import java.util.Optional;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Rationale;

/** What each guest should have, before it is known whether the host has that much. All in the knobs' units: CPU/1000, MiB. */
final class AllocationTargets {
    static final double MIB = 1024 * 1024;
    /** Of the most that a guest without swap was seen to need: less would be its end. */
    static final double PEAK = 1.25;
    private final JointSettings settings;
    private final UtilizationController cpu;
    private final UtilizationController memory;

    AllocationTargets(JointSettings settings) {
        this.settings = settings;
        cpu = new UtilizationController(settings.law(), JointSettings.CPU_LAMBDA, JointSettings.CPU_UP);
        memory = new UtilizationController(settings.law(), JointSettings.MEMORY_LAMBDA);
    }

    /**
     * A wish.
     *
     * @param guest   whose
     * @param knob    of what
     * @param inForce what it has; its bound where there is no limit
     * @param amount  what it should have
     * @param need    what of it would do for what it used lately
     * @param least   the least that it may have; of one that sheds what it has
     * @param most    the most that it may have
     * @param capped  whether there is a limit now
     * @param own     what it had at first, where that counts: memory
     * @param lacks   whether it lacked something, now or in the last periods
     * @param why     with its numbers
     */
    record Wish(Guest guest, GuestKnob knob, double inForce, double amount, double need, int least, int most, boolean capped, double own, boolean lacks,
            Rationale why) {
        Wish with(double other, int atLeast) {
            return new Wish(guest, knob, inForce, other, Math.min(need, other), atLeast, most, capped, own, lacks, why);
        }
    }

    /** A wish, or why there is none; and what is remembered of the guest. */
    record Made(Optional<Wish> wish, Optional<String> held, JointGuest memory) {
        static Made held(Guest guest, KnobKind kind, String why, JointGuest memory) {
            return new Made(Optional.empty(), Optional.of(guest.name() + ": " + kind.key() + ": " + why), memory);
        }
    }

    /** Between what a knob may be, in its unit. */
    private record Range(int least, int most) {
    }

    Made of(KnobKind kind, Guest guest, JointGuest before, HostWindow window, InForce inForce) {
        boolean ofCpu = kind == KnobKind.CAP;
        Range range = ofCpu ? cpuRange(guest) : new Range((int) Math.ceil(guest.memMin() / MIB), (int) (guest.memMax() / MIB));
        Optional<String> impossible = impossible(guest, ofCpu, range);
        if (impossible.isPresent()) {
            return Made.held(guest, kind, impossible.get(), before);
        }
        Optional<InForce.Value> value = inForce.of(kind, guest);
        if (value.isEmpty()) {
            return Made.held(guest, kind, "what is in force is not known", before);
        }
        GuestMetric metric = ofCpu ? GuestMetric.CPU_RUN : GuestMetric.MEM_USED;
        double use = window.mean(guest, metric);
        if (Double.isNaN(use)) {
            return Made.held(guest, kind, metric.key() + ": " + window.last().why(guest, metric), before);
        }
        double has = value.get().value() == 0 ? range.most() : value.get().value();
        double own = ofCpu || before.own() > 0 ? before.own() : Math.min(range.most(), has);
        int least = keeps(kind, guest, window, value.get()) ? Math.max(range.least(), Math.min(range.most(), value.get().value()))
                : ofCpu ? range.least() : leastMemory(guest, window, has, own, range);
        UtilizationController.Demand demand = new UtilizationController.Demand(has, ofCpu ? 1000 * use : use / MIB,
                reference(kind, guest, before), ofCpu ? Double.NaN : faults(guest, window),
                ofCpu ? Double.NaN : window.mean(guest, GuestMetric.MEM_PRESSURE), least, range.most());
        UtilizationController.Next next = ofCpu ? cpu.next(before.cpu(), demand) : memory.next(before.memory(), demand);
        JointGuest after = ofCpu ? new JointGuest(next.recent(), before.memory(), before.heard(), before.own(), before.complaint())
                : new JointGuest(before.cpu(), next.recent(), before.heard(), own, before.complaint());
        double amount = small(value.get().value(), next.allocation(), range) ? has : next.allocation();
        boolean lacks = next.recent().patience() > 0 || demand.starved();
        double need = next.need();
        if (!ofCpu && settings.sparing()) {     // what was taken of it goes back at once where it lacks something, before others grow
            amount = lacks ? Math.min(range.most(), Math.max(amount, own)) : amount;
            need = lacks ? own : Math.min(need, own);
        }
        Wish wish = new Wish(guest, value.get().knob(), has, amount, Math.min(amount, need), least, range.most(),
                value.get().value() != 0, own, lacks, next.why());
        return new Made(Optional.of(wish), Optional.empty(), after);
    }

    /** Why nothing is within its bounds. */
    private static Optional<String> impossible(Guest guest, boolean ofCpu, Range range) {
        if (ofCpu && range.most() < range.least()) {
            return Optional.of(String.format(Locale.ROOT, "expected at least %.2f CPUs as the greatest of its cpu, %s; got %.3f",
                    range.least() / 1000.0, guest.plain() ? "as no guest has less" : "a twentieth for each of " + guest.vcpus() + " virtual CPUs",
                    range.most() / 1000.0));
        }
        return range.least() >= 1 && range.most() >= range.least() ? Optional.empty()
                : Optional.of("expected bounds of its memory, got " + range.least() + " to " + range.most() + " MiB");
    }

    /**
     * What a tenant uses while it sheds is not what it needs: taken away, its neighbours would have it, and the tenant would lack it
     * and get it back, to and fro.
     */
    private boolean keeps(KnobKind kind, Guest guest, HostWindow window, InForce.Value value) {
        return kind == KnobKind.CAP && settings.law() == ControlLaw.ASYMMETRIC && value.value() != 0
                && window.last().get(guest, GuestMetric.APP_SHEDDING) > 0;
    }

    /** Pages that it waited for; NaN if nobody counts any. */
    private static double faults(Guest guest, HostWindow window) {
        double faults = window.mean(guest, GuestMetric.MEM_MAJFLT);
        double refaults = window.mean(guest, GuestMetric.MEM_REFAULT);
        return Double.isNaN(faults) ? refaults : Double.isNaN(refaults) ? faults : Math.max(faults, refaults);
    }

    /** Without swap no less than its peak and a margin, and never so little that one change could not give back what it had. */
    private int leastMemory(Guest guest, HostWindow window, double has, double own, Range range) {
        double peak = window.last().get(guest, GuestMetric.MEM_PEAK) / MIB * PEAK;
        double kept = Math.max(Double.isNaN(peak) ? 0 : peak, settings.sparing() ? own / UtilizationController.STEP : 0);
        return (int) Math.min(range.most(), Math.max(range.least(), Math.ceil(Math.min(has, kept))));
    }

    private Range cpuRange(Guest guest) {
        CpuBounds bounds = settings.guests().get(guest.name());
        int least = Math.max((int) Math.ceil(1000 * bounds.least() - 1e-9), guest.leastCap(bounds.most()));
        return new Range(least, (int) Math.floor(1000 * bounds.most() + 1e-9));
    }

    private double reference(KnobKind kind, Guest guest, JointGuest before) {
        if (kind == KnobKind.MEMORY) {
            return settings.memoryTarget();
        }
        return guest.rtTarget() > 0 ? before.heard().reference() : ResponseTimeController.FIRST;
    }

    /** A change that is not worth being made; what is outside of its bounds, or no limit, is always. */
    private boolean small(int inForce, double next, Range range) {
        return inForce >= range.least() && inForce <= range.most() && Math.abs(next - inForce) < settings.deadband() * inForce;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;

/**
 * Joint control of CPU caps and memory (paper J): each guest's utilization of both is held, the CPUs' at what its response time
 * allows, and what the host has is divided where the wishes exceed it.
 */
public final class JointController implements HostController<JointController.State> {
    private final JointSettings settings;
    private final AllocationTargets wishes;

    public JointController(JointSettings settings) {
        this.settings = settings;
        wishes = new AllocationTargets(settings);
    }

    /**
     * What it remembers.
     *
     * @param byUuid of each guest that runs
     */
    public record State(Map<String, JointGuest> byUuid) {
        public State {
            byUuid = Map.copyOf(byUuid);
        }
    }

    @Override
    public String name() {
        return "joint";
    }

    @Override
    public Duration period() {
        return settings.period();
    }

    @Override
    public Set<GuestMetric> wanted() {
        Set<GuestMetric> wanted = EnumSet.noneOf(GuestMetric.class);
        if (settings.knobs().contains(KnobKind.CAP)) {
            wanted.addAll(EnumSet.of(GuestMetric.CPU_RUN, GuestMetric.APP_RT, GuestMetric.APP_REQUESTS, GuestMetric.APP_BUSY,
                    GuestMetric.APP_SHEDDING));
        }
        if (settings.knobs().contains(KnobKind.MEMORY)) {
            wanted.addAll(EnumSet.of(GuestMetric.MEM_ALLOC, GuestMetric.MEM_USED, GuestMetric.MEM_MAJFLT, GuestMetric.MEM_REFAULT,
                    GuestMetric.MEM_PEAK, GuestMetric.MEM_PRESSURE));
        }
        return wanted;
    }

    @Override
    public State begin() {
        return new State(Map.of());
    }

    @Override
    public Step<State> step(State state, HostWindow window, HostView host) {
        List<String> held = new ArrayList<>();
        Map<String, JointGuest> memory = new LinkedHashMap<>();
        List<Guest> guests = guests(host, held);
        for (Guest guest : guests) {
            JointGuest before = Optional.ofNullable(state.byUuid().get(guest.uuid())).orElseGet(() -> new JointGuest(
                    UtilizationController.Recent.none(), UtilizationController.Recent.none(), settings.responseTime().begin(), 0, Complaint.none()));
            ResponseTimeController.Heard heard = heard(before.heard(), guest, window, held);
            memory.put(guest.uuid(), new JointGuest(before.cpu(), before.memory(), heard, before.own(),
                    before.complaint().after(seconds(window), heard.last(), guest.rtTarget())));
        }
        InForce inForce = new InForce(host);
        List<KnobProposal> proposals = new ArrayList<>();
        for (KnobKind kind : settings.knobs()) {
            List<AllocationTargets.Wish> made = new ArrayList<>();
            for (Guest guest : guests) {
                AllocationTargets.Made wish = wishes.of(kind, guest, memory.get(guest.uuid()), window, inForce);
                wish.wish().ifPresent(made::add);
                wish.held().ifPresent(held::add);
                memory.put(guest.uuid(), wish.memory());
            }
            proposals.addAll(divided(kind, guests, made, new Capacity(settings.arbiter(), settings.sparing(), window, host, inForce),
                    memory, held));
        }
        return new Step<>(new State(memory), proposals, held);
    }

    private List<KnobProposal> divided(KnobKind kind, List<Guest> guests, List<AllocationTargets.Wish> made, Capacity capacity,
            Map<String, JointGuest> memory, List<String> held) {
        if (!settings.sparing()) {
            return capacity.divide(kind, guests, made, held);
        }
        if (kind == KnobKind.MEMORY) {
            double free = capacity.host().memoryFree() / AllocationTargets.MIB;
            Set<GuestKnob> kept = made.stream().filter(wish -> Lending.keeps(wish, made, free)).map(AllocationTargets.Wish::knob).collect(Collectors.toSet());
            return capacity.divide(kind, guests, Lending.of(made, free), held).stream().filter(proposal -> !kept.contains(proposal.knob())).toList();
        }
        return new Overuse(capacity.window(), capacity.host(), capacity.inForce(), guests, memory).spared(made,
                capacity.divide(kind, guests, made, held));
    }

    private static double seconds(HostWindow window) {
        return window.samples().stream().mapToDouble(sample -> sample.interval().toNanos() / 1e9).sum();
    }

    private List<Guest> guests(HostView host, List<String> held) {
        Map<String, List<Guest>> byName = host.guests().stream().collect(Collectors.groupingBy(Guest::name));
        List<Guest> guests = new ArrayList<>();
        for (String name : settings.guests().keySet()) {
            List<Guest> named = byName.getOrDefault(name, List.of());
            if (named.isEmpty()) {
                held.add(name + ": no such guest runs");
            }
            for (Guest guest : named) {
                if (guest.guestClass() == GuestClass.HOST) {
                    held.add(name + ": the host's own domain is never capped or ballooned");
                } else {
                    guests.add(guest);
                }
            }
        }
        return guests;
    }

    private ResponseTimeController.Heard heard(ResponseTimeController.Heard before, Guest guest, HostWindow window,
            List<String> held) {
        if (!(guest.rtTarget() > 0) || !settings.knobs().contains(KnobKind.CAP)) {
            return before;
        }
        ResponseTimeController.Heard heard = before;
        for (HostSample sample : window.samples()) {
            heard = settings.responseTime().hear(heard, guest.rtTarget(), sample.interval().toNanos() / 1e9,
                    sample.get(guest, GuestMetric.APP_REQUESTS), sample.get(guest, GuestMetric.APP_RT),
                    sample.get(guest, GuestMetric.APP_BUSY) > 0);
        }
        double reference = heard.reference();
        heard.held().ifPresent(why -> held.add(String.format(Locale.ROOT, "%s: its CPUs' utilization is held at %.2f: %s",
                guest.name(), reference, why)));
        return heard;
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>();
        lines.add("every " + settings.period().toMillis() / 1000.0 + " s, law " + settings.law().key() + ", of "
                + String.join(", ", settings.guests().keySet()));
        if (settings.knobs().contains(KnobKind.CAP)) {
            ResponseTimeController rt = settings.responseTime();
            lines.add(number("cap: next = u - %.2f v (ref - v/u) / ref; u CPUs allowed, v CPUs used", JointSettings.CPU_LAMBDA));
            lines.add(number("  ref = ref + %.2f (target - rt) / target, %.2f of that upwards, within %.2f to %.2f every %.0f s, of ",
                    rt.beta(), rt.rise(), rt.least(), rt.most(), rt.period())
                    + number("%.0f requests at ", ResponseTimeController.REQUESTS)
                    + number("least; %.2f where no response time is wanted", ResponseTimeController.FIRST));
            settings.guests().forEach((name, cpu) -> lines.add("  " + name
                    + number(": %.3f to %.3f CPUs", cpu.least(), cpu.most())));
        }
        if (settings.knobs().contains(KnobKind.CAP) && settings.sparing()) {
            lines.add(number("  a cap is lowered only of who uses more than the share of his weight while another one, of no worse class, misses its target for %.0f s and more, up to %.0f s in all, ",
                    Complaint.LASTING, Complaint.PATIENCE) + "and never below that share");
        }
        if (settings.knobs().contains(KnobKind.MEMORY)) {
            lines.add(number("memory: next = u - %.2f v (%.2f - v/u) / %.2f; u MiB given, v MiB used",
                    JointSettings.MEMORY_LAMBDA, settings.memoryTarget(), settings.memoryTarget()));
        }
        if (settings.knobs().contains(KnobKind.MEMORY) && settings.sparing()) {
            lines.add(number("  memory is taken only where others' wishes exceed what is free, no more than they lack, and to no less than 1/%.1f of what ",
                    UtilizationController.STEP) + number("a guest had at first; who lacks it gets that back at once; without swap for it %.2f of its peak stays",
                    AllocationTargets.PEAK));
        }
        if (settings.law() == ControlLaw.ASYMMETRIC) {
            lines.add(number("asymmetric: %.1f u (cap) or %.1f u (memory) at least where v/u >= %.2f, major faults and pages brought back > %.0f/s or ",
                    JointSettings.CPU_UP, UtilizationController.UP, UtilizationController.STARVED, UtilizationController.FAULTS)
                    + number("pressure > %.2f, ", UtilizationController.PRESSURE)
                    + number("and nothing taken for %d periods, nor of the cap while the tenant sheds; else %.2f u at least, and the most used in %d periods / ref",
                    UtilizationController.PATIENCE, UtilizationController.DOWN, UtilizationController.MEMORY));
        }
        lines.add("arbiter: wishes that exceed what there is are cut "
                + (settings.arbiter() == Arbiter.WATER_FILLING ? "above the minima: what was used lately / ref comes first, and the latency-sensitive before the others" : "in proportion")
                + number("; changes below %.0f %% are not made", 100 * settings.deadband()));
        return lines;
    }

    private static String number(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

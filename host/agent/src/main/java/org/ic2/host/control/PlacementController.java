// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.control.CorePlanner.Place;
import org.ic2.host.control.CorePlanner.Plan;
import org.ic2.host.control.CorePlanner.Use;
import org.ic2.host.control.CorePlanner.Vcpu;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Rationale;

/**
 * Workload-aware placement on one host (paper W, 4.2.2): what {@link CorePlanner} plans, as the virtual CPUs' affinities and, of
 * guests without any, as sets of CPUs.
 */
public final class PlacementController implements HostController<PlacementController.State> {
    /** Its name. */
    public static final String NAME = "placement";

    private final PlacementSettings settings;

    public PlacementController(PlacementSettings settings) {
        this.settings = settings;
    }

    /**
     * What it remembers.
     *
     * @param intensive uuids of the memory-intensive guests
     * @param planned   by uuid, the cores of a guest's virtual CPUs: a set of CPUs does not tell which is whose
     */
    public record State(Set<String> intensive, Map<String, List<Integer>> planned) {
        public State {
            intensive = Set.copyOf(intensive);
            planned = Map.copyOf(planned);
        }
    }

    /**
     * A guest with what can be moved of it, and where it is: its pool, and a core for each virtual CPU, less than 0 if it may be on several.
     *
     * @param helpers the set of its emulator and I/O threads, where it has one beside its virtual CPUs
     */
    private record Pinned(Guest guest, Pool pool, List<GuestKnob> knobs, List<Integer> cores, Optional<GuestKnob> helpers) {
        Pinned(Guest guest, Pool pool, List<GuestKnob> knobs, List<Integer> cores) {
            this(guest, pool, knobs, cores, Optional.empty());
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Duration period() {
        return settings.period();
    }

    @Override
    public Set<GuestMetric> wanted() {
        return settings.profiler().wanted();
    }

    @Override
    public State begin() {
        return new State(Set.of(), Map.of());
    }

    @Override
    public Step<State> step(State state, HostWindow window, HostView host) {
        List<String> held = new ArrayList<>();
        Map<String, Double> intensity = new LinkedHashMap<>();
        tenants(host).forEach(guest -> intensity.put(guest.uuid(), settings.profiler().intensity(guest, window)));
        Set<String> intensive = settings.threshold().classify(state.intensive(), intensity);
        Map<String, List<Integer>> planned = new LinkedHashMap<>();
        List<KnobProposal> proposals = new ArrayList<>();
        if (!settings.pins() && host.pools().size() != 1) {
            held.add("expected one pool of CPUs to divide, got " + host.pools().size() + "; with realise: affinity each is planned by itself");
            return new Step<>(new State(intensive, planned), proposals, held);
        }
        List<Pinned> all = pinned(state, window, host, intensity, held);
        for (Pool pool : host.pools()) {
            List<Pinned> here = all.stream().filter(one -> one.pool().equals(pool)).toList();
            List<Integer> cores = here.isEmpty() ? List.of() : cores(pool, host, held);
            if (!cores.isEmpty()) {
                Plan plan = plan(here, cores, vcpus(here, intensive, intensity), held);
                price(here, plan, window).ifPresent(held::add);
                int from = 0;
                for (Pinned one : here) {
                    List<Place> places = plan.places().subList(from, from += one.cores().size());
                    planned.put(one.guest().uuid(), places.stream().map(Place::core).toList());
                    proposals.addAll(proposals(one, places, plan));
                }
            }
        }
        return new Step<>(new State(intensive, planned), proposals, held);
    }

    private Plan plan(List<Pinned> here, List<Integer> cores, List<Vcpu> vcpus, List<String> held) {
        Plan plan = CorePlanner.plan(vcpus, cores, here.get(0).pool().topology());
        if (plan.crowd() > 0) {
            held.add("alarm: " + plan.crowd() + " latency-sensitive virtual CPUs have no core of their own: there are "
                    + cores.stream().map(here.get(0).pool().topology()::core).distinct().count() + " cores, and one is left to the others");
        }
        if (!settings.pins()) {
            held.addAll(PoolCommands.lines(plan, here.get(0).pool(), here.stream().map(Pinned::guest).toList()));
        }
        return plan;
    }

    /** True of what is held that a person is to do it. */
    public static boolean isByHand(String held) {
        return held.startsWith(PoolCommands.BY_HAND);
    }

    private static List<Guest> tenants(HostView host) {
        return host.guests().stream().filter(guest -> guest.guestClass() != GuestClass.HOST).toList();
    }

    /** The lowest of the whole host are the reserve's. */
    private static List<Integer> cores(Pool pool, HostView host, List<String> held) {
        List<Integer> all = host.pools().stream().flatMap(one -> one.cpus().stream()).sorted().toList();
        int reserve = Math.max(0, Math.min(all.size(), (int) Math.ceil(all.size() - host.cpus() - 1e-9)));
        List<Integer> cores = new ArrayList<>(pool.cpus());
        cores.removeAll(all.subList(0, reserve));
        Collections.sort(cores);
        if (cores.isEmpty()) {
            held.add("the reserve leaves no CPU to the guests of pool " + pool.name());
        }
        return cores;
    }

    private List<Pinned> pinned(State state, HostWindow window, HostView host, Map<String, Double> intensity, List<String> held) {
        InForce inForce = new InForce(host);
        List<Pinned> all = new ArrayList<>();
        for (Guest guest : tenants(host)) {
            if (!guest.guestClass().latencySensitive() && Double.isNaN(intensity.get(guest.uuid()))) {
                held.add(guest.name() + ": " + GuestMetric.MEM_INTENSITY.key() + ": " + window.last().why(guest, GuestMetric.MEM_INTENSITY));
                continue;
            }
            Optional<Pool> pool = host.pool(guest);
            if (pool.isEmpty()) {
                held.add(guest.name() + ": in which pool it lives is not known");
                continue;
            }
            List<InForce.Value> vcpus = GuestKnob.all(KnobKind.AFFINITY, guest).stream()
                    .flatMap(knob -> inForce.of(KnobKind.AFFINITY, knob.target()).stream()).toList();
            Optional<InForce.Value> set = inForce.of(KnobKind.CPUSET, guest);
            if (!settings.pins()) {
                all.add(new Pinned(guest, pool.get(), List.of(), Collections.nCopies(guest.vcpus(), -1)));
            } else if (!vcpus.isEmpty() && vcpus.size() == guest.vcpus()) {
                all.add(new Pinned(guest, pool.get(), vcpus.stream().map(InForce.Value::knob).toList(), vcpus.stream().map(InForce.Value::value).toList(),
                        set.map(InForce.Value::knob)));
            } else if (set.isPresent() && pool.get().cpus().stream().allMatch(cpu -> cpu < CpuSets.MOST)) {
                all.add(new Pinned(guest, pool.get(), List.of(set.get().knob()), setCores(guest, set.get().value(),
                        state.planned().getOrDefault(guest.uuid(), List.of()))));
            } else {
                held.add(guest.name() + ": " + (set.isPresent() ? "a set can name CPUs up to " + (CpuSets.MOST - 1) + " alone"
                        : "on which CPUs it may run is not known"));
            }
        }
        return all;
    }

    /** Which of its CPUs each of its virtual CPUs has: as planned if that is the set in force, else one after the other. */
    private List<Integer> setCores(Guest guest, int mask, List<Integer> planned) {
        int size = Math.max(1, Math.min(guest.vcpus(), settings.sizes().getOrDefault(guest.name(), guest.vcpus())));
        if (planned.size() == size && CpuSets.mask(planned) == mask) {
            return planned;
        }
        List<Integer> cpus = CpuSets.cpus(mask);
        List<Integer> cores = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            cores.add(cpus.isEmpty() || cpus.size() > size ? -1 : cpus.get(i % cpus.size()));
        }
        return cores;
    }

    private static List<Vcpu> vcpus(List<Pinned> pinned, Set<String> intensive, Map<String, Double> intensity) {
        List<Vcpu> vcpus = new ArrayList<>();
        for (Pinned one : pinned) {
            Guest guest = one.guest();
            for (int i = 0; i < one.cores().size(); i++) {
                vcpus.add(new Vcpu(guest.uuid(), i, guest.guestClass(), intensive.contains(guest.uuid()), intensity.get(guest.uuid()),
                        one.cores().get(i)));
            }
        }
        return vcpus;
    }

    private List<KnobProposal> proposals(Pinned of, List<Place> places, Plan plan) {
        if (!settings.pins()) {
            return List.of();
        }
        List<KnobProposal> proposals = new ArrayList<>();
        if (of.knobs().size() == 1 && of.knobs().get(0).kind() == KnobKind.CPUSET) {
            int mask = CpuSets.mask(places.stream().map(Place::core).toList());
            proposals.add(new KnobProposal(of.knobs().get(0), mask, NAME, grounds(places.get(0), plan)));
            return proposals;
        }
        for (int i = 0; i < places.size(); i++) {
            proposals.add(new KnobProposal(of.knobs().get(i), places.get(i).core(), NAME, grounds(places.get(i), plan)));
        }
        of.helpers().ifPresent(set -> proposals.add(new KnobProposal(set, CpuSets.mask(othersCores(plan)), NAME, new Rationale(
                "emulator and I/O threads: on the cores that are neither dedicated nor for the memory-intensive, where there are any",
                Map.of("dedicated cores", (double) plan.cores(Use.DEDICATED).size())))));
        return proposals;
    }

    private static List<Integer> othersCores(Plan plan) {
        return plan.cores(Use.SHARED).isEmpty() ? plan.cores(Use.MEMORY) : plan.cores(Use.SHARED);
    }

    /** What those without a core of their own use and have from now on; nothing where all of it is not measured. */
    private static Optional<String> price(List<Pinned> here, Plan plan, HostWindow window) {
        List<String> dedicated = plan.places().stream().filter(place -> place.use() == Use.DEDICATED).map(place -> place.vcpu().guest()).distinct().toList();
        double use = here.stream().filter(one -> !dedicated.contains(one.guest().uuid()))
                .mapToDouble(one -> window.last().get(one.guest(), GuestMetric.CPU_RUN)).sum();
        int have = plan.cores(Use.SHARED).size() + plan.cores(Use.MEMORY).size();
        return dedicated.isEmpty() || !(use > have) ? Optional.empty() : Optional.of(text("alarm: the guests without a core of their own use %.2f"
                + " CPUs, and the plan has %d for them: they lose %.2f", use, have, use - have));
    }

    private static Rationale grounds(Place place, Plan plan) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        if (!Double.isNaN(place.vcpu().intensity())) {
            numbers.put("intensity", place.vcpu().intensity());
        }
        numbers.put("dedicated cores", (double) plan.cores(Use.DEDICATED).size());
        if (!plan.cores(Use.IDLE).isEmpty()) {
            numbers.put("idle siblings", (double) plan.cores(Use.IDLE).size());
        }
        numbers.put("memory cores", (double) plan.cores(Use.MEMORY).size());
        numbers.put("other cores", (double) plan.cores(Use.SHARED).size());
        return new Rationale(switch (place.use()) {
            case DEDICATED -> "latency-sensitive: a core of its own";
            case MEMORY -> "memory-intensive: on min(ceil(mem / 2), floor(shared / 2)) cores, to that with fewest";
            case SHARED, IDLE -> "on a core that is neither dedicated nor for the memory-intensive, to that with fewest";
        }, numbers);
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>();
        WorkloadProfiler profiler = settings.profiler();
        lines.add("a core of its own for each virtual CPU of class LS1 to LS3, the best class first; one core at least stays shared");
        lines.add(text("memory-intensive: an intensity above %.3g, until it falls to %.3g; %s", settings.threshold().enter(),
                settings.threshold().leave(), profiler.declared() ? "as the file says" : text("1 is %.6g of the source", profiler.full())));
        lines.add("  their virtual CPUs on min(ceil(mem / 2), floor(shared / 2)) cores, the others on the rest, each on the core with fewest");
        lines.add("  the other threads of a dedicated core stay idle; its guest's cores are on one NUMA node as far as they fit");
        lines.add(settings.pins() ? "  the agent pins: affinity of virtual CPUs, cpuset of guests without any, and of emulator and I/O threads"
                : "  nothing is pinned: ic2-host advise prints commands for cpupools");
        profiler.latency().ifPresent(latency -> {
            lines.add(text("predicted latency W = %s / (1 - R), s0 %.3g s, c %.3g s; in violation above %.3g s",
                    latency.service() == LatencyPredictor.Service.PAPER ? "c MBFR" : "(s0 + c MBFR)", latency.s0(), latency.c(), latency.threshold()));
            lines.add(latency.load() == LatencyPredictor.Load.PER_CPU ? text("  R = min(0.99, k IRQ / CPU), k %.3g s", latency.k())
                    : text("  R = min(0.99, IRQ / IRQmax), the most that was seen after %d s, falling by 1 %% an hour%s",
                            latency.listening().toSeconds(), latency.irqMax().isPresent() ? text("; at least %.6g/s", latency.irqMax().getAsDouble()) : ""));
        });
        return lines;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

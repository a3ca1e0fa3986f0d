// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.IntensityChoice;
import org.ic2.host.config.LatencyChoice;
import org.ic2.host.config.PlacementConfig;
import org.ic2.host.control.LatencyPredictor;
import org.ic2.host.control.MemoryIntensity;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.control.PlacementSettings;
import org.ic2.host.control.WorkloadProfiler;
import org.ic2.host.fleet.Workloads;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.yaml.ConfigException;

/** What placement needs, of what a configuration says. */
final class Placements {

    /** One owner has both: of a guest without virtual CPUs there is a set alone, of another it is that of its emulator and I/O threads. */
    static final Set<KnobKind> KNOBS = Set.copyOf(EnumSet.of(KnobKind.AFFINITY, KnobKind.CPUSET));

    private static final String CREDIT1 = "credit";

    private Placements() {
    }

    static PlacementSettings settings(HostConfig config, PlacementConfig placement) throws ConfigException {
        try {
            Map<String, Integer> sizes = new HashMap<>();
            config.guests().forEach((name, rule) -> rule.cpu().ifPresent(cpu -> sizes.put(name, (int) Math.ceil(cpu.most()))));
            return new PlacementSettings(placement.pins(), profiler(placement),
                    new MemoryIntensity(placement.leave(), placement.enter()), placement.period(), sizes);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(config.source() + ": controllers.placement: " + e.getMessage(), e);
        }
    }

    static WorkloadProfiler profiler(PlacementConfig placement) {
        return new WorkloadProfiler(placement.intensity().source() == IntensityChoice.Source.DECLARED, placement.intensity().full(),
                placement.latency().map(Placements::predictor));
    }

    /** What tells others what this host's guests are like. */
    static Workloads workloads(HostConfig config) throws ConfigException {
        try {
            return new Workloads(config.placement().map(Placements::profiler), config.reserveMemory());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(config.source() + ": controllers.placement: " + e.getMessage(), e);
        }
    }

    /**
     * Who moves, by what the file says of latency.
     *
     * @param confirm in how many periods in a row a guest must be in violation
     */
    static MigrationPlanner planner(HostConfig config, FleetFile fleet, int confirm) throws ConfigException {
        double threshold = config.placement().flatMap(PlacementConfig::latency).orElseThrow(() -> new ConfigException(config.source()
                + ": controllers.placement.latency: missing; guests move when their predicted latency is beyond its threshold")).threshold();
        MigrationPlanner usual = MigrationPlanner.of(threshold);
        return new MigrationPlanner(threshold, Math.min(confirm, usual.confirm()), usual.gain(), usual.rest(), fleet.stale());
    }

    /** The fleet of a file, for an agent that lives on one of its hosts. */
    static FleetFile fleet(Path file) throws ConfigException {
        FleetFile fleet = FleetFile.load(file);
        if (fleet.own().isEmpty()) {
            throw new ConfigException(file + ": this: missing; an agent must know which of hosts its own is");
        }
        return fleet;
    }

    private static LatencyPredictor predictor(LatencyChoice latency) {
        return new LatencyPredictor(latency.paperService() ? LatencyPredictor.Service.PAPER : LatencyPredictor.Service.AFFINE, latency.s0(),
                latency.c(), latency.perCpu() ? LatencyPredictor.Load.PER_CPU : LatencyPredictor.Load.OF_MOST, latency.k(),
                latency.irqMax(), latency.learn(), latency.threshold());
    }

    /** In which of several pools each guest lives, for those who place guests or divide CPUs among them; nobody else asks. */
    static Map<String, String> homes(HostConfig config, Backend backend, List<Pool> pools) throws IOException, InterruptedException {
        boolean asks = config.placement().isPresent() || config.joint().filter(joint -> joint.knobs().contains(KnobKind.CAP)).isPresent();
        return asks && pools.size() > 1 ? backend.membership() : Map.of();
    }

    /** Why it would not work on this host. */
    static Optional<String> problem(HostConfig config, Capabilities capabilities, List<Pool> pools) {
        if (config.placement().isEmpty()) {
            return Optional.empty();
        }
        PlacementConfig placement = config.placement().get();
        String where = config.source() + ": controllers.placement: ";
        if (placement.pins() && KNOBS.stream().allMatch(kind -> capabilities.range(kind).isEmpty())) {
            return Optional.of(where + "neither affinity nor cpuset can be moved on this host (" + config.backend().type() + ")");
        }
        if (!placement.pins() && pools.stream().noneMatch(pool -> pool.scheduler().startsWith(CREDIT1))) {
            return Optional.of(where + "realise: only Xen has cpupools, and this is " + config.backend().type() + "; expected affinity");
        }
        boolean voided = placement.pins() && !config.weights().isEmpty();
        return pools.stream().noneMatch(pool -> pool.scheduler().equals(CREDIT1)) ? Optional.empty()
                : voided ? Optional.of(config.at("weights") + ": Credit1 ignores weights of guests that are pinned, and placement pins; use realise: cpupool")
                : placement.onCredit1();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.RestoreMarker;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.PlacementConfig;
import org.ic2.host.contract.Contract;
import org.ic2.host.fleet.FleetExchange;
import org.ic2.host.fleet.FleetReader;
import org.ic2.host.fleet.FleetWatch;
import org.ic2.host.model.GuestMetric;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.yaml.ConfigException;

/** One configuration come to life. Made anew when the configuration changes; backend, journal and snapshot stay. */
public final class HostAgent {

    private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";

    /** A turn waits for what other hosts tell no longer than for tenants. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private final HostLoop loop;

    /** What outlives a change of the configuration. */
    public record Surroundings(Backend backend, Journal journal, Snapshot snapshot, Clock clock, LongSupplier nanoClock,
            Optional<HostRecorder> recorder) {
    }

    /** @throws ConfigException when the configuration wants what this host has not */
    public HostAgent(HostConfig config, Surroundings around) throws ConfigException, IOException, InterruptedException {
        Capabilities capabilities = around.backend().capabilities();
        check(config, capabilities, around.backend());
        Applier applier = new Applier(new ApplierParts(around.backend(), around.journal(), around.snapshot(),
                Controllers.owners(config), new KnobLimits(capabilities.knobs(), Controllers.cpus(config)), config.actionsPerHour(), true,
                around.clock(), around.nanoClock()));
        ControllerScheduler council = new ControllerScheduler(Controllers.of(config));
        Capabilities.Source intensity = capabilities.metrics().get(GuestMetric.MEM_INTENSITY);
        loop = new HostLoop(new HostLoop.Parts(config, around.backend(), applier, council, around.journal(), around.clock(),
                around.recorder(), Contract.open(config, new LocalHost(), council.period(), around.clock(), around.nanoClock()),
                intensity == null ? "" : intensity.name(), outlook(config, around)));
    }

    private static FleetExchange outlook(HostConfig config, Surroundings around) throws ConfigException, IOException {
        Optional<FleetFile> fleet = Controllers.fleet(config);
        if (fleet.isEmpty()) {
            return new FleetExchange(Placements.workloads(config), Optional.empty());
        }
        PlacementConfig placement = config.placement().orElseThrow();
        Optional<FleetWatch.Moving> moving = placement.migrate().map(command -> new FleetWatch.Moving(command,
                placement.deadline(), new LocalHost(), config.journal().resolveSibling("moves.json")));
        return new FleetExchange(Placements.workloads(config), Optional.of(new FleetWatch(new FleetWatch.Parts(fleet.get(),
                new FleetReader(fleet.get(), PATIENCE), Controllers.planner(config, fleet.get()), moving,
                around.journal(), around.nanoClock()))));
    }

    /** Refuses what this host has not. */
    static void check(HostConfig config, Capabilities capabilities, Backend backend)
            throws ConfigException, IOException, InterruptedException {
        Optional<String> problem = Controllers.problem(config, capabilities, backend.pools());
        if (problem.isPresent()) {
            throw new ConfigException(problem.get());
        }
        List<String> lacking = Controllers.lacking(config, capabilities);
        if (!lacking.isEmpty()) {
            throw new ConfigException(lacking.get(0));
        }
        List<String> unfit = HostFit.problems(config, backend);
        if (!unfit.isEmpty()) {
            throw new ConfigException(unfit.get(0));
        }
    }

    public HostLoop loop() {
        return loop;
    }

    /** The snapshot of a configuration's host. */
    static Snapshot snapshot(HostConfig config) throws IOException {
        return snapshot(config.snapshot(), Optional.of(new Snapshot.Way(config.backend(), config.journal(),
                Optional.of(RestoreMarker.of(config.source())))));
    }

    /** One of this machine. */
    static Snapshot snapshot(Path file, Optional<Snapshot.Way> way) throws IOException {
        return new Snapshot(file, new LocalHost().read(BOOT_ID).strip(), way);
    }
}

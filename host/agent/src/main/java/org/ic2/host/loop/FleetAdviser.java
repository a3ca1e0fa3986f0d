// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.fleet.FleetJson;
import org.ic2.host.fleet.FleetReader;
import org.ic2.host.fleet.FleetReport;
import org.ic2.host.fleet.Identities;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.serve.SocketPermissions;
import org.ic2.runtime.yaml.ConfigException;

/** Says once which guests of a fleet should move. Moves nothing, and asks for figures alone. */
public final class FleetAdviser {
    /** So long other hosts may take to answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private FleetAdviser() {
    }

    /**
     * As a planner that needs no second period.
     *
     * @param measured what was measured of this host, by somebody who has only just begun to; what a running agent knows of it is more
     * @param now      for the age of figures
     * @throws ConfigException when the configuration says no threshold of latency
     */
    public static FleetReport look(HostConfig config, FleetFile fleet, Optional<FleetHost> measured, Instant now)
            throws ConfigException, InterruptedException {
        MigrationPlanner planner = Placements.planner(config, fleet, 1);
        FleetReader.Told told;
        try (FleetReader reader = new FleetReader(fleet, PATIENCE)) {
            told = reader.ask();
        }
        List<String> silent = new ArrayList<>(told.silent());
        List<FleetHost> hosts = new ArrayList<>();
        fleet.own().ifPresent(name -> own(config, name, measured).ifPresentOrElse(hosts::add,
                () -> silent.add(name + ": this host: nothing was measured, and no agent runs")));
        hosts.addAll(told.hosts());
        MigrationPlanner.Step step = planner.step(MigrationPlanner.State.none(), now, hosts);
        List<String> held = new ArrayList<>(step.held());
        hosts.forEach(host -> host.guests().stream().filter(guest -> guest.guestClass().latencySensitive() && Double.isNaN(guest.latency()))
                .forEach(guest -> held.add(guest.name() + ": " + host.name() + " does not tell its predicted latency")));
        return new FleetReport(fleet.own().orElse(""), hosts, silent, step.moves(), held, List.of(), List.of());
    }

    private static Optional<FleetHost> own(HostConfig config, String name, Optional<FleetHost> measured) {
        try {
            return Optional.of(FleetJson.read(name, Json.text(ControlSocket.ask(ControlSocket.beside(config.journal(), SocketPermissions.READERS),
                    Json.object().put("verb", "status")).path("status"))));
        } catch (IOException e) {
            return measured.map(host -> Identities.named(name, host));     // no agent runs
        }
    }
}

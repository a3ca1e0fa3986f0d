// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.PlacementConfig;
import org.ic2.host.control.HostController;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.loop.Controllers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ic2-host explain}: the formulas with this file's numbers. */
@Command(name = "explain", mixinStandardHelpOptions = true,
        description = "Says what each controller does, with the numbers of the file.")
final class HostExplainCommand implements Callable<Integer> {

    @Mixin
    private HostFileOption config;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        HostConfig loaded = config.load();
        Controllers.owners(loaded);
        List<HostController<?>> controllers = Controllers.of(loaded);
        PrintWriter out = spec.commandLine().getOut();
        if (controllers.isEmpty()) {
            out.println("no controllers: name some under \"controllers\" in " + loaded.source());
        }
        for (HostController<?> controller : controllers) {
            out.println(controller.name() + ", every " + controller.period().toMillis() / 1000.0 + " s:");
            controller.explain().forEach(line -> out.println("  " + line));
        }
        Optional<FleetFile> fleet = Controllers.fleet(loaded);
        if (fleet.isPresent()) {
            out.println("fleet, every " + MigrationPlanner.PERIOD.toSeconds() + " s:");
            Controllers.planner(loaded, fleet.get()).explain().forEach(line -> out.println("  " + line));
            out.println(loaded.placement().flatMap(PlacementConfig::migrate).map(command -> "  in mode act it runs, for a guest of this host: "
                    + String.join(" ", command.words())).orElse("  moves are advice: no command is given"));
        }
        out.println("applying:");
        out.println("  a cap grows to 2.5 times at most in one step and shrinks to half, memory grows by half and shrinks by a quarter");
        out.println("  what shrinks goes first; memory grows only into what is free beyond " + (loaded.reserveMemory() >> 20) + " MiB");
        out.println("  no cap below 0.05 CPU for each virtual CPU, no memory below what the file says");
        out.println("  at most " + loaded.actionsPerHour() + " changes an hour; then all is restored, until a quarter of them is over");
        out.flush();
        return 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.cli;

import java.util.concurrent.Callable;
import org.ic2.host.cli.SettingsSearch;
import org.ic2.host.lab.sim.SchedulerKind;
import org.ic2.host.lab.study.ItuneHost;
import org.ic2.runtime.cli.Program;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2-host-lab optimize}: the search of {@code ic2-host optimize}, in the simulator. */
@Command(name = "optimize", mixinStandardHelpOptions = true,
        description = {"Searches as ic2-host optimize does, on a simulated host of 12 CPUs and 19 guests, four of them servers. Prints what"
            + " it finds and writes nothing: that host's load is of no region. What is not confirmed gives exit status 1.",
            "The seed is also that of the simulated host; the pairs are of the seeds after it."})
final class SimulatedSearchCommand implements Callable<Integer> {

    @Mixin
    private SettingsSearch search;

    @Option(names = "--users", paramLabel = "N", defaultValue = "250", description = "Of each server; default ${DEFAULT-VALUE}.")
    private int users;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        search.check();
        if (users < 1) {
            throw new ConfigException("--users: expected at least 1, got " + users);
        }
        long seed = search.seed();
        ItuneHost host = new ItuneHost(ItuneHost.Load.apache(0, users), SchedulerKind.CREDIT, false, seed);
        return search.run(spec.commandLine(), host, host.base(), pair -> host.with(seed + 1 + pair),
                "in the simulator, seed " + seed + ", " + users + " users a server").isPresent() ? 0 : Program.FAILED;
    }
}

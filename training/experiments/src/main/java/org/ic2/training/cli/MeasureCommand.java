// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ic2.training.run.Testbed;
import org.ic2.training.slots.Experiment;
import org.ic2.training.slots.Experiments;
import org.ic2.training.slots.ExperimentRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train measure}: an experiment of docs/testbed.md. */
@Command(name = "measure", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Runs an experiment of docs/testbed.md: settings of the web tier and neighbours in turn, without an agent.",
            "The same in the load's place: bin/testbed measure. Windows (CSV), table and plot go to the testbed's results."})
final class MeasureCommand implements Callable<Integer> {
    @Parameters(paramLabel = "EXPERIMENT", description = "effect, neighbours, mxc, kat, php, levels or starvation")
    private String experiment;

    @Option(names = "--testbed", paramLabel = "DIR", description = "folder of the running testbed (default: build/testbed)")
    private Path folder;

    @Option(names = "--rounds", paramLabel = "N",
            description = "rounds, each with every setting in random order (default: 3)")
    private Integer rounds;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
            description = "of the order and of the load (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(names = "--users", paramLabel = "N", description = "emulated users (default: those of run.xml)")
    private Integer users;

    @Override
    public Integer call() throws Exception {
        Testbed testbed = TestbedOptions.testbed(folder);
        Experiment found = Experiments.find(experiment, testbed.neighbourhood().placements());
        Experiment chosen = rounds == null ? found : found.rounds(rounds);
        ExperimentRun measurement = ExperimentRun.begin(testbed, chosen, seed, users == null ? testbed.number("options", "users") : users);
        System.out.println(measurement.announcement());
        System.out.print(measurement.run(System.out::println));
        System.out.println("results: " + measurement.folder());
        return 0;
    }
}

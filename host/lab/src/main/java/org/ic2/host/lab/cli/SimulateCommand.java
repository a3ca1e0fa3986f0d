// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.host.cli.ResultFile;
import org.ic2.host.lab.backend.ScenarioFile;
import org.ic2.host.lab.sim.SimHost;
import org.ic2.host.lab.study.Finding;
import org.ic2.host.lab.study.Scenarios;
import org.ic2.host.lab.study.SimReport;
import org.ic2.host.lab.study.Simulation;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ic2-host-lab simulate}: the papers' experiments in the simulator, and hosts of one's own. */
@Command(name = "simulate", mixinStandardHelpOptions = true,
        description = "Does an experiment in the simulator and prints its numbers: medians over the seeds, with the least and the"
                + " greatest. Without a name it lists what there is.")
final class SimulateCommand implements Callable<Integer> {

    private static final int MOST_SEEDS = 1000;

    @Parameters(paramLabel = "SCENARIO", arity = "0..1", description = "One of the list, or a scenario file (host/lab/README.md).")
    private String scenario;

    @Option(names = "--seeds", paramLabel = "FIRST-LAST", defaultValue = "1-5", description = "Default ${DEFAULT-VALUE}.")
    private String seeds;

    @Option(names = "--length", paramLabel = "TIME", defaultValue = "60s",
            description = "Of a scenario file: how long it is watched; default ${DEFAULT-VALUE}.")
    private String length;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write all numbers of all seeds, too.")
    private Path csv;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        if (scenario == null) {
            Scenarios.all().forEach(one -> out.println(one.name() + ": " + one.about()));
            out.flush();
            return 0;
        }
        List<Long> all = seeds();
        Simulation simulation = Scenarios.of(scenario).isPresent() ? Scenarios.of(scenario).get() : own(Path.of(scenario));
        PrintWriter err = spec.commandLine().getErr();
        List<Finding> findings = simulation.run(all, line -> {
            err.println(line);
            err.flush();
        });
        SimReport.lines(findings).forEach(out::println);
        out.flush();
        if (csv != null) {
            ResultFile.write(csv, SimReport.csv(findings));
        }
        return 0;
    }

    private List<Long> seeds() throws ConfigException {
        if (!seeds.matches("\\d{1,9}(-\\d{1,9})?")) {
            throw new ConfigException("--seeds: expected FIRST-LAST such as 1-5, got \"" + seeds + "\"");
        }
        long first = Long.parseLong(seeds.split("-")[0]);
        long last = Long.parseLong(seeds.substring(seeds.indexOf('-') + 1));
        if (last < first || last - first >= MOST_SEEDS) {
            throw new ConfigException("--seeds: expected at most " + MOST_SEEDS + ", the first before the last, got \"" + seeds + "\"");
        }
        List<Long> all = new ArrayList<>();
        for (long seed = first; seed <= last; seed++) {
            all.add(seed);
        }
        return all;
    }

    private Simulation own(Path file) throws ConfigException, IOException {
        if (!Files.exists(file)) {
            throw new ConfigException("expected a scenario file or one of " + String.join(", ",
                    Scenarios.all().stream().map(Simulation::name).toList()) + ", got \"" + scenario + "\"");
        }
        Duration time;
        try {
            time = Durations.parse(length);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--length: " + e.getMessage(), e);
        }
        String text = BoundedText.file(file, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8);
        ScenarioFile.read(file.toString(), text);
        return Scenarios.ofHost(file.getFileName().toString(), seed -> host(file, text, seed), time);
    }

    private static SimHost host(Path file, String text, long seed) {
        try {
            return ScenarioFile.read(file.toString(), text, seed);
        } catch (ConfigException e) {
            throw new IllegalStateException(e);     // it was read a moment ago
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.agent.application.Applications;
import org.ic2.agent.init.Discovery;
import org.ic2.agent.init.InitPlan;
import org.ic2.agent.init.InitRun;
import org.ic2.agent.init.InitUndo;
import org.ic2.agent.init.Planner;
import org.ic2.agent.init.SiteFacts;
import org.ic2.agent.init.SiteReport;
import org.ic2.agent.init.TargetSystem;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2 init}: sets a machine up for the agent, and takes it back. */
@Command(name = "init", mixinStandardHelpOptions = true,
        description = {"Looks at this machine, says what it found, what is missing and what it would write, and, when confirmed,"
            + " writes it: the agent's configuration in mode advise, and httpd's for the ladder and the status page.",
            "It makes httpd read its configuration once more (graceful). No file that is there already is changed, and whatever fails, what"
            + " was done is taken back, as it is at Ctrl-C. A second time it changes nothing."})
final class InitCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @ArgGroup
    private Way way;

    /** What is to become of the plan. */
    static final class Way {
        @Option(names = "--dry-run", description = "Print, and write nothing.")
        private boolean dryRun;

        @Option(names = "--yes", description = "Do not ask.")
        private boolean yes;

        @Option(names = "--remove", description = "Take back all that an earlier init did, but files that were edited since.")
        private boolean remove;
    }

    @Option(names = "--application-root", paramLabel = "DIR",
            description = "Where the application lies, if httpd serves several: the ladder is for one.")
    private String applicationRoot;

    @Option(names = "--root", paramLabel = "DIR", defaultValue = "/",
            description = "Set up the system below this directory, with its own commands; default ${DEFAULT-VALUE}.")
    private Path root;

    @Option(names = "--docs", paramLabel = "DIR", defaultValue = LadderCommand.DOCS,
            description = "Where mitigation.conf and status.conf lie; default ${DEFAULT-VALUE}.")
    private String docs;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        TargetSystem machine = new TargetSystem(root.toAbsolutePath().normalize(), new LocalHost());
        if (way != null && way.remove) {
            new InitUndo(machine, out::println).undo();
            out.println("ic2: all is as it was before ic2 init");
            return 0;
        }
        Optional<Boolean> earlier = InitUndo.isComplete(machine);
        if (earlier.isPresent()) {
            if (!earlier.get()) {
                throw new IOException("an earlier ic2 init did not come to its end: ic2 init --remove takes back what it did");
            }
            out.println("ic2: this machine is set up already, and nothing was changed; ic2 init --remove takes it back");
            return 0;
        }
        SiteFacts facts = new Discovery(machine, applications().all(), docs).look().only(Optional.ofNullable(applicationRoot));
        SiteReport report = new SiteReport(facts);
        report.found().forEach(out::println);
        if (!report.missing().isEmpty()) {
            report.missing().forEach(line -> out.println("MISSING      " + line));
            out.flush();
            throw new IOException("nothing was written: what is missing comes first");
        }
        InitPlan plan = new Planner(facts, docs).plan();
        print(plan);
        if (!confirmed()) {
            out.println("ic2: nothing was written");
            return 0;
        }
        new InitRun(machine, out::println, PATIENCE).perform(plan);
        return check(machine);
    }

    private Applications applications() throws ConfigException {
        Path own = root.resolve(LadderCommand.OWN.substring(1));
        return Files.exists(own) ? Applications.shipped().with(own) : Applications.shipped();
    }

    private void print(InitPlan plan) {
        PrintWriter out = spec.commandLine().getOut();
        plan.files().forEach((path, text) -> {
            out.println("\n--- " + path);
            out.print(text);
        });
        out.println("\n--- steps");
        plan.describe().forEach(out::println);
        out.println();
        out.flush();
    }

    private boolean confirmed() {
        if (way != null) {
            return way.yes;
        }
        if (System.console() == null) {
            spec.commandLine().getOut().println("ic2: nobody can be asked here; --yes does it");
            return false;
        }
        String answer = System.console().readLine("Do this? [y/N] ");
        return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    }

    /** Asks as the agent's user, with its rights, where there is the package. */
    private int check(TargetSystem machine) throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        out.println("ic2: done, in mode advise. What the agent sees (ic2 check):");
        out.flush();
        Optional<CommandResult> result = machine.asAgent(List.of("/usr/bin/ic2", "check"));
        if (result.isEmpty()) {
            return spec.parent().commandLine().execute("check", "-c", root.resolve(ConfigOption.DEFAULT.substring(1)).toString());
        }
        out.print(result.get().all());
        out.flush();
        return result.get().exitStatus();
    }
}

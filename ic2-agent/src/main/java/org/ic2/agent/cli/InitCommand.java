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
import org.ic2.agent.crawl.CrawlLimits;
import org.ic2.agent.init.Discovery;
import org.ic2.agent.init.InitPlan;
import org.ic2.agent.init.InitRun;
import org.ic2.agent.init.InitUndo;
import org.ic2.agent.init.LadderLevels;
import org.ic2.agent.init.Planner;
import org.ic2.agent.init.SiteFacts;
import org.ic2.agent.init.SiteReport;
import org.ic2.agent.init.SiteTrial;
import org.ic2.agent.init.SiteVisit;
import org.ic2.agent.init.TargetSystem;
import org.ic2.agent.init.TriedApplication;
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
        description = {"Looks at this machine and at the pages of its sites, says what it found, what is missing and what it would"
            + " write, and, when confirmed, writes it: the agent's configuration in mode advise, and httpd's for the ladder and the"
            + " status page. Only pages that two strangers have seen to be the same may be stored.",
            "It makes httpd read its configuration once more (graceful). No file that is there already is changed, and whatever fails, what"
            + " was done is taken back, as it is at Ctrl-C. A second time it changes nothing.",
            "Exit status 3: all was done, but no mitigation level does anything on this site, so the agent can only observe."})
final class InitCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final CrawlLimits LOOK = new CrawlLimits(30, Duration.ofSeconds(15), Duration.ofSeconds(10), 2 * 1024 * 1024);

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
            description = "Set up the ladder for the application in this directory alone, if httpd serves several.")
    private String applicationRoot;

    @Option(names = "--root", paramLabel = "DIR", defaultValue = "/",
            description = "Set up the system below this directory, with its own commands; default ${DEFAULT-VALUE}.")
    private Path root;

    @Option(names = "--docs", paramLabel = "DIR", defaultValue = LadderCommand.DOCS,
            description = "Where status.conf lies; default ${DEFAULT-VALUE}.")
    private String docs;

    @Option(names = "--wall", negatable = true, description = {"Set up the wall: while crawlers overload the site, a visitor without a cookie"
        + " gets stored pages, or waits a second, once. Who refuses cookies gets no other page.", "Without this option it asks; default no."})
    private Boolean wall;

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
        List<TriedApplication> tried = SiteTrial.all(facts, machine, new SiteVisit(LOOK));
        Planner planner = new Planner(facts, tried, docs, wantsWall());
        InitPlan plan = planner.plan();
        report(tried, planner.levels());
        print(plan);
        if (!confirmed()) {
            out.println("ic2: nothing was written");
            return 0;
        }
        new InitRun(machine, out::println, PATIENCE).perform(plan);
        int status = check(machine);
        return status == 0 && planner.levels().isEmpty() ? CheckCommand.EMPTY_LADDER : status;
    }

    /** What the look at the pages has shown, and what follows from it. */
    private void report(List<TriedApplication> tried, LadderLevels levels) {
        PrintWriter out = spec.commandLine().getOut();
        for (TriedApplication each : tried) {
            each.seen().forEach(line -> out.printf("%-12s %s%n", "pages", each.found().application().name() + ": " + line));
            each.missing().forEach(line -> out.println("MISSING      " + line));
        }
        levels.describe().forEach(line -> out.printf("%-12s %s%n", "ladder", line));
        out.flush();
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

    /** One question, unless an option has the answer. */
    private boolean wantsWall() {
        if (wall != null) {
            return wall;
        }
        return way == null && System.console() != null && yes("While crawlers overload the site, make visitors without a cookie wait a"
                + " second, once, for pages that are not stored (docs/wall.md)? [y/N] ");
    }

    private boolean confirmed() {
        if (way != null) {
            return way.yes;
        }
        if (System.console() == null) {
            spec.commandLine().getOut().println("ic2: not a terminal, so nothing can be confirmed; use --yes");
            return false;
        }
        return yes("Do this? [y/N] ");
    }

    private static boolean yes(String question) {
        String answer = System.console().readLine(question);
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

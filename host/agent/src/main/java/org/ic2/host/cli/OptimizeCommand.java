// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.ScheduleConfig;
import org.ic2.host.learn.Annealer;
import org.ic2.host.learn.HostFeatures;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.learn.Objective;
import org.ic2.host.learn.PairedTest;
import org.ic2.host.learn.RegionSettings;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.learn.Trial;
import org.ic2.host.loop.Backends;
import org.ic2.host.loop.LiveTrial;
import org.ic2.host.sim.SchedulerKind;
import org.ic2.host.study.ItuneHost;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2-host optimize}: the scheduler's settings for a region, by annealing. */
@Command(name = "optimize", mixinStandardHelpOptions = true,
        description = {"Searches for settings of the scheduler that make guests wait less, and confirms the winner in pairs with the"
            + " default, or else one of the next two. Live, it is written to the region of the library in which the host's load is. What"
            + " is not confirmed is not written, and the exit status is 1.",
            "sim: on a simulated host of 12 CPUs and 19 guests, four of them servers, whose load is of no region: nothing is written;"
            + " live: on the host of the file, as it is loaded now, in mode act, by the knobs of its section schedule alone; everything"
            + " is put back at the end."})
final class OptimizeCommand implements Callable<Integer> {

    private static final Duration LOOK = Duration.ofSeconds(5);

    @Mixin
    private HostFileOption config;

    @Option(names = "--library", paramLabel = "FILE", description = "live: what \"discover\" wrote; it is written again.")
    private Path file;

    @Option(names = "--backend", paramLabel = "sim|live", defaultValue = "sim", description = "Default ${DEFAULT-VALUE}.")
    private String where;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Of the search, and of the simulated host; the pairs are of the seeds after it. Default ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--acceptance", paramLabel = "metropolis|greedy", defaultValue = "metropolis",
            description = "greedy: only what is better, the paper's arm. Default ${DEFAULT-VALUE}.")
    private String acceptance;

    @Option(names = "--evaluations", paramLabel = "N", defaultValue = "" + Annealer.Effort.STANDARD_EVALUATIONS,
            description = "How many settings are tried at most, the default counted; the pairs come after it. Default ${DEFAULT-VALUE}.")
    private int evaluations;

    @Option(names = "--users", paramLabel = "N", defaultValue = "250", description = "sim: of each server; default ${DEFAULT-VALUE}.")
    private int users;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Annealer.Acceptance accept = Annealer.Acceptance.of(acceptance).orElseThrow(() ->
                new ConfigException("--acceptance: expected metropolis or greedy, got \"" + acceptance + "\""));
        if (evaluations < 3) {
            throw new ConfigException("--evaluations: expected at least 3, got " + evaluations);
        }
        return switch (where) {
            case "sim" -> sim(accept);
            case "live" -> live(accept, library());
            default -> throw new ConfigException("--backend: expected sim or live, got \"" + where + "\"");
        };
    }

    private Library library() throws ConfigException, IOException {
        if (file == null) {
            throw new ConfigException("--library: missing; live expected the file of the regions, one of which is the host's now");
        }
        return LibraryJson.read(file.toString(), BoundedText.file(file, BoundedText.FILE_BYTES, StandardCharsets.UTF_8));
    }

    private int sim(Annealer.Acceptance accept) throws ConfigException, IOException, InterruptedException {
        if (file != null) {
            throw new ConfigException("--library: expected none with --backend sim: the simulated host's load is of no region");
        }
        if (users < 1) {
            throw new ConfigException("--users: expected at least 1, got " + users);
        }
        ItuneHost host = new ItuneHost(ItuneHost.Load.apache(0, users), SchedulerKind.CREDIT, false, seed);
        return search(accept, host, host.base(), pair -> host.with(seed + 1 + pair)).isPresent() ? 0 : Ic2Host.FAILED;
    }

    private int live(Annealer.Acceptance accept, Library library) throws ConfigException, IOException, InterruptedException {
        HostConfig loaded = config.load();
        if (loaded.mode() != Mode.ACT) {
            throw new ConfigException(loaded.source() + ": mode: expected act, since settings are tried on the host; got " + loaded.mode());
        }
        ScheduleConfig schedule = loaded.schedule().orElseThrow(() -> new ConfigException(loaded.source() + ": controllers.schedule:"
                + " missing; expected the section with the knobs that may be tried, such as schedule: {knobs: [weight], library: "
                + file + "}"));
        CountDownLatch ended = new CountDownLatch(1);
        Thread main = Thread.currentThread();
        Thread end = new Thread(() -> putBack(main, ended), "end");
        Runtime.getRuntime().addShutdownHook(end);
        try (Journal journal = new Journal(loaded.journal(), Clock.systemUTC(), Set.of());
                Backend backend = Backends.open(loaded.backend()); LiveTrial trial = new LiveTrial(loaded, schedule, backend, journal)) {
            int number = nearest(library, trial);
            Optional<RegionSettings> kept = search(accept, trial, trial.base(), pair -> trial)
                    .map(found -> RegionSettings.of(found.found(), found.tried(), "live, " + loaded.backend().type()));
            if (kept.isPresent()) {
                ResultFile.write(file, LibraryJson.write(library.with(number, kept.get())));
                say("written to region " + number + " of " + file);
            } else {
                say("the library stays as it was");
            }
            return kept.isPresent() ? 0 : Ic2Host.FAILED;
        } finally {
            ended.countDown();
        }
    }

    /** Runs when a signal ends us. */
    private static void putBack(Thread main, CountDownLatch ended) {
        if (ended.getCount() == 0) {
            return;
        }
        main.interrupt();
        try {
            ended.await(40, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int nearest(Library library, LiveTrial trial) throws IOException, InterruptedException {
        double[] features = trial.features(LOOK);
        for (double feature : features) {
            if (Double.isNaN(feature)) {
                throw new IOException("the host's region cannot be told: " + HostFeatures.describe(features));
            }
        }
        Library.Place place = library.nearest(features);
        if (!place.known()) {
            throw new IOException("the host's load is of no region of " + file + ": " + HostFeatures.describe(features)
                    + "; record it, and discover the regions anew");
        }
        return place.region().number();
    }

    /** What is confirmed. */
    private record Kept(Annealer.Found found, PairedTest.Tried tried) {
    }

    private <X extends Exception> Optional<Kept> search(Annealer.Acceptance accept, Trial<X> trial, SchedulerVector base,
            IntFunction<Trial<X>> pairs) throws X, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Annealer annealer = new Annealer(accept, Annealer.Effort.of(evaluations), one -> err.printf(Locale.ROOT, "%d: %s: %s%n", one.number(),
                one.vector().describe(), one.infeasible().orElse(String.format(Locale.ROOT, "%.2f %%", one.cost()))));
        Objective objective = Objective.waitAndThrottled();
        Annealer.Found found = annealer.anneal(trial, objective, base, new SplittableRandom(seed));
        out.printf(Locale.ROOT, "default %s: cost %.2f %%%nbest %s: cost %.2f %% (%d trials)%n", found.base().describe(), found.baseCost(),
                found.best().describe(), found.cost(), found.evaluations().size());
        out.flush();
        if (found.candidates(trial.spread()).isEmpty()) {
            say("nothing is better than the default");
            return Optional.empty();
        }
        Optional<PairedTest.Tried> kept = PairedTest.standard().first(pairs, objective, found, tried -> tell(out, found, tried));
        say(kept.isPresent() ? "confirmed: " + kept.get().candidate().vector().describe() : "not confirmed");
        return kept.map(tried -> new Kept(found, tried));
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    private static void tell(PrintWriter out, Annealer.Found found, PairedTest.Tried tried) {
        if (!tried.candidate().vector().equals(found.best())) {
            out.printf(Locale.ROOT, "next %s: cost %.2f %%%n", tried.candidate().vector().describe(), tried.candidate().cost());
        }
        PairedTest.Confirmation sure = tried.confirmation();
        out.printf(Locale.ROOT, "better in %d of %d pairs (p = %.3f), cost %.2f %% less: %s%n", sure.wins(), sure.pairs(), sure.p(),
                100 * sure.gain(), sure.why());
        out.flush();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.ScheduleConfig;
import org.ic2.host.learn.HostFeatures;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.learn.RegionSettings;
import org.ic2.host.loop.Backends;
import org.ic2.host.loop.LiveTrial;
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
        description = {"Searches for settings of the scheduler that make guests wait less, confirms the winner in pairs with the"
            + " default, or else one of the next two, and writes it to the region of the library in which the host's load is. What is not"
            + " confirmed is not written, and the exit status is 1.",
            "It tries them on the host of the file, as it is loaded now, in mode act, by the knobs of its section schedule alone;"
            + " everything is put back at the end."})
final class OptimizeCommand implements Callable<Integer> {

    private static final Duration LOOK = Duration.ofSeconds(5);

    @Mixin
    private HostFileOption config;

    @Mixin
    private SettingsSearch search;

    @Option(names = "--library", paramLabel = "FILE", required = true, description = "What \"discover\" wrote; it is written again.")
    private Path file;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        search.check();
        Library library = LibraryJson.read(file.toString(), BoundedText.file(file, BoundedText.FILE_BYTES, StandardCharsets.UTF_8));
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
            Optional<RegionSettings> found = search.run(spec.commandLine(), trial, trial.base(), pair -> trial, "live, " + loaded.backend().type());
            if (found.isPresent()) {
                ResultFile.write(file, LibraryJson.write(library.with(number, found.get())));
            }
            spec.commandLine().getOut().println(found.isPresent() ? "written to region " + number + " of " + file : "the library stays as it was");
            spec.commandLine().getOut().flush();
            return found.isPresent() ? 0 : Ic2Host.FAILED;
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
                    + "; record it, and discover the regions again");
        }
        return place.region().number();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.collect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.BrokenRuns;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;

/**
 * Makes the runs of a data set, one after the other. Runs that are there already are not made again. What a broken run
 * measured is kept under a name of its own, and the run is made again.
 */
public final class Collection {
    /** The longest setting that a message quotes whole, in characters. */
    private static final int MAX_SHOWN = 160;

    private final Path folder;
    private final RunDriver driver;
    private final Progress progress;

    /** A data set in a folder. */
    public Collection(Path folder, RunDriver driver, Progress progress) {
        this.folder = folder;
        this.driver = driver;
        this.progress = progress;
    }

    /** How long these runs will take that are not there yet, start-up included. */
    public static Duration estimate(Path folder, List<RunPlan> plans) {
        return plans.stream().filter(plan -> !whole(folder.resolve(plan.id())))
                .map(plan -> plan.length().plus(Progress.OVERHEAD)).reduce(Duration.ZERO, Duration::plus);
    }

    /** Makes the runs that are not there yet; returns all of the plan's and what broken ones left. */
    public List<Run> make(List<RunPlan> plans) throws IOException, InterruptedException {
        requireSame(plans);
        List<Run> runs = new ArrayList<>();
        for (RunPlan plan : plans) {
            runs.add(make(plan));
        }
        for (Run run : DataSet.read(List.of(folder))) {
            boolean leftover = !run.fact(Run.BROKEN).isEmpty()
                    && plans.stream().anyMatch(plan -> run.id().startsWith(plan.id() + BrokenRuns.SUFFIX));
            if (leftover) {
                runs.add(run);
            }
        }
        return Run.inOrderOfTime(runs);
    }

    /** Makes one run, unless it is there already. */
    public Run make(RunPlan plan) throws IOException, InterruptedException {
        Path place = folder.resolve(plan.id());
        requireSame(List.of(plan));
        if (!whole(place)) {
            setAside(place);
            progress.begin(plan);
            driver.run(plan, place, time -> progress.at(plan, time));
            progress.end(plan);
        }
        return RunFolder.read(place);
    }

    /**
     * Checks that the runs that are there were made as they would be made now.
     *
     * @throws IllegalArgumentException naming the first one that was not, and in what it differs
     */
    public void requireSame(List<RunPlan> plans) throws IOException {
        for (RunPlan plan : plans) {
            if (whole(folder.resolve(plan.id()))) {
                requireSame(plan, folder.resolve(plan.id()));
            }
        }
    }

    private void requireSame(RunPlan plan, Path place) throws IOException {
        Run run = RunFolder.read(place);
        requireSame(place, "interval", run.interval().toMillis() + " ms", driver.interval().toMillis() + " ms");
        for (Map.Entry<String, String> asked : driver.settings(plan).entrySet()) {
            requireSame(place, asked.getKey(), run.fact(asked.getKey()), asked.getValue());
        }
    }

    private static void requireSame(Path place, String what, String there, String asked) {
        if (!there.equals(asked)) {
            throw new IllegalArgumentException(place + ": was recorded with " + what + " '" + brief(there) + "', asked for is '"
                    + brief(asked) + "'; repeat the command with what it was recorded with, or give another --out");
        }
    }

    private static String brief(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + " ...";
    }

    /** True if a run is there that was not broken off. */
    public static boolean whole(Path place) {
        try {
            return RunFolder.complete(place) && RunFolder.read(place).fact(Run.BROKEN).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    /** Keeps what an earlier try measured. */
    private void setAside(Path place) throws IOException {
        Optional<Path> kept = BrokenRuns.keep(place);
        if (kept.isPresent()) {
            progress.say("kept what was measured before the last try broke off: " + kept.get());
        }
        Files.createDirectories(place);
    }

    /** Writes all runs of a data set into one CSV. */
    public static void writeCsv(Path folder, List<Run> runs) throws IOException {
        TextFiles.write(folder.resolve("data.csv"), TextFiles.joined(DataSet.csv(runs)));
    }
}

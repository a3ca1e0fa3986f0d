// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.slots;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.Setting;
import org.ic2.training.run.Testbed;

/**
 * One experiment on a testbed that is up: one run of the load, then tables and plots.
 *
 * @param folder of everything that is measured: {@code EXPERIMENT/1}, {@code EXPERIMENT/2}, ... in the testbed's results
 * @param slots  in their order
 * @param seed   of the load
 */
public record ExperimentRun(Testbed testbed, Experiment experiment, Path folder, List<Slot> slots, long seed, int users) {
    private static final Duration CLEAN_UP_TIME = Duration.ofSeconds(5);

    /** An experiment in a new folder. */
    public static ExperimentRun begin(Testbed testbed, Experiment experiment, long seed, int users) throws IOException {
        return new ExperimentRun(testbed, experiment, fresh(Path.of(testbed.text("files", "results")).resolve(experiment.name())),
                experiment.slots().all(seed), seed, users);
    }

    private static Path fresh(Path base) throws IOException {
        Files.createDirectories(base);
        for (int number = 1; ; number++) {
            try {
                return Files.createDirectory(base.resolve(Integer.toString(number)));
            } catch (FileAlreadyExistsException e) {
                // taken
            }
        }
    }

    /** What will be done and how long it takes. */
    public String announcement() {
        Duration all = experiment.slots().length().multipliedBy(slots.size()).plus(experiment.rampUp()).plus(CLEAN_UP_TIME);
        return experiment.title() + ": " + slots.size() + " windows, about " + all.toSeconds() + " s";
    }

    /**
     * Measures, and writes windows.csv, table.md and plot.svg. The base setting is back at the end, also after a failure.
     *
     * @param say gets a line at the end of each slot
     * @return the table
     * @throws IOException also if it was interrupted
     */
    public String run(Consumer<String> say) throws IOException {
        Setting usual = Setting.of(experiment.interval(), experiment.slots().settle(), Duration.ZERO, Duration.ZERO, "mod-status");
        RunDriver driver = new RunDriver(testbed, usual, folder, InstantSource.system(), experiment.rampUp());
        int[] told = {0};
        try {
            driver.run(experiment.slots().counted(experiment.name(), "measure", slots, users, seed), folder, time -> {
                while (told[0] < slots.size() && time.compareTo(experiment.slots().length().multipliedBy(told[0] + 1)) >= 0) {
                    Slot slot = slots.get(told[0]++);
                    say.accept("  round %d: %-12s %s".formatted(slot.round(), slot.tuning().label(), slot.beside().label()));
                }
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted; the base setting is back, what was measured is in " + folder, e);
        }
        return WindowFiles.write(folder, experiment, Window.read(folder, experiment, slots));
    }
}

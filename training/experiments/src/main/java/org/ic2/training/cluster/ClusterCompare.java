// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.ClusterDriver;

/** Makes the runs of a comparison on a cluster that are missing in its folder, and its report. */
public final class ClusterCompare {
    /** The report for people. */
    public static final String REPORT = "report.html";
    private static final String SUMMARY = "summary.md";
    private static final String PLANNED = "planned.txt";

    private final Path folder;

    /** @param folder of runs and report */
    public ClusterCompare(Path folder) {
        this.folder = folder;
    }

    /** Makes the runs that are missing. What was measured before an interrupt or a failure stays. */
    public void run(ClusterPlan plan, ClusterDriver driver, Consumer<String> said) throws IOException, InterruptedException {
        List<ClusterPlan.Slot> slots = plan.slots();
        TextFiles.write(folder.resolve(PLANNED), TextFiles.joined(slots.stream().map(slot -> slot.run().id()).toList()));
        List<ClusterPlan.Slot> left = slots.stream().filter(slot -> !Files.exists(place(slot).resolve(ClusterDriver.FILE))).toList();
        Duration time = left.stream().map(slot -> ClusterDriver.estimate(slot.run())).reduce(Duration.ZERO, Duration::plus);
        said.accept(left.size() + " runs, about " + (time.toSeconds() + 59) / 60 + " min");
        int number = 0;
        for (ClusterPlan.Slot slot : left) {
            String name = "run " + ++number + " of " + left.size() + ", " + slot.run().id() + ": ";
            TextFiles.delete(place(slot));    // what a run that was broken off has left
            driver.run(slot.run(), place(slot), folder.resolve("learned-" + slot.run().levers().name().toLowerCase(Locale.ROOT)),
                    phase -> said.accept(name + phase));
        }
    }

    private Path place(ClusterPlan.Slot slot) {
        return folder.resolve(slot.run().id());
    }

    /** Writes the report; returns its first line. */
    public String report() throws IOException {
        List<ClusterRecording> all = ClusterRecording.all(folder);
        if (all.isEmpty()) {
            throw new IOException(folder + ": expected runs of `ic2-train compare --cluster`, found none that was completed");
        }
        Path planned = folder.resolve(PLANNED);
        List<String> missing = new ArrayList<>(Files.exists(planned) ? TextFiles.lines(planned) : List.of());
        all.forEach(one -> missing.remove(one.facts().path("id").asText()));
        ClusterReport report = new ClusterReport(all, missing);
        TextFiles.write(folder.resolve(SUMMARY), report.markdown());
        TextFiles.write(folder.resolve(REPORT), report.html());
        return report.headline();
    }
}

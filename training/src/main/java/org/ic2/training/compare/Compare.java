// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.ic2.training.data.TextFiles;
import org.ic2.training.experiment.Collection;
import org.ic2.training.run.RunDriver;

/** The paper's experiment in a folder: makes the runs that are not there yet, and the report of all that are. */
public final class Compare {
    /** The page for people. */
    public static final String REPORT = "report.html";

    private final Path folder;

    /** The comparison of a folder. */
    public Compare(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes the runs of a plan. What is measured by then stays, and gets its report, if it is interrupted or fails.
     *
     * @param drivers of each arm: their agents have learned by themselves
     */
    public void run(ComparePlan plan, Function<Arm, RunDriver> drivers, Live live) throws IOException, InterruptedException {
        PlanJson.write(folder, plan);
        try {
            for (Slot slot : plan.slots()) {
                live.next(slot);
                new Collection(folder, drivers.apply(slot.arm()), live).make(plan.run(slot));
            }
            live.clear();
        } catch (IOException | InterruptedException | RuntimeException e) {
            live.clear();
            reportAfter(e);
            throw e;
        }
    }

    /** Whatever comes of the report, it is the failure that counts. */
    private void reportAfter(Exception failure) {
        boolean interrupted = Thread.interrupted();
        try {
            report();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes the report and the figures behind it from the stored files alone; returns the outcome. */
    public String report() throws IOException {
        Comparison comparison = Comparison.read(folder);
        write("periods.csv", TextFiles.joined(CompareCsv.periods(comparison)));
        write("quiet.csv", TextFiles.joined(CompareCsv.quiets(comparison)));
        write("summary.json", SummaryJson.text(comparison));
        StringBuilder markdown = new StringBuilder(Outcome.headline(comparison) + "\n\n");
        List<Table> tables = new Tables(comparison).all();
        tables.forEach(table -> markdown.append(table.markdown()));
        write("summary.md", markdown.toString());
        write(REPORT, CompareReport.html(comparison));
        return Outcome.headline(comparison);
    }

    private void write(String name, String text) throws IOException {
        TextFiles.write(folder.resolve(name), text);
    }
}

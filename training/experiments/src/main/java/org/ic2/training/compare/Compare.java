// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.ic2.training.collect.Collection;
import org.ic2.training.data.TextFiles;
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
     * @param drivers of each arm; their agents keep what they learn in {@link Live#agentHome}
     */
    public void run(ComparePlan plan, Function<Arm, RunDriver> drivers, Live live) throws IOException, InterruptedException {
        PlanJson.write(folder, plan);
        try {
            for (PlannedRun slot : plan.slots()) {
                live.next(slot);
                forget(Live.agentHome(folder, slot.arm()));
                new Collection(folder, drivers.apply(slot.arm()), live).make(plan.run(slot));
            }
            live.clear();
        } catch (IOException | InterruptedException | RuntimeException e) {
            live.clear();
            reportAfter(e);
            throw e;
        }
    }

    /** Runs are independent: what an agent learned, or was warned of, in an earlier one must not rule this one. */
    static void forget(Path agent) throws IOException {
        if (Files.isDirectory(agent)) {
            try (Stream<Path> files = Files.list(agent)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
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
        if (comparison.plan().hosted()) {
            write("host.csv", TextFiles.joined(new HostTables(comparison).csv()));
        }
        write("summary.json", SummaryJson.text(comparison));
        StringBuilder markdown = new StringBuilder(Findings.headline(comparison) + "\n\n" + comparison.measuredOn() + "\n\n");
        List<Table> tables = new Tables(comparison).all();
        tables.forEach(table -> markdown.append(table.markdown()));
        write("summary.md", markdown.toString());
        write(REPORT, CompareReport.html(comparison));
        return Findings.headline(comparison);
    }

    private void write(String name, String text) throws IOException {
        TextFiles.write(folder.resolve(name), text);
    }
}

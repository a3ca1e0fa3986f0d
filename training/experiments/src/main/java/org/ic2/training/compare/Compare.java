// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.ic2.training.collect.Collection;
import org.ic2.training.data.TextFiles;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;
import org.ic2.training.run.BrokenRuns;
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
     * @param again   how often a run is made again that was disturbed; each try is kept, the last one counts
     * @param drivers of each arm; their agents keep what they learn in {@link Live#agentHome}
     */
    public void run(ComparePlan plan, int again, Function<Arm, RunDriver> drivers, Live live) throws IOException, InterruptedException {
        PlanJson.write(folder, plan);
        try {
            for (PlannedRun slot : plan.slots()) {
                live.next(slot);
                make(plan, slot, drivers.apply(slot.arm()), live);
                while (BusyMachine.setAside(folder, slot).size() < again && BusyMachine.disturbed(folder, slot)) {
                    BrokenRuns.setAside(folder.resolve(slot.id()), BrokenRuns.DISTURBED);
                    live.again();
                    make(plan, slot, drivers.apply(slot.arm()), live);
                }
            }
            live.clear();
        } catch (IOException | InterruptedException | RuntimeException e) {
            live.clear();
            reportAfter(e);
            throw e;
        }
    }

    private void make(ComparePlan plan, PlannedRun slot, RunDriver driver, Live live) throws IOException, InterruptedException {
        // runs are independent: what an agent learned, or was warned of, in an earlier one must not rule this one
        TextFiles.delete(Live.agentHome(folder, slot.arm()));
        new Collection(folder, driver, live).make(plan.run(slot));
    }

    /** A failure of the report does not hide the failure before it. */
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

    /** Writes the report and the figures behind it from the stored files alone; returns the outcome in short lines, the report's path last. */
    public List<String> report() throws IOException {
        Comparison comparison = Comparison.read(folder);
        write("periods.csv", TextFiles.joined(CompareCsv.episodes(comparison)));
        write("quiet.csv", TextFiles.joined(CompareCsv.interferenceFree(comparison)));
        if (comparison.plan().hosted()) {
            write("host.csv", TextFiles.joined(new HostTables(comparison).csv()));
        }
        Freshness freshness = new Freshness(comparison);
        write(Freshness.FILE, freshness.csv());
        write(BusyMachine.FILE, comparison.machine().csv());
        write("summary.json", SummaryJson.text(comparison));
        StringBuilder markdown = new StringBuilder();
        Findings.lines(comparison).forEach(line -> markdown.append("- **").append(line.label()).append("**: ").append(line.text()).append('\n'));
        markdown.append('\n').append(comparison.measuredOn()).append(' ').append(Findings.load(comparison)).append("\n\n");
        List<Table> tables = new Tables(comparison).all();
        tables.forEach(table -> markdown.append(table.markdown()));
        if (freshness.asked()) {
            markdown.append(freshness.table().markdown());
        }
        markdown.append(comparison.machine().table().markdown());
        write("summary.md", markdown.toString());
        write(REPORT, CompareReport.html(comparison));
        List<String> outcome = new ArrayList<>();
        Findings.lines(comparison).forEach(line -> outcome.addAll(Words.wrapped(Words.label(line.label()), line.text())));
        outcome.add(Words.label("Report") + folder.resolve(REPORT));
        return outcome;
    }

    private void write(String name, String text) throws IOException {
        TextFiles.write(folder.resolve(name), text);
    }
}

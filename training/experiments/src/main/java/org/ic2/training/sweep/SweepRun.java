// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.training.collect.Collection;
import org.ic2.training.collect.Progress;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.RunPlan;

/**
 * A sweep beside one neighbour in a folder: makes the runs that are not there yet, and its files.
 *
 * @param sweep     what is varied
 * @param folder    of recordings and report
 * @param users     emulated users
 * @param seed      of the order and of the load
 * @param neighbour its command line
 * @param placement where it runs
 */
public record SweepRun(Sweep sweep, Path folder, int users, long seed, String neighbour, String placement) {
    /** The run of each round. */
    public List<RunPlan> plans() {
        return sweep.plans(users, seed, neighbour, placement);
    }

    /** How long the rounds take that are not there yet. */
    public Duration estimate() {
        return Collection.estimate(folder, plans());
    }

    /** True if all rounds are there, none broken off. */
    public boolean complete() {
        return plans().stream().allMatch(plan -> Collection.whole(folder.resolve(plan.id())));
    }

    /** The points of the rounds, which are there. */
    public List<Sweep.Point> points() throws IOException {
        return sweep.points(folder, DataSet.read(List.of(folder)), seed);
    }

    /** The page. */
    public Path page() {
        return folder.resolve(sweep.name() + ".html");
    }

    /** Makes what is missing, and both files; returns what the data say of the rules. */
    public List<String> make(RunDriver driver, Progress progress, KnowledgeBase knowledge) throws IOException, InterruptedException {
        List<Run> runs = new Collection(folder, driver, progress).make(plans());
        List<Sweep.Point> points = sweep.points(folder, runs, seed);
        TextFiles.write(folder.resolve(sweep.name() + ".csv"), TextFiles.joined(SweepReport.csv(sweep, points)));
        Map<String, String> facts = new LinkedHashMap<>(runs.get(0).facts());
        facts.put("windows", sweep.settle().toSeconds() + " s to settle, " + sweep.window().toSeconds() + " s counted");
        TextFiles.write(page(), SweepReport.html(sweep, points, knowledge, facts));
        return SweepReport.verdicts(sweep, points, knowledge);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;

/** The files of a data set for other programs: all samples as CSV, all rows as ARFF, both with their provenance. */
final class DataFiles {
    private DataFiles() {
    }

    static void write(Path folder, List<Run> runs) throws IOException {
        TextFiles.write(folder.resolve("data.csv"), TextFiles.joined(DataSet.csv(runs)));
        List<Row> rows = Rows.labelled(Rows.of(runs));
        TextFiles.write(folder.resolve("data.arff"), TextFiles.joined(DataSet.arff("ic2", provenance(runs),
                Attributes.parse(Attributes.PAPER + "+" + Attributes.EXTENDED), rows)));
    }

    /** What the runs have in common, and where they differ every value. */
    static List<String> provenance(List<Run> runs) {
        Map<String, Set<String>> facts = new LinkedHashMap<>();
        runs.forEach(run -> run.facts().forEach((name, value) ->
                facts.computeIfAbsent(name, any -> new TreeSet<>()).add(value)));
        List<String> lines = new ArrayList<>();
        lines.add("runs: " + runs.size());
        facts.forEach((name, values) -> lines.add(name + ": " + String.join("; ", values)));
        return lines;
    }
}

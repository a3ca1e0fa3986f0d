// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;

/** Many runs: a folder with one folder a run, and the files for other programs that are made of them. */
public final class DataSet {
    private DataSet() {
    }

    /**
     * The complete runs in these folders, each of which is a run or holds runs, in the order of time.
     *
     * @throws IOException if a folder holds none, or two runs have the same id
     */
    public static List<Run> read(List<Path> folders) throws IOException {
        List<Run> runs = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Path folder : folders) {
            List<Path> found = runFolders(folder);
            if (found.isEmpty()) {
                throw new IOException(folder + ": expected a folder with " + RunFolder.FACTS + ", or folders that hold one; "
                        + "`ic2-train collect` and `ic2-train label` make them");
            }
            for (Path one : found) {
                Run run = RunFolder.read(one);
                if (!ids.add(run.id())) {
                    throw new IOException(one + ": a run with the id " + run.id() + " was read before; give each its own");
                }
                runs.add(run);
            }
        }
        return Run.inOrderOfTime(runs);
    }

    /**
     * Checks that two data sets have no run in common: what taught a tree cannot judge it.
     *
     * @throws IllegalArgumentException naming the first run that is in both
     */
    public static void requireApart(List<Run> some, List<Run> others) {
        Set<String> ids = some.stream().map(Run::id).collect(Collectors.toSet());
        others.stream().map(Run::id).filter(ids::contains).findFirst().ifPresent(id -> {
            throw new IllegalArgumentException("the run " + id + " is in both sets of runs, or two runs have this id; a run that"
                    + " teaches cannot judge, so give each its own (collect --kind NAME begins their names)");
        });
    }

    private static List<Path> runFolders(Path folder) throws IOException {
        if (RunFolder.complete(folder)) {
            return List.of(folder);
        }
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> inside = Files.walk(folder, 3)) {
            return inside.filter(Files::isDirectory).filter(RunFolder::complete).sorted().toList();
        }
    }

    /** All samples as one CSV, the run's id before the columns of {@link SamplesCsv}. */
    public static List<String> csv(List<Run> runs) {
        List<String> lines = new ArrayList<>();
        lines.add("run," + SamplesCsv.header());
        for (Run run : runs) {
            for (Sample sample : run.samples()) {
                lines.add(run.id() + "," + SamplesCsv.line(sample));
            }
        }
        return lines;
    }

    /**
     * The rows as Weka's ARFF, the class last; missing is {@code ?}.
     *
     * @param provenance lines that go to the top as comments
     */
    public static List<String> arff(String relation, List<String> provenance, List<Attribute> attributes,
            List<Row> rows) {
        List<String> lines = new ArrayList<>();
        provenance.stream().flatMap(String::lines).forEach(line -> lines.add("% " + line));
        lines.add("@relation " + relation);
        attributes.forEach(attribute -> lines.add("@attribute " + attribute.name() + " numeric"));
        lines.add("@attribute label {" + String.join(",", Stream.of(Label.values()).map(Label::name).toList()) + "}");
        lines.add("@data");
        String run = "";
        for (Row row : rows) {
            if (!row.run().equals(run)) {
                run = row.run();
                lines.add("% run " + run);
            }
            StringBuilder line = new StringBuilder();
            for (Attribute attribute : attributes) {
                double value = row.get(attribute);
                line.append(Double.isNaN(value) ? "?" : SamplesCsv.number(value)).append(',');
            }
            lines.add(line.append(row.truth().map(Label::name).orElse("?")).toString());
        }
        return lines;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.evaluate.Outliers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train outliers}: equation 1 on any recording. */
@Command(name = "outliers", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Finds interference without labels, by the paper's equation 1.",
            "It counts samples further from the median than C times the median absolute deviation, and how long stretches of"
            + " them last."})
final class OutliersCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RUNS", arity = "1..*",
            description = "recordings (ic2 run --record FILE.csv; .csv or .csv.gz), runs, or folders of runs, of one deployment")
    private List<Path> places;

    @Option(names = "--metric", paramLabel = "NAME", defaultValue = "response_time", description = "default: ${DEFAULT-VALUE}")
    private String metric;

    @Option(names = "--factor", paramLabel = "C", defaultValue = "5",
            description = "C (default: ${DEFAULT-VALUE}, about 3.4 standard deviations; the paper gives no value)")
    private double factor;

    @Option(names = "--gap", paramLabel = "N", defaultValue = "1",
            description = "normal samples that do not end an episode (default: ${DEFAULT-VALUE})")
    private int gap;

    @Override
    public Integer call() throws Exception {
        Metric chosen = Metric.ofColumn(metric).orElseThrow(() -> new IllegalArgumentException("--metric: expected a column"
                + " of samples, such as response_time, got '" + metric + "'"));
        Outliers found = Outliers.of(recordings(), chosen, factor, gap);
        System.out.printf(Locale.ROOT, "%s: median %.4f, median absolute deviation %.4f, limit %.4f %s%n", chosen.column(),
                found.median(), found.deviation(), found.limit(), chosen.unit());
        System.out.printf(Locale.ROOT, "%d of %d samples are outliers (%.1f %%), %d episodes above the limit%n",
                found.outliers(), found.samples(), 100.0 * found.outliers() / found.samples(), found.episodes().size());
        if (found.deviation() == 0) {
            System.out.println("more than half of the samples have the median itself, so the deviation is 0 and every other value is"
                    + " an outlier: this column cannot be judged in this way");
        }
        System.out.println("run,from,seconds,worst");
        for (Outliers.Episode episode : found.episodes()) {
            System.out.printf(Locale.ROOT, "%s,%s,%.1f,%.4f%n", episode.run(), episode.from(),
                    episode.length().toMillis() / 1000.0, episode.worst());
        }
        return 0;
    }

    private List<Run> recordings() throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Path place : places) {
            runs.addAll(Files.isRegularFile(place) ? recording(place) : DataSet.read(List.of(place)));
        }
        return runs;
    }

    /** Each member of the application group by itself. */
    private static List<Run> recording(Path file) throws IOException {
        Map<String, List<Sample>> members = new TreeMap<>();
        for (Sample sample : SamplesCsv.read(file.toString(), TextFiles.lines(file))) {
            members.computeIfAbsent(sample.member(), name -> new ArrayList<>()).add(sample);
        }
        members.values().removeIf(samples -> samples.size() < 2);
        if (members.isEmpty()) {
            throw new IllegalArgumentException(file + ": expected at least two samples of a member, got fewer");
        }
        return members.entrySet().stream().map(one -> new Run(file.getFileName() + (members.size() > 1 ? ":" + one.getKey() : ""),
                Run.usualInterval(one.getValue()), Optional.empty(), List.of(), Map.of(), one.getValue())).toList();
    }
}

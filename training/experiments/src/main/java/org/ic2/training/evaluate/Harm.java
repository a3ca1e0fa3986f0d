// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.training.data.Row;
import org.ic2.training.data.Run;

/**
 * How much each neighbour harms: by how much the median response time beside it exceeds the quiet one, at the baseline.
 * Samples are labelled by when a neighbour ran. One that runs on another core may do next to nothing; a tree that is
 * taught to see it all the same learns to take noise for interference.
 */
public final class Harm {
    /** The fact of a run that says that its neighbour teaches nothing. */
    public static final String HARMLESS = "harmless";

    private final Map<String, Double> ratios;

    private Harm(Map<String, Double> ratios) {
        this.ratios = ratios;
    }

    /** Measured in those of the runs in which nothing was mitigated. */
    public static Harm of(List<Run> runs) {
        Map<String, List<Double>> all = new TreeMap<>();
        for (Run run : runs) {
            double quiet = median(run, Label.NO_INTERFERENCE);
            double loud = median(run, Label.INTERFERENCE);
            if (atBaseline(run) && quiet > 0 && loud > 0) {
                all.computeIfAbsent(neighbour(run), name -> new ArrayList<>()).add(loud / quiet);
            }
        }
        Map<String, Double> ratios = new TreeMap<>();
        all.forEach((name, values) -> ratios.put(name,
                Quantiles.median(values.stream().mapToDouble(Double::doubleValue).toArray())));
        return new Harm(ratios);
    }

    /** How many times the quiet response time each neighbour makes of it, by program and placement. */
    public Map<String, Double> ratios() {
        return new TreeMap<>(ratios);
    }

    /**
     * The runs, those with a neighbour of less harm with the fact {@link #HARMLESS}. A neighbour of which nothing is known
     * counts as harmful.
     *
     * @param least how many times the quiet response time a harmful neighbour makes of it; 1: all are
     */
    public List<Run> marked(List<Run> runs, double least) {
        return runs.stream().map(run -> {
            double ratio = run.switches().isEmpty() ? least : ratios.getOrDefault(neighbour(run), least);
            return least <= 1 || ratio >= least ? run : run.with(HARMLESS, String.format(Locale.ROOT,
                    "%s: response time %.1f times the quiet one, less than %.1f", neighbour(run), ratio, least));
        }).toList();
    }

    /** The rows that can teach: of runs marked as harmless only those without interference. */
    public static List<Row> teaching(List<Run> marked, List<Row> rows) {
        Set<String> harmless = marked.stream().filter(Harm::harmless).map(Run::id).collect(Collectors.toSet());
        return rows.stream().filter(Row::labelled).filter(row -> !harmless.contains(row.run())
                || row.truth().orElseThrow() == Label.NO_INTERFERENCE).toList();
    }

    /** True if the run's neighbour teaches nothing. */
    public static boolean harmless(Run run) {
        return !run.fact(HARMLESS).isEmpty();
    }

    private static String neighbour(Run run) {
        return run.switches().isEmpty() ? "none" : run.switches().get(0).program() + " " + run.switches().get(0).placement();
    }

    private static boolean atBaseline(Run run) {
        return run.samples().stream().allMatch(sample -> run.baseline()
                .map(baseline -> sample.settings(baseline).equals(baseline))
                .orElse(!(sample.get(Metric.MITIGATION) > 0)));
    }

    private static double median(Run run, Label label) {
        return Quantiles.median(run.samples().stream().filter(sample -> sample.label().filter(label::equals).isPresent())
                .mapToDouble(sample -> sample.get(Metric.RESPONSE_TIME)).toArray());
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.evaluate.Quantiles;

/**
 * What real recordings give to a generated fleet: stretches of them in which nothing was mitigated, sorted by what happened.
 * Episodes of neighbours that did no harm ({@link Harm}) are not used: they have no truth.
 *
 * @param layouts one for each way in which the recorded tiers were laid out, by name
 */
public record Material(List<Layout> layouts) implements Serializable {
    private static final long serialVersionUID = 1;
    /** Shorter ones are not worth a cut. */
    private static final int LEAST_WITHOUT = 10;
    private static final String UNNAMED = "shared";

    /**
     * Consecutive samples of a recording.
     *
     * @param run    which one
     * @param values by sample and ordinal of {@link Metric}, missing is NaN
     * @param truth  by sample
     * @param usual  the recording's medians without interference, by ordinal of {@link Metric}
     */
    public record Stretch(String run, double[][] values, Label[] truth, double[] usual) implements Serializable {
        private static final long serialVersionUID = 1;

        int length() {
            return values.length;
        }

        private Stretch part(int from, int to) {
            return new Stretch(run, Arrays.copyOfRange(values, from, to), Arrays.copyOfRange(truth, from, to), usual);
        }
    }

    /**
     * A neighbour's stay as a tenant saw it.
     *
     * @param onset from its start until things have settled
     * @param stay  the settled part; it may be repeated
     * @param end   from its stop until things have settled
     */
    public record Episode(Stretch onset, Stretch stay, Stretch end) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /**
     * What there is of tiers that were laid out alike, so that stretches of one may follow those of another.
     *
     * @param name    of the layout
     * @param without without interference, under a load that stays
     * @param episodes  of neighbours that did harm
     * @param changes whole recordings in which the load or the pages changed and no neighbour ran
     */
    public record Layout(String name, List<Stretch> without, List<Episode> episodes, List<Stretch> changes) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /**
     * Cuts recordings up.
     *
     * @param leastHarm the response time beside a harmful neighbour, in times that without interference
     * @throws IllegalArgumentException if no layout has both time without interference and episodes
     */
    public static Material of(List<Run> runs, double leastHarm) {
        Map<String, Layout> layouts = new TreeMap<>();
        for (Run run : Harm.of(runs).labelled(runs, leastHarm)) {
            if (run.samples().stream().anyMatch(sample -> sample.get(Metric.MITIGATION) > 0) || run.interval().toMillis() != 1000) {
                continue;
            }
            String name = run.fact("testbed.layout").isEmpty() ? UNNAMED : run.fact("testbed.layout");
            Layout layout = layouts.computeIfAbsent(name, any -> new Layout(any, new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
            Stretch whole = stretch(run);
            if (!run.fact("changes").isEmpty()) {
                if (run.switches().isEmpty()) {
                    layout.changes().add(whole);
                }
            } else if (usable(whole)) {
                cut(whole, layout);
            }
        }
        layouts.values().removeIf(layout -> layout.without().isEmpty() || layout.episodes().isEmpty());
        if (layouts.isEmpty()) {
            throw new IllegalArgumentException("the recordings have no episode of a neighbour that made the response time " + leastHarm
                    + " times the one without interference, at 1 s and without mitigation, beside 10 s without interference; training/data has");
        }
        return new Material(List.copyOf(layouts.values()));
    }

    private static boolean usable(Stretch whole) {
        return whole.usual()[Metric.RESPONSE_TIME.ordinal()] > 0 && whole.usual()[Metric.THROUGHPUT.ordinal()] > 0;
    }

    private static Stretch stretch(Run run) {
        List<Sample> samples = run.samples();
        double[][] values = new double[samples.size()][Metric.values().length];
        Label[] truth = new Label[samples.size()];
        for (int i = 0; i < values.length; i++) {
            truth[i] = samples.get(i).label().orElse(null);
            for (Metric metric : Metric.values()) {
                values[i][metric.ordinal()] = samples.get(i).get(metric);
            }
        }
        double[] usual = new double[Metric.values().length];
        for (int metric = 0; metric < usual.length; metric++) {
            List<Double> without = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                if (truth[i] == Label.NO_INTERFERENCE) {
                    without.add(values[i][metric]);
                }
            }
            usual[metric] = Quantiles.median(without.stream().mapToDouble(Double::doubleValue).toArray());
        }
        return new Stretch(run.id(), values, truth, usual);
    }

    /** Sorts the parts of a recording: without interference, and each TRANSIENT - INTERFERENCE - TRANSIENT. */
    private static void cut(Stretch whole, Layout layout) {
        List<int[]> parts = new ArrayList<>();
        for (int i = 0; i < whole.length(); i++) {
            if (i == 0 || whole.truth()[i] != whole.truth()[i - 1]) {
                parts.add(new int[] {i, i});
            }
            parts.get(parts.size() - 1)[1] = i + 1;
        }
        for (int p = 0; p < parts.size(); p++) {
            int[] part = parts.get(p);
            if (label(whole, part) == Label.NO_INTERFERENCE && part[1] - part[0] >= LEAST_WITHOUT) {
                layout.without().add(whole.part(part[0], part[1]));
            }
            if (p > 0 && p + 1 < parts.size() && label(whole, part) == Label.INTERFERENCE
                    && label(whole, parts.get(p - 1)) == Label.TRANSIENT && label(whole, parts.get(p + 1)) == Label.TRANSIENT) {
                layout.episodes().add(new Episode(whole.part(parts.get(p - 1)[0], part[0]), whole.part(part[0], part[1]),
                        whole.part(part[1], parts.get(p + 1)[1])));
            }
        }
    }

    private static Label label(Stretch whole, int[] part) {
        return whole.truth()[part[0]];
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;

/**
 * How much each neighbour harms: by how much the response time beside it exceeds that without interference at the same load, at the
 * baseline. Samples are labelled by when a neighbour ran. One that runs on another core may do next to nothing, and the same
 * one next to nothing to a tier with time to spare; a tree that is taught to see it all the same learns to take noise for
 * interference. So what was beside a harmless neighbour has no label: it is neither with nor without interference, teaches nothing,
 * and is neither a miss nor a false alarm. It is reported by itself.
 */
public final class Harm {
    /** The fact of a run that says whose episodes have no label. */
    public static final String HARMLESS = "harmless";
    /** What is harm: the response time, in times that without interference. */
    public static final String USUAL = "1.5";

    private final Map<String, Double> ratios;

    private Harm(Map<String, Double> ratios) {
        this.ratios = ratios;
    }

    /**
     * A stay of a neighbour.
     *
     * @param to when it left; {@link Instant#MAX} if the run ended before
     */
    private record Episode(Instant from, Instant to, String neighbour) {
        static List<Episode> of(Run run) {
            List<Episode> episodes = new ArrayList<>();
            for (int i = 0; i < run.switches().size(); i++) {
                Switch one = run.switches().get(i);
                if (one.on()) {
                    episodes.add(new Episode(one.time(), i + 1 < run.switches().size() ? run.switches().get(i + 1).time() : Instant.MAX,
                            one.program() + " " + one.placement() + load(run)));
                }
            }
            return episodes;
        }

        boolean holds(Sample sample) {
            return sample.time().isAfter(from) && !sample.time().isAfter(to);
        }

        boolean before(Sample sample) {
            return sample.time().isAfter(to);
        }
    }

    /** Measured in those of the runs in which nothing was mitigated. */
    public static Harm of(List<Run> runs) {
        Map<String, List<Double>> all = new TreeMap<>();
        for (Run run : runs) {
            List<Episode> episodes = Episode.of(run);
            for (int i = 0; i < episodes.size(); i++) {
                double ratio = measured(run, episodes.get(i), i);
                if (ratio > 0) {
                    all.computeIfAbsent(episodes.get(i).neighbour(), name -> new ArrayList<>()).add(ratio);
                }
            }
        }
        Map<String, Double> ratios = new TreeMap<>();
        all.forEach((name, values) -> ratios.put(name,
                Quantiles.median(values.stream().mapToDouble(Double::doubleValue).toArray())));
        return new Harm(ratios);
    }

    /** The response time beside each neighbour, in times that without interference, by program, placement and, where it is known, load. */
    public Map<String, Double> ratios() {
        return new TreeMap<>(ratios);
    }

    /**
     * The runs, without labels where a neighbour did less harm: what it did in this episode, or, where a mitigation hides that,
     * what one of its kind has done. One of which nothing is known counts as harmful.
     *
     * @param least the response time beside a harmful neighbour, in times that without interference; 1: all are harmful
     */
    public List<Run> labelled(List<Run> runs, double least) {
        return least <= 1 ? runs : runs.stream().map(run -> labelled(run, least)).toList();
    }

    private Run labelled(Run run, double least) {
        List<Episode> episodes = Episode.of(run);
        Run result = run;
        TreeSet<String> harmless = new TreeSet<>();
        for (int i = 0; i < episodes.size(); i++) {
            Episode episode = episodes.get(i);
            double own = measured(run, episode, i);
            double ratio = own > 0 ? own : ratios.getOrDefault(episode.neighbour(), least);
            if (ratio < least) {
                harmless.add(String.format(Locale.ROOT, "%s: response time %.1f times the quiet one, less than %.1f",
                        episode.neighbour(), ratio, least));
                result = without(result, episode, i + 1 < episodes.size() ? episodes.get(i + 1).from() : Instant.MAX);
            }
        }
        return harmless.isEmpty() ? run : result.with(HARMLESS, String.join("; ", harmless));
    }

    /** Without labels from the begin of an episode to where there is no interference again. */
    private static Run without(Run run, Episode episode, Instant next) {
        return run.with(run.samples().stream().map(sample -> episode.holds(sample) || episode.before(sample)
                && sample.time().isBefore(next) && is(sample, Label.TRANSIENT) ? sample.toBuilder().label(null).build() : sample).toList());
    }

    /** True if this is a sample beside a harmless neighbour. */
    static boolean harmless(Run run, Sample sample) {
        return !run.fact(HARMLESS).isEmpty() && sample.label().isEmpty()
                && Episode.of(run).stream().anyMatch(episode -> episode.holds(sample));
    }

    /** True if a switch is the begin or the end of a harmless episode: the first sample after it has no label. */
    static boolean harmless(Run run, Switch one) {
        return !run.fact(HARMLESS).isEmpty() && run.samples().stream().filter(sample -> sample.time().isAfter(one.time())).findFirst()
                .map(sample -> sample.label().isEmpty()).orElse(false);
    }

    /** What the neighbour of a run is called. */
    static String neighbour(Run run) {
        return run.switches().isEmpty() ? "none" : run.switches().get(0).program() + " " + run.switches().get(0).placement() + load(run);
    }

    /** Recordings that say their layout come from several loads. */
    private static String load(Run run) {
        return run.fact("testbed.layout").isEmpty() ? "" : " at " + run.fact("users") + " users";
    }

    /** What an episode did, NaN where that is not known: as the client saw it, else by the tier's response time. */
    private static double measured(Run run, Episode episode, int index) {
        if (!atBaseline(run)) {
            return Double.NaN;
        }
        List<String> seen = run.fact(Run.HARM).isEmpty() ? List.of() : Arrays.asList(run.fact(Run.HARM).split(" "));
        double told = index < seen.size() && !seen.get(index).equals(Run.UNKNOWN_HARM) ? Double.parseDouble(seen.get(index)) : Double.NaN;
        if (told > 0) {
            return told;
        }
        double without = median(run.samples().stream().filter(sample -> is(sample, Label.NO_INTERFERENCE)).toList());
        double under = median(run.samples().stream().filter(sample -> is(sample, Label.INTERFERENCE) && episode.holds(sample)).toList());
        return without > 0 ? under / without : Double.NaN;
    }

    private static boolean atBaseline(Run run) {
        return run.samples().stream().allMatch(sample -> run.baseline()
                .map(baseline -> sample.settings(baseline).equals(baseline))
                .orElse(!(sample.get(Metric.MITIGATION) > 0)));
    }

    private static boolean is(Sample sample, Label label) {
        return sample.label().filter(label::equals).isPresent();
    }

    private static double median(List<Sample> samples) {
        return Quantiles.median(samples.stream().mapToDouble(sample -> sample.get(Metric.RESPONSE_TIME)).toArray());
    }
}

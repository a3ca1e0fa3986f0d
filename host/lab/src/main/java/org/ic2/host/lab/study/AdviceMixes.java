// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.ic2.host.control.PoolAdvice.Verdict;

/**
 * Perfect Xen turned around: mixes of guests that nobody has seen, what the adviser says of each, and which scheduler is better in
 * the simulator. Advice agrees if following it costs the guests no more than a hundredth of the time that their work takes
 * (geometric mean), and "either" if the schedulers are within a twentieth of one another.
 */
public final class AdviceMixes implements Simulation {
    private static final int MIXES = 50;
    private static final double COST = 1.01;
    private static final double ALIKE = 1.05;
    /** The mixes on which the thresholds were looked at have numbers below it. */
    private static final long UNSEEN = 1_000_000;

    /**
     * What came of some mixes.
     *
     * @param verdicts  how often each was said
     * @param agreeing  how often it agreed with the simulator; of the verdicts that say something
     * @param ratios    time on Credit2 over time on Credit1, geometric mean, by verdict
     */
    record Tally(Map<Verdict, Integer> verdicts, Map<Verdict, Integer> agreeing, Map<Verdict, List<Double>> ratios) {
        int said(Verdict... which) {
            return List.of(which).stream().mapToInt(one -> verdicts.getOrDefault(one, 0)).sum();
        }

        int agreed() {
            return agreeing.values().stream().mapToInt(count -> count).sum();
        }
    }

    /** So many mixes of a seed. */
    static Tally tally(long seed, int mixes) {
        Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
        Map<Verdict, Integer> agreeing = new EnumMap<>(Verdict.class);
        Map<Verdict, List<Double>> ratios = new EnumMap<>(Verdict.class);
        IntStream.range(0, mixes).mapToObj(i -> new AdviceMix(UNSEEN * seed + i)).forEach(mix -> {
            Verdict verdict = mix.advice().verdict();
            double ratio = mix.ratio();
            verdicts.merge(verdict, 1, Integer::sum);
            agreeing.merge(verdict, agrees(verdict, ratio) ? 1 : 0, Integer::sum);
            ratios.computeIfAbsent(verdict, one -> new ArrayList<>()).add(ratio);
        });
        return new Tally(verdicts, agreeing, ratios);
    }

    private static boolean agrees(Verdict verdict, double ratio) {
        return switch (verdict) {
            case CREDIT -> ratio >= 1 / COST;
            case CREDIT2 -> ratio <= COST;
            case EITHER -> ratio <= ALIKE && ratio >= 1 / ALIKE;
            case NO_ADVICE, UNKNOWN -> false;
        };
    }

    @Override
    public String name() {
        return "advice";
    }

    @Override
    public String about() {
        return "Perfect Xen: which scheduler the adviser says for " + MIXES + " unseen mixes of guests a seed, and which is better";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            Tally tally = tally(seed, MIXES);
            int said = tally.said(Verdict.CREDIT, Verdict.CREDIT2, Verdict.EITHER);
            add(findings, seed, "all", "says something", said, "of " + MIXES);
            add(findings, seed, "all", "agrees", tally.agreed(), "of those");
            add(findings, seed, "all", "disagrees", said - tally.agreed(), "of those");
            add(findings, seed, "all", "agrees or does not know", 100.0 * (MIXES - said + tally.agreed()) / MIXES, "%");
            for (Verdict verdict : Verdict.values()) {
                List<Double> ratios = tally.ratios().getOrDefault(verdict, List.of());
                add(findings, seed, verdict.key(), "said", ratios.size(), "of " + MIXES);
                if (!ratios.isEmpty()) {
                    add(findings, seed, verdict.key(), "credit2 / credit, mean",
                            Math.exp(ratios.stream().mapToDouble(Math::log).average().orElseThrow()), "");
                    add(findings, seed, verdict.key(), "credit2 / credit, least", ratios.stream().min(Double::compare).orElseThrow(), "");
                    add(findings, seed, verdict.key(), "credit2 / credit, greatest", ratios.stream().max(Double::compare).orElseThrow(), "");
                }
            }
            progress.accept("seed " + seed);
        }
        return findings;
    }

    private void add(List<Finding> findings, long seed, String arm, String measure, double value, String unit) {
        findings.add(new Finding(name(), seed, arm, measure, value, unit));
    }
}

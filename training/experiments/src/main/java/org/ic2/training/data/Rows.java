// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.Learning;
import org.ic2.runtime.knob.Settings;

/**
 * Turns runs into rows as a running agent would have seen them. What is normal is learned on the way, never from what
 * comes later: from samples without interference at the baseline, carried from run to run of a tier in the order of time, as
 * its agent keeps it over a restart. Until enough was learned, rows cannot be used.
 */
public final class Rows {
    /** A sample of fewer completed requests is not judged (the agent's default). */
    public static final int MIN_REQUESTS = 10;

    private static final List<String> TIER = List.of("testbed.layout", "testbed.application", "testbed.profile", "testbed.think_ms",
            "cpu");

    private Rows() {
    }

    /** All rows of these runs, in the order of time. */
    public static List<Row> of(List<Run> runs) {
        List<Row> rows = new ArrayList<>();
        Map<String, Learning> known = new HashMap<>();
        for (Run run : Run.inOrderOfTime(runs)) {
            Learning before = changes(run) ? known.getOrDefault(tier(run), Learning.none()) : Learning.none();
            Learning learning = known.getOrDefault(load(run), before);
            for (Sample measured : run.samples()) {
                Sample sample = learning.priced(measured);
                Optional<String> lack = lack(sample, run);
                if (lack.isEmpty() && !learning.ready()) {
                    lack = Optional.of("learning what is normal");
                }
                rows.add(new Row(run.id(), new Features(sample, learning.medians()), lack));
                learning = learning.seen(sample);
                if (lack(sample, run).isEmpty() && teaches(sample, run)) {
                    learning = learning.plus(sample);
                }
            }
            known.put(load(run), learning);
            known.put(tier(run), learning);
        }
        return rows;
    }

    /** Those that can train and test. */
    public static List<Row> labelled(List<Row> rows) {
        return rows.stream().filter(Row::labelled).toList();
    }

    /** How many rows cannot be used, by reason. */
    public static Map<String, Integer> leftOut(List<Row> rows) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Row row : rows) {
            row.lack().or(() -> row.truth().isEmpty() ? Optional.of("no label") : Optional.empty())
                    .ifPresent(reason -> counts.merge(reason, 1, Integer::sum));
        }
        return counts;
    }

    private static Optional<String> lack(Sample sample, Run run) {
        if (sample.straddlesEpochs()) {
            return Optional.of("a reconfiguration fell into the interval");
        }
        if (!sample.has(Metric.RESPONSE_TIME) || !(sample.get(Metric.THROUGHPUT) > 0)) {
            return Optional.of("no response time or throughput");
        }
        double seconds = run.interval().toMillis() / 1000.0;
        double requests = sample.has(Metric.REQUESTS) ? sample.get(Metric.REQUESTS)
                : sample.get(Metric.THROUGHPUT) * seconds;
        return requests < MIN_REQUESTS ? Optional.of("fewer than " + MIN_REQUESTS + " requests") : Optional.empty();
    }

    /** Whose agent it was: one for each tier and its load. */
    private static String load(Run run) {
        return tier(run) + "\n" + (run.fact("testbed.layout").isEmpty() ? "" : run.fact("users"));
    }

    /** True if users come and go, or pages change, while it runs: its users alone do not say what its load is, nor what is usual. */
    private static boolean changes(Run run) {
        return !run.fact("changes").isEmpty();
    }

    /** Recordings that do not say their layout are of one tier. */
    private static String tier(Run run) {
        return run.fact("testbed.layout").isEmpty() ? "" : String.join("\n", TIER.stream().map(run::fact).toList());
    }

    private static boolean teaches(Sample sample, Run run) {
        if (sample.label().orElse(null) != Label.NO_INTERFERENCE) {
            return false;
        }
        if (run.baseline().isPresent()) {
            Settings baseline = run.baseline().get();
            return sample.settings(baseline).equals(baseline);
        }
        return !(sample.get(Metric.MITIGATION) > 0);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.runtime.knob.Settings;

/**
 * The rows of {@link Rows}, one sample after the other: for runs that do not fit into memory. Keeps what was learned of each
 * tier, nothing else.
 */
public final class RowMaker {
    /** A sample of fewer completed requests is not judged (the agent's default). */
    private static final int MIN_REQUESTS = 10;
    private static final List<String> TIER = List.of("testbed.layout", "testbed.application", "testbed.profile", "testbed.think_ms",
            "cpu");
    private static final String USERS = "users";
    private static final String CHANGES = "changes";
    /** The facts of a run on which its rows depend. */
    public static final List<String> FACTS = Stream.concat(TIER.stream(), Stream.of(USERS, CHANGES)).toList();

    private final Map<String, MetricBaseline> known = new HashMap<>();
    private Run run;
    private MetricBaseline learning = MetricBaseline.none();

    /** Goes on with a run, whose samples are not asked for; runs come in the order of time. */
    public void begin(Run next) {
        remember();
        run = next;
        MetricBaseline before = changes(run) ? known.getOrDefault(tier(run), MetricBaseline.none()) : MetricBaseline.none();
        learning = known.getOrDefault(load(run), before);
    }

    /** The row of the run's next sample, as its agent would have seen it. */
    public Row row(Sample measured) {
        Sample sample = learning.priced(measured);
        Optional<String> unjudged = lack(sample, run);
        Optional<String> lack = unjudged.isEmpty() && !learning.ready() ? Optional.of("learning what is normal") : unjudged;
        Row row = new Row(run.id(), new Features(sample, learning.medians()), lack);
        learning = learning.seen(sample);
        if (unjudged.isEmpty() && teaches(sample, run)) {
            learning = learning.plus(sample);
        }
        return row;
    }

    private void remember() {
        if (run != null) {
            known.put(load(run), learning);
            known.put(tier(run), learning);
        }
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
        return tier(run) + "\n" + (run.fact("testbed.layout").isEmpty() ? "" : run.fact(USERS));
    }

    /** True if users come and go, or pages change, while it runs: its users alone do not say what its load is, nor what is usual. */
    private static boolean changes(Run run) {
        return !run.fact(CHANGES).isEmpty();
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

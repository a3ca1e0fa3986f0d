// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Tells a real gain from the trap: where threads are scarce and connections are kept for long, some users are served fast
 * and the others not at all. The mean of completed requests falls, and so may p95; but fewer requests are completed, and
 * some users wait for ever.
 */
final class Starvation {
    private static final double MEAN_FALL = -0.05;
    private static final double THROUGHPUT_FALL = -0.03;
    private static final double RESPONSE_TIME_RISE = 0.05;
    private static final double LONGEST_WAIT_RATIO = 1.5;
    private static final double LONGER_SECONDS = 1;
    private static final double MORE_USERS = 0.1;
    private static final double PERCENT = 100;

    private Starvation() {
    }

    /**
     * In words, if users starved.
     *
     * @param change of a figure against the baseline arm, -0.3 for 30 % less
     * @param both   a figure of the baseline arm and of this one
     */
    static Optional<String> words(ToDoubleFunction<String> change, Function<String, double[]> both) {
        double mean = change.applyAsDouble("response_time");
        if (!(mean <= MEAN_FALL)) {
            return Optional.empty();
        }
        List<String> against = new ArrayList<>();
        double throughput = change.applyAsDouble("throughput");
        if (throughput <= THROUGHPUT_FALL) {
            against.add(text("throughput fell by %.0f %%", -PERCENT * throughput));
        }
        double interactive = change.applyAsDouble("interactive_response_time");
        if (interactive >= RESPONSE_TIME_RISE) {
            against.add(text("the interactive response time (N/X - Z), which counts everybody, rose by %.0f %%",
                    PERCENT * interactive));
        }
        double[] oldest = both.apply("oldest_wait");
        if (oldest[1] > LONGEST_WAIT_RATIO * oldest[0] && oldest[1] > oldest[0] + LONGER_SECONDS) {
            against.add(text("the longest wait rose from %.1f s to %.1f s", oldest[0], oldest[1]));
        }
        double[] pending = both.apply("pending_users");
        if (!against.isEmpty() && pending[1] > pending[0] * (1 + MORE_USERS)) {
            against.add(text("%.0f users instead of %.0f were waiting at the end", pending[1], pending[0]));
        }
        return against.isEmpty() ? Optional.empty() : Optional.of(text("users starved: the mean of completed requests fell by "
                + "%.0f %%, but ", -PERCENT * mean) + String.join(", ", against));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

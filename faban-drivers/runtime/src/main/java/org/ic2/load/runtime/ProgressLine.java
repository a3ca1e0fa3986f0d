// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.PrintStream;
import java.util.Locale;

/** One line on a terminal that is rewritten at each interval. */
final class ProgressLine implements LoadRun.Watcher {
    private final PrintStream terminal;

    ProgressLine(PrintStream terminal) {
        this.terminal = terminal;
    }

    @Override
    public void interval(double elapsed, double planned, Interval i) {
        terminal.print("\r\033[K" + text(elapsed, planned, i));
        terminal.flush();
    }

    static String text(double elapsed, double planned, Interval i) {
        String phase = i.phase().name().toLowerCase(Locale.ROOT).replace('_', '-');
        return String.format(Locale.ROOT, "%-9s %4.0f/%.0f s  %d users  %.1f op/s  mean %s s  p95 %s s  N/X-Z %s s"
                + "  errors %d  pending %d  lag %.1f ms", phase, elapsed, planned, i.users(), i.throughput(),
                StatsLine.decimals(i.mean(), 3), StatsLine.decimals(i.percentile(95), 3),
                StatsLine.decimals(i.interactiveResponseTime(), 3), i.failures(), i.pending(), i.lag() * 1000);
    }
}

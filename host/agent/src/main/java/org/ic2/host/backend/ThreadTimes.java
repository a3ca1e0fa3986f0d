// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.util.Collection;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;
import org.ic2.runtime.sensor.ProcFiles;

/**
 * What the kernel's scheduler counts of threads: {@code /proc/TID/schedstat}. It books a wait when it ends, so an interval
 * should have 3 s and more. Throttled time counts as waiting here, frozen time does not. A thread that does not live through
 * an interval is not in it.
 */
public final class ThreadTimes {

    /** Seconds and times, each by second, of all threads together; NaN when no thread lived through the interval. */
    public record Rates(double run, double waiting, double switches, double wakeups) {
        static final Rates NONE = new Rates(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

        private Rates plus(Rates other) {
            if (Double.isNaN(run)) {
                return other;
            }
            return Double.isNaN(other.run) ? this : new Rates(run + other.run, waiting + other.waiting, switches + other.switches,
                    wakeups + other.wakeups);
        }
    }

    private static final int FIELDS = 3;

    private final Host host;

    public ThreadTimes(Host host) {
        this.host = host;
    }

    /**
     * The rates since the last reading.
     *
     * @param wakeups true to read the voluntary switches too, which costs as much again; else they are NaN
     */
    public Rates rates(CounterRates rates, Collection<Integer> threads, boolean wakeups)
            throws IOException, InterruptedException {
        Rates sum = Rates.NONE;
        for (int thread : threads) {
            sum = sum.plus(ofOne(rates, thread, wakeups));
        }
        return threads.isEmpty() ? new Rates(0, 0, 0, 0) : sum;
    }

    private Rates ofOne(CounterRates rates, int thread, boolean wakeups) throws IOException, InterruptedException {
        String path = "/proc/" + thread + "/schedstat";
        String text;
        double woken = Double.NaN;
        try {
            text = host.read(path);
            if (wakeups) {
                woken = ProcFiles.field(host.read("/proc/" + thread + "/status"), "voluntary_ctxt_switches").orElse(Double.NaN);
            }
        } catch (IOException e) {
            return Rates.NONE;  // it has ended
        }
        String[] words = text.strip().split(" ");
        if (words.length != FIELDS || !Decimals.are(words[0], 18) || !Decimals.are(words[1], 18) || !Decimals.are(words[2], 18)) {
            throw new IOException("expected three numbers in " + path + ", got \"" + text.strip() + "\"");
        }
        String key = "thread:" + thread + ":";
        return new Rates(rates.rate(key + "run", Double.parseDouble(words[0]) / 1e9),
                rates.rate(key + "wait", Double.parseDouble(words[1]) / 1e9),
                rates.rate(key + "slices", Double.parseDouble(words[2])),
                rates.rate(key + "wakeups", woken));
    }
}

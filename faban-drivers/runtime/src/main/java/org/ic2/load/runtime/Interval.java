// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.ic2.load.workload.ErrorKind;

/**
 * Everything measured between two moments. Immutable by convention: it is not written to after it was cut.
 *
 * @param from        start, ns
 * @param to          end, ns
 * @param phase       where the run is in the middle of the interval
 * @param users       users of the run
 * @param operations  sums per operation; their histograms hold the steady state only
 * @param times       response times of the successful operations, ns, ascending: a list for each kind of operation
 * @param traffic     connections and bytes
 * @param pending     users that wait for an answer at the end
 * @param oldestWait  longest of their waits, seconds
 * @param busy        time that all users together spent waiting for answers, finished or not, seconds
 * @param errors      failed operations by kind, without kinds that there were none of
 * @param lag         how late a user began its operation at worst: the generator's own fault, seconds
 */
record Interval(long from, long to, Timeline.Phase phase, int users, List<Totals> operations, List<long[]> times,
                Traffic traffic, int pending, double oldestWait, double busy, Map<ErrorKind, Long> errors, double lag) {

    /**
     * What happened below the operations.
     *
     * @param connects   connections opened
     * @param reconnects those among them that replaced one which the server had closed
     * @param resumed    those among them whose TLS session was resumed
     * @param bytes      bytes of responses, heads included
     * @param leaks      pages that were built for another visitor
     * @param pages      what pages say of their age
     * @param anonymous  operations that succeeded for visitors who are not logged in
     * @param files      files of pages that were fetched
     * @param unchanged  those among them that the server called unchanged
     */
    record Traffic(long connects, long reconnects, long resumed, long bytes, long leaks, PageAges pages, long anonymous,
                   long files, long unchanged) {
    }

    double seconds() {
        return (to - from) / 1e9;
    }

    long successes() {
        return operations.stream().mapToLong(Totals::successes).sum();
    }

    long failures() {
        return operations.stream().mapToLong(Totals::failures).sum();
    }

    /** Successful operations per second. */
    double throughput() {
        return successes() / seconds();
    }

    /** Mean response time of successful operations, seconds; NaN without any. */
    double mean() {
        long n = successes();
        return n == 0 ? Double.NaN : operations.stream().mapToDouble(Totals::sum).sum() / n;
    }

    /** Exact percentile of the response times, seconds; NaN without any. */
    double percentile(double percent) {
        return percentile(times.stream().flatMapToLong(Arrays::stream).sorted().toArray(), percent);
    }

    /** The same for one kind of operation. */
    double percentile(int operation, double percent) {
        return percentile(times.get(operation), percent);
    }

    private static double percentile(long[] sorted, double percent) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.max(0, rank - 1)] / 1e9;
    }

    /**
     * Mean think time Z as realised in the interval: user-seconds not spent waiting, per successful operation, seconds.
     * NaN without any.
     */
    double thinkTime() {
        long n = successes();
        return n == 0 ? Double.NaN : (users * seconds() - busy) / n;
    }

    /**
     * N/X - Z with that Z: user-seconds spent waiting per successful operation, seconds. Users who never get an answer are
     * in it; they are in no mean of completed requests. NaN without any successful operation.
     */
    double interactiveResponseTime() {
        long n = successes();
        return n == 0 ? Double.NaN : users * seconds() / n - thinkTime();
    }
}

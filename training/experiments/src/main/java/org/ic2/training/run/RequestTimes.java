// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.ic2.training.data.Csv;

/** How long each request of some intervals took, from the load's {@code response-times.csv}: a histogram and the longest. */
public final class RequestTimes {
    /** Its file, beside that of the intervals. */
    public static final String FILE = "response-times.csv";
    private static final double MICROS = 1e6;

    /** Requests by the most microseconds that their bucket holds, in turn. */
    private final int[] buckets;
    private final double longest;

    private RequestTimes(int[] buckets, double longest) {
        this.buckets = buckets;
        this.longest = longest;
    }

    /** The intervals of a file by what the load had {@code elapsed} at their end; none if there is no file, as of an older load. */
    static Map<String, RequestTimes> read(Path file) throws IOException {
        Map<String, RequestTimes> found = new HashMap<>();
        if (!Files.exists(file)) {
            return found;
        }
        for (Map<String, String> row : Csv.maps(file)) {
            RequestTimes one = of(row.get("counts"), row.get("max"));
            if (row.get("operations").equals(Long.toString(one.count()))) { // else the line was cut short
                found.put(row.get("elapsed"), one);
            }
        }
        return found;
    }

    private static RequestTimes of(String counts, String longest) {
        String[] pairs = counts.isBlank() ? new String[0] : counts.split("[ :]");
        int[] buckets = new int[pairs.length];
        for (int i = 0; i < pairs.length; i++) {
            buckets[i] = Integer.parseInt(pairs[i]);
        }
        return new RequestTimes(buckets, longest.isBlank() ? Double.NaN : Double.parseDouble(longest));
    }

    private long count() {
        long sum = 0;
        for (int i = 1; i < buckets.length; i += 2) {
            sum += buckets[i];
        }
        return sum;
    }

    private void addTo(Map<Integer, Long> sums) {
        for (int i = 1; i < buckets.length; i += 2) {
            sums.merge(buckets[i - 1], (long) buckets[i], Long::sum);
        }
    }

    /**
     * The figures {@code request_p50}, {@code request_p95}, {@code request_p99} and {@code request_max}, seconds, of all requests of
     * these intervals together; NaN without any. Percentiles are at most
     * 1/128 too high, as wide as a bucket is.
     */
    static Map<String, Double> figures(List<RequestTimes> all) {
        NavigableMap<Integer, Long> sums = new TreeMap<>();
        all.forEach(times -> times.addTo(sums));
        double longest = all.stream().mapToDouble(times -> times.longest).filter(Double::isFinite).max().orElse(Double.NaN);
        Map<String, Double> figures = new HashMap<>();
        for (int percent : new int[] {50, 95, 99}) {
            figures.put("request_p" + percent, Math.min(percentile(sums, percent), longest));
        }
        figures.put("request_max", longest);
        return figures;
    }

    private static double percentile(NavigableMap<Integer, Long> sums, int percent) {
        long left = (sums.values().stream().mapToLong(Long::longValue).sum() * percent + 99) / 100;
        for (Map.Entry<Integer, Long> bucket : sums.entrySet()) {
            left -= bucket.getValue();
            if (left <= 0) {
                return bucket.getKey() / MICROS;
            }
        }
        return Double.NaN;
    }
}

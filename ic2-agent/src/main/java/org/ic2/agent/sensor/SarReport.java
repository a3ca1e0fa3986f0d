// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Decimals;
import org.ic2.runtime.sensor.Reading;

/**
 * Reads the text of {@code sar -u ALL -r -B -b -n DEV} section by section, by the names in each section's header line,
 * so that columns may come in any number and order.
 */
final class SarReport {

    private static final double PERCENT = 100.0;
    private static final double KIBI = 1024.0;
    /** sar counts disk blocks of this many bytes, whatever the disk's own are. */
    private static final double BLOCK_BYTES = 512.0;

    private final double memoryKib;
    private String[] header = {};
    private final Map<String, Double> sums = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    /**
     * @param memoryKib the machine's memory
     */
    SarReport(double memoryKib) {
        this.memoryKib = memoryKib;
    }

    /** Reads lines; what is no part of a report is passed over. */
    void add(List<String> lines) {
        for (String line : lines) {
            String[] words = words(line);
            if (words.length < 2 || !isTime(words[0])) {
                continue;
            }
            if (isHeader(words)) {
                header = words;
            } else if (words.length == header.length) {
                addRow(words);
            }
        }
    }

    private static String[] words(String line) {
        StringTokenizer tokens = new StringTokenizer(line);
        String[] words = new String[tokens.countTokens()];
        for (int i = 0; i < words.length; i++) {
            words[i] = tokens.nextToken();
        }
        return words;
    }

    /** {@code 11:19:16} at the start of a line; the means at the end begin with another word. */
    private static boolean isTime(String word) {
        return word.length() == 8 && word.charAt(2) == ':' && word.charAt(5) == ':' && Character.isDigit(word.charAt(0));
    }

    private static boolean isHeader(String[] words) {
        return words[words.length - 1].chars().anyMatch(letter -> letter == '%' || Character.isLetter(letter));
    }

    private void addRow(String[] words) {
        if (header[1].equals("CPU") && !words[1].equals("all") || header[1].equals("IFACE") && words[1].equals("lo")) {
            return;
        }
        String prefix = header[1].equals("IFACE") ? words[1] + " " : "";
        for (int i = 1; i < words.length; i++) {
            if (Decimals.areNumber(words[i])) {
                sums.merge(prefix + header[i], Double.parseDouble(words[i]), Double::sum);
                counts.merge(prefix + header[i], 1, Integer::sum);
            }
        }
    }

    /** True when the CPU section, the first of a report, has arrived. */
    boolean hasCpu() {
        return counts.containsKey("%idle");
    }

    /** The means of what arrived; forgets it. */
    Reading take() {
        Reading.Builder reading = Reading.builder()
                .put(Metric.CPU_UTIL, Math.max(0, 1 - (mean("%idle") + mean("%iowait")) / PERCENT))
                .put(Metric.CPU_USED, Math.max(0, 1 - (mean("%idle") + mean("%iowait") + mean("%steal")) / PERCENT))
                .put(Metric.STEAL, mean("%steal") / PERCENT)
                .put(Metric.IO_PRESSURE, mean("%iowait") / PERCENT)
                .put(Metric.MEMORY_IDLE, mean("kbavail") / memoryKib)
                .put(Metric.MEMORY_ACTIVE, mean("kbactive") / memoryKib)
                .put(Metric.PAGE_FAULTS, mean("majflt/s"))
                .put(Metric.DISK_READ, mean("bread/s") * BLOCK_BYTES)
                .put(Metric.DISK_WRITE, mean("bwrtn/s") * BLOCK_BYTES)
                .put(Metric.NETWORK_IN, meanOfInterfaces("rxkB/s") * KIBI)
                .put(Metric.NETWORK_OUT, meanOfInterfaces("txkB/s") * KIBI);
        sums.clear();
        counts.clear();
        return reading.build();
    }

    private double mean(String column) {
        return counts.containsKey(column) ? sums.get(column) / counts.get(column) : Double.NaN;
    }

    private double meanOfInterfaces(String column) {
        double total = Double.NaN;
        for (String key : counts.keySet()) {
            if (key.endsWith(" " + column)) {
                total = (Double.isNaN(total) ? 0 : total) + mean(key);
            }
        }
        return total;
    }
}

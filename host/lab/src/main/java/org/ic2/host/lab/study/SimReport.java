// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What simulations gave, for files and for people. */
public final class SimReport {
    private SimReport() {
    }

    /** A line for each number, with a head. */
    public static String csv(List<Finding> findings) {
        StringBuilder text = new StringBuilder("scenario,seed,arm,measure,value,unit\n");
        for (Finding one : findings) {
            text.append(String.join(",", one.scenario(), Long.toString(one.seed()), quoted(one.arm()), quoted(one.measure()),
                    String.format(Locale.ROOT, "%.6g", one.value()), quoted(one.unit()))).append('\n');
        }
        return text.toString();
    }

    private static String quoted(String text) {
        return text.matches("[^,\"\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    /** A head, and a line for each arm and measure: the median over the seeds, and the least and the greatest. */
    public static List<String> lines(List<Finding> findings) {
        record Key(String scenario, String arm, String measure, String unit) {
        }

        Map<Key, List<Double>> values = new LinkedHashMap<>();
        for (Finding one : findings) {
            values.computeIfAbsent(new Key(one.scenario(), one.arm(), one.measure(), one.unit()), key -> new ArrayList<>())
                    .add(one.value());
        }
        List<String> lines = new ArrayList<>(List.of("in the simulator; medians over the seeds, least and greatest in brackets"));
        int arm = values.keySet().stream().mapToInt(key -> key.arm().length()).max().orElse(1);
        int measure = values.keySet().stream().mapToInt(key -> key.measure().length()).max().orElse(1);
        values.forEach((key, all) -> {
            List<Double> sorted = all.stream().sorted().toList();
            int count = sorted.size();
            double median = (sorted.get((count - 1) / 2) + sorted.get(count / 2)) / 2;
            String range = count == 1 ? ""
                    : String.format(Locale.ROOT, "  (%.4g to %.4g, %d seeds)", sorted.get(0), sorted.get(count - 1), count);
            lines.add(String.format(Locale.ROOT, "%-" + arm + "s  %-" + measure + "s  %10.4g %s%s", key.arm(), key.measure(),
                    median, key.unit(), range));
        });
        return lines;
    }
}

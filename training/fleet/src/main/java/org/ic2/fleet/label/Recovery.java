// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.ic2.knowledge.Label;

/** How well given labels recover the truth, in samples. */
public final class Recovery {
    private static final String NONE = "none";
    private static final List<String> NAMES = Stream.concat(Stream.of(Label.values()).map(Label::name), Stream.of(NONE)).toList();

    private final Map<String, Long> counts = new TreeMap<>();

    /** From rows of truth, given label (either may be null) and how many samples. */
    Recovery(List<Row> rows) {
        rows.forEach(row -> counts.merge(name(row, 0) + " " + name(row, 1), row.getLong(2), Long::sum));
    }

    private static String name(Row row, int place) {
        return row.isNullAt(place) ? NONE : row.getString(place);
    }

    /** Samples of a truth with a given label; a missing label is null. */
    public long count(Label truth, Label given) {
        return counts.getOrDefault(word(truth) + " " + word(given), 0L);
    }

    private static String word(Label label) {
        return label == null ? NONE : label.name();
    }

    /** How much of the true interference is labelled INTERFERENCE; what has no label is missed. */
    public double recall() {
        return share(count(Label.INTERFERENCE, Label.INTERFERENCE), of(Label.INTERFERENCE));
    }

    /** The same of the true interference that has a label of one of the sides: what a tree would be taught. */
    public double recallWhereSure() {
        return share(count(Label.INTERFERENCE, Label.INTERFERENCE),
                count(Label.INTERFERENCE, Label.INTERFERENCE) + count(Label.INTERFERENCE, Label.NO_INTERFERENCE));
    }

    /** How often the label INTERFERENCE is true, of all that are clearly on one side; transients are left out. */
    public double precision() {
        return share(count(Label.INTERFERENCE, Label.INTERFERENCE),
                count(Label.INTERFERENCE, Label.INTERFERENCE) + count(Label.NO_INTERFERENCE, Label.INTERFERENCE));
    }

    private long of(Label truth) {
        return count(truth, null) + Stream.of(Label.values()).mapToLong(given -> count(truth, given)).sum();
    }

    private static double share(long part, long whole) {
        return whole == 0 ? Double.NaN : (double) part / whole;
    }

    /** For people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("true label        given: " + String.join(", ", NAMES));
        for (String truth : NAMES) {
            lines.add(String.format(Locale.ROOT, "%-17s %s", truth, String.join(", ",
                    NAMES.stream().map(given -> Long.toString(counts.getOrDefault(truth + " " + given, 0L))).toList())));
        }
        lines.add(String.format(Locale.ROOT, "recall %.1f %% of the true interference (%.1f %% of what was given a side), precision %.1f %%",
                100 * recall(), 100 * recallWhereSure(), 100 * precision()));
        return lines;
    }
}

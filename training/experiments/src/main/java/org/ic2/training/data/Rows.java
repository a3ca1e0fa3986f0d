// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns runs into rows as a running agent would have seen them. What is normal is learned on the way, never from what
 * comes later: from samples without interference at the baseline, carried from run to run of a tier in the order of time, as
 * its agent keeps it over a restart. Until enough was learned, rows cannot be used.
 */
public final class Rows {

    private Rows() {
    }

    /** All rows of these runs, in the order of time. */
    public static List<Row> of(List<Run> runs) {
        List<Row> rows = new ArrayList<>();
        RowMaker maker = new RowMaker();
        for (Run run : Run.inOrderOfTime(runs)) {
            maker.begin(run);
            run.samples().forEach(sample -> rows.add(maker.row(sample)));
        }
        return rows;
    }

    /** The rows with a label, which can train and test. */
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
}

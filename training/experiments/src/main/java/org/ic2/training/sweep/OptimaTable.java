// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.sweep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.rules.Direction;
import org.ic2.training.report.Table;

/** Which way interference moves the optimum of each of the paper's three parameters (its Table 2), ours beside the paper's. */
public final class OptimaTable {
    private static final List<Lever> PARAMETERS = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.PHP_MAX_CHILDREN);
    private static final String NOT_MEASURED = "not measured";

    private OptimaTable() {
    }

    /** @param measured what was swept beside each neighbour */
    public static Table of(Map<String, List<Directions>> measured) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("paper, no interference", "high", "low", "low"));
        rows.add(List.of("paper, interference", "decrease, high impact", "increase, high impact", "increase, low impact"));
        rows.add(List.of("paper, memory pressure", "decrease, high impact", "increase, high impact", "decrease, high impact"));
        new LinkedHashMap<>(measured).forEach((neighbour, directions) -> {
            List<String> row = new ArrayList<>(List.of("ours, " + neighbour));
            PARAMETERS.forEach(lever -> row.add(directions.stream().filter(one -> one.lever() == lever).findFirst()
                    .map(OptimaTable::cell).orElse(NOT_MEASURED)));
            rows.add(row);
        });
        rows.add(List.of("ours, memory pressure", NOT_MEASURED, NOT_MEASURED, NOT_MEASURED));
        return new Table("What interference does to the optimum (the paper's Table 2)", "Ours: the value with the most throughput beside the neighbour "
                + "against the baseline's in the same round, mean and least to most of the rounds. A direction is said only where all rounds agree and the "
                + "95 % interval (Student's t) does not hold 0. The testbed limits no memory, so memory pressure is not measured.",
                List.of("context", "MXC", "KAT", "PMC"), rows);
    }

    private static String cell(Directions directions) {
        return directions.changes().stream().max(Comparator.comparing(Directions.Change::better).thenComparing(Directions.Change::mean))
                .map(best -> directions.supported().map(way -> way == Direction.UP ? "increase: " : "decrease: ").orElse("neither way: ")
                        + String.format(Locale.ROOT, "%s %+.1f %% [%+.1f to %+.1f]", directions.lever().format(best.value()), 100 * best.mean(),
                        100 * best.low(), 100 * best.high())).orElse(NOT_MEASURED);
    }
}

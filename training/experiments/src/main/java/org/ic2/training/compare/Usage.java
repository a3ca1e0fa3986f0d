// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.ic2.training.data.Csv;

/**
 * A line of a run's {@code usage.csv}; NaN where a cell is empty.
 *
 * @param time   when
 * @param tier   CPU seconds of the web tier so far
 * @param agent  CPU seconds of the agent so far, with all that it started
 * @param memory of the agent, resident, MiB
 */
record Usage(Instant time, double tier, double agent, double memory) {
    static final String FILE = "usage.csv";
    private static final int CELLS = 4;

    static List<Usage> read(Path file) throws IOException {
        return Csv.rows(file, CELLS).stream().map(row -> new Usage(Instant.ofEpochMilli(Math.round(1000 * Csv.number(row.get(0)))),
                Csv.number(row.get(1)), Csv.number(row.get(2)), Csv.number(row.get(3)))).toList();
    }

    /** CPU seconds of the tier for each second of a window; NaN if fewer than two lines lie in it. */
    static double tierShare(List<Usage> inside) {
        return inside.size() < 2 ? Double.NaN : (last(inside).tier() - inside.get(0).tier()) / seconds(inside);
    }

    /** The same of the agent. */
    static double agentShare(List<Usage> inside) {
        return inside.size() < 2 ? Double.NaN : (last(inside).agent() - inside.get(0).agent()) / seconds(inside);
    }

    private static double seconds(List<Usage> inside) {
        return (last(inside).time().toEpochMilli() - inside.get(0).time().toEpochMilli()) / 1000.0;
    }

    private static Usage last(List<Usage> inside) {
        return inside.get(inside.size() - 1);
    }
}

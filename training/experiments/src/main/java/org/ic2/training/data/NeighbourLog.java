// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.FormatException;

/** The CSV that the program {@code neighbour} writes: {@code time,event,program,placement,lateness_ms}. */
public final class NeighbourLog {
    private static final String HEADER = "time,event,program,placement,lateness_ms";
    private static final int CELLS = 5;

    private NeighbourLog() {
    }

    /**
     * The switches of a log.
     *
     * @param source the file's name, for error messages
     * @throws FormatException if a line is not understood
     */
    public static List<Switch> read(String source, List<String> lines) {
        List<Switch> switches = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isBlank() || i == 0 && line.strip().equals(HEADER)) {
                continue;
            }
            List<String> cells = Csv.cells(source, i + 1, line);
            boolean known = cells.size() == CELLS && (cells.get(1).equals("start") || cells.get(1).equals("stop"));
            if (!known) {
                throw new FormatException(source, "line " + (i + 1), "expected '" + HEADER
                        + "' with event start or stop, got '" + line + "'");
            }
            switches.add(new Switch(time(source, i + 1, cells.get(0)), cells.get(1).equals("start"), cells.get(2),
                    cells.get(3)));
        }
        return switches;
    }

    private static Instant time(String source, int line, String cell) {
        try {
            return Instant.ofEpochMilli(Math.round(1000 * Double.parseDouble(cell)));
        } catch (NumberFormatException e) {
            throw new FormatException(source, "line " + line, "column 'time': expected epoch seconds, got '" + cell
                    + "'", e);
        }
    }
}

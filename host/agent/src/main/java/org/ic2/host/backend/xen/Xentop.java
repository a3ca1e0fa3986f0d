// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rounds of {@code xentop -b}, line by line. The first round has no rates yet (it says 0.0 of everybody) and is dropped; a
 * round is over when the next one begins. It names domains and has no numbers, so two of one name cannot be told apart.
 */
final class Xentop {
    private static final String COMMAND = "xentop -b";
    private static final String HEADING = "NAME STATE CPU(sec) CPU(%) MEM(k) MEM(%) MAXMEM(k) MAXMEM(%) VCPUS NETS NETTX(k)"
            + " NETRX(k) VBDS VBD_OO VBD_RD VBD_WR VBD_RSECT VBD_WSECT SSID";
    private static final Pattern ROW = Pattern.compile("\\s*(\\S.*?)\\s+[d-][s-][b-][c-][p-][r-]\\s+\\d+\\s+"
            + "(\\d{1,7}\\.\\d)\\s+\\d+\\s+\\d+\\.\\d\\s+(?:no limit|\\d+)\\s+(?:n/a|\\d+\\.\\d)"
            + "\\s+\\d+\\s+\\d+\\s+(\\d{1,18})\\s+(\\d{1,18})(?:\\s+\\d+){6}\\s+\\d+\\s*");

    /**
     * A domain in one round.
     *
     * @param cpus CPUs in use
     * @param kib  sent and received so far
     */
    record Use(double cpus, double kib) {
    }

    private Map<String, Optional<Use>> round;
    private int begun;

    /** Takes lines; gives the rounds that they complete, by name; a name that occurs twice has no value. */
    List<Map<String, Optional<Use>>> add(List<String> lines) throws IOException {
        List<Map<String, Optional<Use>>> complete = new ArrayList<>();
        for (String line : lines) {
            if (XenText.words(line).equals(HEADING)) {
                if (begun >= 2) {
                    complete.add(round);
                }
                begun++;
                round = new LinkedHashMap<>();
            } else if (!line.isBlank()) {
                if (begun == 0) {
                    throw XenText.unknown(COMMAND, line);
                }
                Matcher row = XenText.match(COMMAND, line, ROW);
                Use use = new Use(Double.parseDouble(row.group(2)) / 100,
                        Double.parseDouble(row.group(3)) + Double.parseDouble(row.group(4)));
                round.merge(row.group(1), Optional.of(use), (one, other) -> Optional.empty());
            }
        }
        return complete;
    }

    /** Begins anew, as the command does after its end. */
    void restart() {
        begun = 0;
        round = null;
    }
}

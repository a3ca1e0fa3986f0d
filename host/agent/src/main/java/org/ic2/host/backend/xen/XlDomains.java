// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code xl list}. */
final class XlDomains {
    private static final String COMMAND = "xl list";
    private static final Pattern ROW = Pattern.compile(
            "(.*?)\\s+(\\d{1,5})\\s+(\\d{1,9})\\s+(\\d{1,5})\\s+([r-][b-][p-][s-][c-][d-])\\s+(\\d{1,12}\\.\\d)");

    /**
     * A domain.
     *
     * @param mib     memory that it has, MiB
     * @param seconds of CPU time so far
     */
    record Domain(String name, int id, int mib, int vcpus, String state, double seconds) {
        /** One that is on its way out is no guest. */
        boolean dying() {
            return state.endsWith("d") || state.charAt(3) == 's';
        }
    }

    private XlDomains() {
    }

    static List<Domain> parse(String text) throws IOException {
        List<Domain> domains = new ArrayList<>();
        for (Matcher row : XenText.rows(COMMAND, text, "Name ID Mem VCPUs State Time(s)", ROW)) {
            domains.add(new Domain(row.group(1), XenText.number(COMMAND, row.group(2)), XenText.number(COMMAND, row.group(3)),
                    XenText.number(COMMAND, row.group(4)), row.group(5), Double.parseDouble(row.group(6))));
        }
        return domains;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code xl vcpu-list}. */
final class XlVcpus {
    private static final String COMMAND = "xl vcpu-list";
    private static final Pattern ROW = Pattern.compile("(.*?)\\s+(\\d{1,5})\\s+(\\d{1,5})\\s+(\\d{1,5}|-)\\s+"
            + "([r-][b-][p-])\\s+(\\d{1,12}\\.\\d)\\s+(all|none|[\\d,-]+) / (all|none|[\\d,-]+)");

    /**
     * A virtual CPU.
     *
     * @param hard the physical CPUs on which alone it may run; empty: all of its pool
     */
    record Vcpu(String name, int domain, int number, Optional<List<Integer>> hard) {
    }

    private XlVcpus() {
    }

    static List<Vcpu> parse(String text) throws IOException {
        List<Vcpu> vcpus = new ArrayList<>();
        for (Matcher row : XenText.rows(COMMAND, text, "Name ID VCPU CPU State Time(s) Affinity (Hard / Soft)", ROW)) {
            String hard = row.group(7);
            vcpus.add(new Vcpu(row.group(1), XenText.number(COMMAND, row.group(2)), XenText.number(COMMAND, row.group(3)),
                    hard.equals("all") ? Optional.empty()
                            : Optional.of(hard.equals("none") ? List.of() : XenText.cpus(COMMAND, hard))));
        }
        return vcpus;
    }
}

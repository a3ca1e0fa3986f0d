// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;

/**
 * {@code xl sched-credit} and {@code xl sched-credit2}: a paragraph for each pool of that scheduler. Where there is none, they
 * print nothing and succeed; of a pool of the other one they print {@code [sched params unavailable]}.
 */
final class XlSchedule {
    private static final Pattern POOL = Pattern.compile("Cpupool (.*): (\\[sched params unavailable]"
            + "|(?:tslice=(\\d{1,6})ms )?ratelimit=(\\d{1,9})us(?: migration-delay=\\d{1,9}us)?)");
    private static final Pattern ROW = Pattern.compile("(.*?)\\s+(\\d{1,5})\\s+(\\d{1,6})\\s+(\\d{1,6})");
    private static final String HEADING = "Name ID Weight Cap";

    /**
     * A domain's.
     *
     * @param cap per cent of a physical CPU; 0 is none
     */
    record Domain(String name, int id, int weight, int cap) {
    }

    /**
     * A pool's.
     *
     * @param tslice    ms; none with Credit2
     * @param ratelimit microseconds
     */
    record OfPool(String name, OptionalInt tslice, int ratelimit, List<Domain> domains) {
    }

    private XlSchedule() {
    }

    /** The pools; a paragraph without parameters is another scheduler's, and left out. */
    static List<OfPool> parse(String command, String text) throws IOException {
        List<OfPool> pools = new ArrayList<>();
        List<Domain> domains = new ArrayList<>();
        boolean known = false;
        for (String line : BoundedText.lines(text, command)) {
            Matcher pool = POOL.matcher(line);
            if (pool.matches()) {
                known = pool.group(4) != null;
                if (known) {
                    domains = new ArrayList<>();
                    OptionalInt tslice = pool.group(3) == null ? OptionalInt.empty()
                            : OptionalInt.of(XenText.number(command, pool.group(3)));
                    pools.add(new OfPool(pool.group(1), tslice, XenText.number(command, pool.group(4)), domains));
                }
            } else if (!known) {
                throw XenText.unknown(command, line);
            } else if (!XenText.words(line).equals(HEADING)) {
                Matcher row = XenText.match(command, line, ROW);
                domains.add(new Domain(row.group(1), XenText.number(command, row.group(2)),
                        XenText.number(command, row.group(3)), XenText.number(command, row.group(4))));
            }
        }
        return pools;
    }
}

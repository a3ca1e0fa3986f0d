// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.model.Pool;
import org.ic2.runtime.host.BoundedText;

/** {@code xl cpupool-list} and {@code xl cpupool-list -c}. */
final class XlPools {
    private static final String COMMAND = "xl cpupool-list";
    private static final Pattern ROW = Pattern.compile("(.*?)\\s+(\\d{1,5})\\s+(\\S+)\\s+[yn]\\s+(\\d{1,5})");
    private static final Pattern CPUS = Pattern.compile("\\s*(\\d[\\d,-]*)?");

    private XlPools() {
    }

    private static List<Matcher> rows(String text) throws IOException {
        return XenText.rows(COMMAND, text, "Name CPUs Sched Active Domain count", ROW);
    }

    /** Their schedulers by their names; one pool at least, as Xen has. */
    static Map<String, String> schedulers(String text) throws IOException {
        Map<String, String> schedulers = new HashMap<>();
        rows(text).forEach(row -> schedulers.put(row.group(1), row.group(3)));
        if (schedulers.isEmpty()) {
            throw new IOException(COMMAND + ": expected one pool at least, got \"" + BoundedText.brief(text) + "\"");
        }
        return schedulers;
    }

    /**
     * The pools.
     *
     * @param text what the command prints
     * @param cpus what it prints with {@code -c}; a long name runs into the list there
     */
    static List<Pool> parse(String text, String cpus) throws IOException {
        Map<String, List<Integer>> lists = new HashMap<>();
        List<Pool> pools = new ArrayList<>();
        List<Matcher> rows = rows(text);
        List<String> lines = BoundedText.lines(cpus, COMMAND + " -c");
        if (lines.isEmpty() || !XenText.words(lines.get(0)).equals("Name CPU list") || lines.size() != rows.size() + 1) {
            throw new IOException(COMMAND + " -c: expected a heading \"Name CPU list\" and " + rows.size() + " pools, got \""
                    + BoundedText.brief(cpus) + "\"");
        }
        for (Matcher row : rows) {
            String name = row.group(1);
            for (String line : lines.subList(1, lines.size())) {
                Matcher list = CPUS.matcher(line.startsWith(name) ? line.substring(name.length()) : "?");
                if (list.matches()) {
                    lists.put(name, list.group(1) == null ? List.of() : XenText.cpus(COMMAND + " -c", list.group(1)));
                }
            }
            List<Integer> its = lists.get(name);
            if (its == null || its.size() != XenText.number(COMMAND, row.group(2))) {
                throw new IOException(COMMAND + " -c: expected " + row.group(2) + " CPUs of pool " + name + ", got \""
                        + BoundedText.brief(cpus) + "\"");
            }
            pools.add(new Pool(name, row.group(3), its));
        }
        return pools;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Host;

/**
 * {@code io.max} of version 2: how much a group may read and write a second, by device. The kernel takes one device a write. A value
 * is the same for reads and writes of each disk; what is limited otherwise is another negative number for each such text.
 */
final class GroupDisks {
    private static final Pattern LINE = Pattern.compile("(\\d{1,4}:\\d{1,7}) (rbps=(max|\\d{1,20}) wbps=(max|\\d{1,20}) riops=(?:max|\\d{1,20}) wiops=(?:max|\\d{1,20}))");
    private static final Pattern SAME = Pattern.compile("rbps=(\\d{1,16}) wbps=\\1 riops=max wiops=max");
    private static final String UNLIMITED = "rbps=max wbps=max riops=max wiops=max";
    private static final String NOTHING = "none";
    private static final String BLOCK = "/sys/block";
    private static final int SOME_BITS = 0x3fffffff;
    private static final long MIB = 1 << 20;

    private GroupDisks() {
    }

    /** The disks of this machine, as major and minor number; what is made of disks, or of memory, is none. */
    static List<String> disks(Host host) throws IOException, InterruptedException {
        List<String> disks = new ArrayList<>();
        for (String entry : host.list(BLOCK)) {
            String disk = BLOCK + "/" + entry.replace("/", "");
            if (host.list(disk).contains("device/")) {
                disks.add(host.read(disk + "/dev").strip());
            }
        }
        if (disks.isEmpty()) {
            throw new IOException("no disk in " + BLOCK);
        }
        return disks;
    }

    /** The limits of a text, by device, without those that limit nothing. */
    private static Map<String, String> limits(String text, String separator) throws IOException {
        Map<String, String> limits = new TreeMap<>();
        for (String line : text.isEmpty() || text.equals(NOTHING) ? new String[0] : text.split(separator)) {
            Matcher one = LINE.matcher(line.strip());
            if (!one.matches()) {
                throw new IOException("expected MAJOR:MINOR rbps= wbps= riops= wiops= in io.max, got \"" + BoundedText.brief(line) + "\"");
            }
            limits.put(one.group(1), one.group(2));
        }
        limits.values().removeIf(UNLIMITED::equals);
        return limits;
    }

    static int value(String text) throws IOException {
        Map<String, String> limits = limits(text, "\n");
        Set<String> kinds = Set.copyOf(limits.values());
        if (kinds.isEmpty()) {
            return 0;
        }
        Matcher same = SAME.matcher(kinds.iterator().next());
        if (kinds.size() == 1 && same.matches()) {
            long bytes = Long.parseLong(same.group(1));
            if (bytes % MIB == 0 && bytes > 0 && bytes / MIB <= Integer.MAX_VALUE) {
                return (int) (bytes / MIB);
            }
        }
        return -1 - (limits.hashCode() & SOME_BITS);
    }

    /** What {@link #back} takes, on one line. */
    static String exact(String text) throws IOException {
        List<String> lines = new ArrayList<>();
        limits(text, "\n").forEach((device, limit) -> lines.add(device + " " + limit));
        return lines.isEmpty() ? NOTHING : String.join(";", lines);
    }

    /** The lines that ask for a value of every disk, and for nothing else. */
    static List<String> lines(Host host, String present, int value) throws IOException, InterruptedException {
        Map<String, String> wanted = new LinkedHashMap<>();
        for (String disk : value == 0 ? List.<String>of() : disks(host)) {
            wanted.put(disk, "rbps=" + value * MIB + " wbps=" + value * MIB + " riops=max wiops=max");
        }
        return lines(present, wanted);
    }

    /** The lines that bring back what {@link #exact} gave, without that of a disk that is gone. */
    static List<String> back(Host host, String present, String exact) throws IOException, InterruptedException {
        Map<String, String> wanted = limits(exact, ";");
        for (String device : List.copyOf(wanted.keySet())) {
            try {
                host.list("/sys/dev/block/" + device);
            } catch (IOException gone) {
                wanted.remove(device);
            }
        }
        return lines(present, wanted);
    }

    private static List<String> lines(String present, Map<String, String> wanted) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String device : limits(present, "\n").keySet()) {
            if (!wanted.containsKey(device)) {
                lines.add(device + " " + UNLIMITED);
            }
        }
        wanted.forEach((device, limit) -> lines.add(device + " " + limit));
        return lines;
    }
}

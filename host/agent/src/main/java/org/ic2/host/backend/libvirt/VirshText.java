// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;

/** What virsh prints. What is not understood is an error that quotes it. */
final class VirshText {
    private static final Pattern DOMAIN = Pattern.compile("\\s*(\\d{1,9})\\s+(\\S.*?)\\s+(?:no state|running|idle|paused|in shutdown|shut off"
            + "|crashed|dying|pmsuspended)\\s*");
    private static final Pattern NAME = Pattern.compile("(?dm)^Name: {11}(.+)$");
    private static final Pattern SETTING = Pattern.compile("(\\w{1,40})\\s*: (-?\\d{1,20})");
    private static final Pattern STATISTIC = Pattern.compile(" {2}([\\w.-]{1,80})=(.*)");
    /** As large as no quota can be: how versions of libvirt say that there is none, and one that all of them take. */
    static final long NO_QUOTA = 17_592_186_044_415L;

    /**
     * A row of {@code virsh list}.
     *
     * @param printed the name, where that is printable ASCII without blanks around it: the table of virsh 9 has {@code \\xff} for any other byte
     */
    record Row(int id, String printed) {
    }

    /** What {@code virsh dominfo} says of one. */
    record Info(String uuid, int vcpus, long maxKib) {
    }

    private VirshText() {
    }

    private static IOException unknown(String command, String line) {
        return new IOException("virsh " + command + ": did not understand \"" + BoundedText.brief(line) + "\"");
    }

    static List<Row> list(String text) throws IOException {
        List<String> lines = BoundedText.lines(text, "virsh list").stream().filter(line -> !line.isBlank()).toList();
        if (lines.size() < 2 || !lines.get(0).strip().replaceAll("\\s+", " ").equals("Id Name State") || !lines.get(1).matches("-+")) {
            throw new IOException("virsh list: expected a table that begins with \"Id Name State\", got \"" + BoundedText.brief(text) + "\"");
        }
        List<Row> rows = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            Matcher row = DOMAIN.matcher(line);
            if (!row.matches()) {
                throw unknown("list", line);
            }
            rows.add(new Row(Integer.parseInt(row.group(1)), row.group(2)));
        }
        return rows;
    }

    static Info info(String text) throws IOException {
        return new Info(field(text, "UUID", "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), Integer.parseInt(field(text, "CPU\\(s\\)", "[1-9]\\d{0,3}")),
                Long.parseLong(field(text, "Max memory", "\\d{1,15}(?= KiB)")));
    }

    private static String field(String text, String name, String form) throws IOException {
        Matcher line = Pattern.compile("(?dm)^" + name + ": +(" + form + ")").matcher(text);
        if (!line.find()) {
            throw new IOException("virsh dominfo: expected a line \"" + name.replace("\\", "") + ": ...\", got \"" + BoundedText.brief(text) + "\"");
        }
        return line.group(1);
    }

    /** The name in what {@code virsh dominfo} says, byte for byte. */
    static String name(String text) throws IOException {
        Matcher line = NAME.matcher(text);
        if (!line.find()) {
            throw new IOException("virsh dominfo: expected a line \"Name:           ...\", got \"" + BoundedText.brief(text) + "\"");
        }
        return line.group(1);
    }

    /** Why a domain of this name is nobody whom we could name in files and messages; empty if it is. */
    static Optional<String> unusable(String name) {
        if (name.codePoints().anyMatch(one -> Character.isISOControl(one) || one == '\u2028' || one == '\u2029' || one == '\ufffd')) {
            return Optional.of("its name has a control character, or is not UTF-8: rename it (virsh domrename)");
        }
        try {
            Path.of(name);
            return Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.of("this process cannot name files so: start it in a locale of UTF-8 (LC_ALL=C.UTF-8)");
        }
    }

    /** The statistics of one domain, numbers alone: what it has no word for is not there. */
    static Map<String, Double> statistics(String text) throws IOException {
        Map<String, Double> found = new LinkedHashMap<>();
        for (String line : BoundedText.lines(text, "virsh domstats")) {
            Matcher one = STATISTIC.matcher(line);
            if (one.matches() && one.group(2).matches("\\d{1,20}")) {
                found.put(one.group(1), Double.valueOf(one.group(2)));
            } else if (!one.matches() && !line.isBlank() && !line.startsWith("Domain: '")) {
                throw unknown("domstats", line);
            }
        }
        return found;
    }

    /**
     * What {@code virsh schedinfo} says.
     *
     * @throws IOException also of a domain whose process has just ended, of which it says nothing but noughts
     */
    static Map<String, Long> schedule(String text) throws IOException {
        Map<String, Long> found = new LinkedHashMap<>();
        for (String line : BoundedText.lines(text, "virsh schedinfo")) {
            Matcher one = SETTING.matcher(line.stripTrailing());
            if (one.matches()) {
                try {
                    found.put(one.group(1), Long.valueOf(one.group(2)));
                } catch (NumberFormatException e) {
                    found.put(one.group(1), Long.MAX_VALUE);    // an unsigned one that says that there is no limit
                }
            } else if (!line.isBlank() && !line.startsWith("Scheduler ")) {
                throw unknown("schedinfo", line);
            }
        }
        if (!found.isEmpty() && found.values().stream().allMatch(value -> value == 0)) {
            throw new IOException("virsh schedinfo: says nothing but 0, as of a domain whose process has ended");
        }
        return found;
    }

    /** True of a quota that limits nothing. */
    static boolean isNone(long quota) {
        return quota <= 0 || quota >= NO_QUOTA;
    }
}

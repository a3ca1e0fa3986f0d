// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The few text formats of {@code /proc} and {@code /sys/fs/cgroup}. */
public final class ProcFiles {

    private ProcFiles() {
    }

    /** The number after a key at the start of a line: {@code MemTotal:  24684092 kB}, {@code usage_usec 174837921}. */
    public static OptionalDouble field(String text, String key) {
        int start = text.startsWith(key) ? 0 : text.indexOf("\n" + key) + 1;
        if (start == 0 && !text.startsWith(key)) {
            return OptionalDouble.empty();
        }
        int end = text.indexOf('\n', start);
        String line = text.substring(start + key.length(), end < 0 ? text.length() : end);
        Matcher number = FIELD.matcher(line);
        return number.find() ? OptionalDouble.of(Double.parseDouble(number.group(1))) : OptionalDouble.empty();
    }

    private static final Pattern FIELD = Pattern.compile("^[:\\s]\\s*(\\d{1,18})(\\s|$)");

    private static final Pattern PRESSURE_TOTAL = Pattern.compile("^(some|full) .*\\btotal=(\\d{1,18})\\s*$",
            Pattern.MULTILINE);

    /** The total stall time of a PSI file's line {@code some} or {@code full}, in microseconds. */
    public static OptionalDouble pressureMicros(String text, String kind) {
        Matcher line = PRESSURE_TOTAL.matcher(text);
        while (line.find()) {
            if (line.group(1).equals(kind)) {
                return OptionalDouble.of(Double.parseDouble(line.group(2)));
            }
        }
        return OptionalDouble.empty();
    }

    /** A file that holds one number. */
    public static double number(String path, String text) throws IOException {
        String word = text.strip();
        if (!word.matches("\\d{1,19}")) {
            throw new IOException("expected a number in " + path + ", got \"" + word + "\"");
        }
        return Double.parseDouble(word);
    }

    /** How many CPUs a list such as {@code 0-3,8} names; 0 for an empty list. */
    public static int cpuCount(String list) {
        long count = 0;
        for (String part : list.strip().split(",")) {
            String[] ends = part.split("-");
            if (part.matches("\\d{1,5}")) {
                count++;
            } else if (part.matches("\\d{1,5}-\\d{1,5}")) {
                count += Math.max(0, Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1);
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, count);
    }
}

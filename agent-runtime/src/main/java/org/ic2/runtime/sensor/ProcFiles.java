// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.util.OptionalDouble;

/** The few text formats of {@code /proc} and {@code /sys/fs/cgroup}. */
public final class ProcFiles {

    private static final String TOTAL = " total=";
    private static final int MOST_DIGITS = 18;

    private ProcFiles() {
    }

    /** The number after a key at the start of a line: {@code MemTotal:  24684092 kB}, {@code usage_usec 174837921}. */
    public static OptionalDouble field(String text, String key) {
        int line = text.startsWith(key) ? 0 : text.indexOf("\n" + key) + 1;
        if (line == 0 && !text.startsWith(key)) {
            return OptionalDouble.empty();
        }
        while (isLonger(text, line + key.length())) {   // oom_kill_disable is another than oom_kill
            line = text.indexOf("\n" + key, line) + 1;
            if (line == 0) {
                return OptionalDouble.empty();
            }
        }
        int newline = text.indexOf('\n', line);
        int end = newline < 0 ? text.length() : newline;
        int colon = line + key.length();
        int from = colon < end && text.charAt(colon) == ':' ? colon + 1 : colon;
        int start = afterSpaces(text, from, end);
        int stop = start;
        while (stop < end && !isSpace(text.charAt(stop))) {
            stop++;
        }
        return from == colon && start == colon ? OptionalDouble.empty() : number(text, start, stop, MOST_DIGITS);
    }

    private static boolean isLonger(String text, int end) {
        return end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_' || text.charAt(end) == '(');
    }

    /** The total stall time of a PSI file's line {@code some} or {@code full}, in microseconds. */
    public static OptionalDouble pressureMicros(String text, String kind) {
        int line = text.startsWith(kind + " ") ? 0 : text.indexOf("\n" + kind + " ") + 1;
        if (line == 0 && !text.startsWith(kind + " ")) {
            return OptionalDouble.empty();
        }
        int newline = text.indexOf('\n', line);
        int end = newline < 0 ? text.length() : newline;
        int total = text.lastIndexOf(TOTAL, end - 1);
        int start = total + TOTAL.length();
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return total < line ? OptionalDouble.empty() : number(text, start, end, MOST_DIGITS);
    }

    /** A file that holds one number. */
    public static double number(String path, String text) throws IOException {
        String word = text.strip();
        return number(word, 0, word.length(), MOST_DIGITS + 1).orElseThrow(() ->
                new IOException("expected a number in " + path + ", got \"" + word + "\""));
    }

    private static OptionalDouble number(String text, int start, int end, int most) {
        String word = text.substring(start, end);
        return Decimals.are(word, most) ? OptionalDouble.of(Double.parseDouble(word)) : OptionalDouble.empty();
    }

    private static int afterSpaces(String text, int from, int end) {
        int start = from;
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        return start;
    }

    private static boolean isSpace(char letter) {
        return letter == ' ' || letter >= '\t' && letter <= '\r';
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

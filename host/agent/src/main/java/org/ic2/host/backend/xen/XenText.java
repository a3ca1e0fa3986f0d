// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.model.CpuSets;
import org.ic2.runtime.host.BoundedText;

/** What the parsers of Xen's tables have in common. */
final class XenText {
    private XenText() {
    }

    /**
     * The rows below a heading.
     *
     * @param command for the error
     * @param heading its words, whatever is between them
     * @throws IOException when the first line is another, or a row is not as it should be
     */
    static List<Matcher> rows(String command, String text, String heading, Pattern row) throws IOException {
        List<String> lines = BoundedText.lines(text, command);
        if (lines.isEmpty() || !words(lines.get(0)).equals(heading)) {
            throw new IOException(command + ": expected a table that begins with \"" + heading + "\", got "
                    + (lines.isEmpty() ? "nothing" : "\"" + BoundedText.brief(lines.get(0)) + "\""));
        }
        List<Matcher> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            rows.add(match(command, line, row));
        }
        return rows;
    }

    /** Columns are read from the right: a name on the left may hold blanks and figures. */
    static Matcher match(String command, String line, Pattern row) throws IOException {
        Matcher matcher = row.matcher(line);
        if (!matcher.matches()) {
            throw unknown(command, line);
        }
        return matcher;
    }

    static IOException unknown(String command, String line) {
        return new IOException(command + ": did not understand \"" + BoundedText.brief(line) + "\"");
    }

    static String words(String line) {
        return line.strip().replaceAll("\\s+", " ");
    }

    /** A number that fits. */
    static int number(String command, String word) throws IOException {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new IOException(command + ": expected a number, got \"" + BoundedText.brief(word) + "\"", e);
        }
    }

    /** A target as xl makes it of so many MiB: KiB without the memory of the guest's screen. Empty if it is none. */
    static OptionalInt mebibytes(String target, String video) {
        return target.matches("\\d{1,12}") && video.matches("\\d{1,9}")
                ? OptionalInt.of((int) Math.min(Integer.MAX_VALUE, (Long.parseLong(target) + Long.parseLong(video)) / 1024))
                : OptionalInt.empty();
    }

    /** The numbers of a list such as {@code 0-3,8}. */
    static List<Integer> cpus(String command, String list) throws IOException {
        try {
            return CpuSets.parse(list);
        } catch (IllegalArgumentException e) {
            throw new IOException(command + ": " + e.getMessage(), e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import java.util.ArrayList;
import java.util.List;

/** Texts as a terminal shows them: of columns instead of characters, and without what would command it. */
public final class DisplayText {

    /** First and last character of what takes two columns (East Asian Wide and Fullwidth, and pictures). */
    private static final int[][] WIDE = {{0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23f3}, {0x25fd, 0x25fe},
        {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267f, 0x267f}, {0x2693, 0x2693}, {0x26a1, 0x26a1}, {0x26aa, 0x26ab},
        {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce}, {0x26d4, 0x26d4}, {0x26ea, 0x26ea}, {0x26f2, 0x26f5},
        {0x26fa, 0x26fd}, {0x2705, 0x2705}, {0x270a, 0x270b}, {0x2728, 0x2728}, {0x274c, 0x274e}, {0x2753, 0x2757},
        {0x2795, 0x2797}, {0x27b0, 0x27bf}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b55}, {0x2e80, 0x303e}, {0x3041, 0x4dbf},
        {0x4e00, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19}, {0xfe30, 0xfe6f},
        {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004},
        {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f64f},
        {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1faff}, {0x20000, 0x3fffd}};
    /** Vowels and final consonants, which join the consonant before them. */
    private static final int FIRST_JOINING_JAMO = 0x1160;
    private static final int LAST_JOINING_JAMO = 0x11ff;

    private DisplayText() {
    }

    /**
     * The text without anything that a terminal would obey: names and reasons come from files and other machines. Breaks
     * become spaces; other controls, and what nobody could see, a question mark or nothing.
     */
    public static String clean(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            switch (Character.getType(point)) {
                case Character.CONTROL ->
                    safe.append(point == '\t' || point == '\n' || point == '\r' || point == '\u0085' ? ' ' : '?');
                case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> safe.append(' ');
                case Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> safe.append('?');
                // those of direction would turn the rest of the line around
                case Character.FORMAT -> { }
                default -> {
                    // these ask for another form of the character before, of another width
                    if (point != '\ufe0e' && point != '\ufe0f') {
                        safe.appendCodePoint(point);
                    }
                }
            }
        });
        return safe.toString();
    }

    /** How many columns a clean text takes. */
    public static int width(String text) {
        return text.codePoints().map(DisplayText::width).sum();
    }

    private static int width(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT
                || point >= FIRST_JOINING_JAMO && point <= LAST_JOINING_JAMO) {
            return 0;
        }
        for (int[] range : WIDE) {
            if (point >= range[0] && point <= range[1]) {
                return 2;
            }
        }
        return 1;
    }

    /** As much of a clean text as fits, with the ellipsis at its end if that is not all of it. */
    public static String cut(String text, int columns, String ellipsis) {
        if (width(text) <= columns) {
            return text;
        }
        String end = width(ellipsis) <= columns ? ellipsis : "";
        return head(text, columns - width(end)) + end;
    }

    private static String head(String text, int columns) {
        StringBuilder head = new StringBuilder();
        int taken = 0;
        for (int point : text.codePoints().toArray()) {
            taken += width(point);
            if (taken > columns) {
                break;
            }
            head.appendCodePoint(point);
        }
        return head.toString();
    }

    /** Clean texts in lines that are not wider, where that goes; the last line has all that is left. */
    public static List<String> wrap(List<String> pieces, int columns, int most) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String piece : pieces) {
            if (!line.isEmpty() && lines.size() < most - 1 && width(line + " " + piece) > columns) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(piece);
        }
        lines.add(line.toString());
        return lines;
    }
}

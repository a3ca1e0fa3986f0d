// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of {@code docs/} as the text of a manual page. It knows what those pages are written with, and refuses what it does
 * not know, so that nothing comes out mangled. Only used at build time.
 */
final class ManualText {

    private static final Pattern INLINE = Pattern.compile("`([^`]+)`|\\*\\*(.+?)\\*\\*|\\*([^* ][^*]*)\\*|\\[([^\\]]+)]\\(([^)]+)\\)");
    private static final Pattern UNKNOWN = Pattern.compile("(#{4,}|#[^#]|>|!\\[|\\d+\\. |<(?!!--)|---|===).*");
    private static final Pattern CELLS = Pattern.compile("(?<!\\\\)\\|");

    private final String source;
    private final StringBuilder roff = new StringBuilder();
    private final StringBuilder paragraph = new StringBuilder();
    private List<String> heads = List.of();
    private String before = ".PP";
    private boolean code;

    private ManualText(String source) {
        this.source = source;
    }

    /**
     * The page as sections of roff.
     *
     * @param source its name, for errors
     * @param page   without its title
     */
    static String of(String source, String page) {
        ManualText text = new ManualText(source);
        List<String> lines = page.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            text.line(lines.get(i), i + 1);
        }
        if (text.code) {
            throw text.unexpected(lines.size(), "an end of the code", "the end of the page");
        }
        text.flush();
        return text.roff.toString();
    }

    private void line(String line, int number) {
        String stripped = line.strip();
        if (stripped.startsWith("```")) {
            flush();
            code = !code;
            roff.append(code ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n");
        } else if (code) {
            roff.append(escape(line)).append('\n');
        } else if (stripped.startsWith("|")) {
            row(stripped, number);
        } else {
            heads = List.of();
            text(line, stripped, number);
        }
    }

    private void text(String line, String stripped, int number) {
        if (stripped.isEmpty()) {
            flush();
        } else if (stripped.startsWith("## ") || stripped.startsWith("### ")) {
            flush();
            boolean section = stripped.startsWith("## ");
            String title = stripped.replaceFirst("#+ ", "");
            roff.append(section ? ".SH \"" : ".SS \"").append(escape(section ? title.toUpperCase(Locale.ROOT) : title)).append("\"\n");
        } else if (stripped.startsWith("- ") || stripped.startsWith("* ")) {
            flush();
            before = ".IP \\(bu 2";
            paragraph.append(stripped.substring(2));
        } else if (UNKNOWN.matcher(stripped).matches()) {
            throw unexpected(number, "headings of two or three #, paragraphs, lists, tables and code", line);
        } else if (!stripped.startsWith("<!--") && !stripped.matches("(\\[[^]]+]\\(#[^)]+\\)( \u00b7 )?)+")) {
            paragraph.append(paragraph.isEmpty() ? "" : " ").append(stripped);
        }
    }

    private IllegalArgumentException unexpected(int number, String expected, String got) {
        return new IllegalArgumentException(source + ":" + number + ": expected " + expected + ", got \"" + got
                + "\"; teach ManualText, or write it otherwise");
    }

    private void flush() {
        if (!paragraph.isEmpty()) {
            roff.append(before).append('\n').append(inline(paragraph.toString())).append('\n');
            paragraph.setLength(0);
        }
        before = ".PP";
    }

    /** A row as a paragraph: its first cell, then the others with their heads, but for the last one that only explains. */
    private void row(String line, int number) {
        flush();
        List<String> cells = Arrays.stream(CELLS.split(line.substring(1))).map(cell -> cell.strip().replace("\\|", "|")).toList();
        if (heads.isEmpty()) {
            heads = cells;
        } else if (cells.size() > heads.size()) {
            throw unexpected(number, heads.size() + " cells", line);
        } else if (!cells.get(0).matches("-+")) {
            roff.append(".TP\n").append(bold(cells.get(0))).append('\n');
            List<String> rest = new ArrayList<>();
            for (int i = 1; i < cells.size(); i++) {
                if (!cells.get(i).isEmpty()) {
                    rest.add((List.of("meaning", "is", "situation").contains(heads.get(i)) ? "" : "\\fI" + escape(heads.get(i)) + ":\\fR ")
                            + inline(cells.get(i)));
                }
            }
            roff.append(rest.isEmpty() ? "\\&" : String.join("\n.br\n", rest)).append('\n');
        }
    }

    private static String bold(String cell) {
        return cell.contains("`") ? inline(cell) : "\\fB" + escape(cell) + "\\fR";
    }

    private static String inline(String text) {
        StringBuilder roff = new StringBuilder();
        Matcher mark = INLINE.matcher(text);
        int end = 0;
        while (mark.find()) {
            roff.append(escape(text.substring(end, mark.start())));
            end = mark.end();
            if (mark.group(1) != null) {
                roff.append("\\fB").append(escape(mark.group(1))).append("\\fR");
            } else if (mark.group(2) != null) {
                roff.append("\\fB").append(inline(mark.group(2))).append("\\fR");
            } else if (mark.group(3) != null) {
                roff.append("\\fI").append(inline(mark.group(3))).append("\\fR");
            } else {
                String page = mark.group(5).replaceFirst("#.*", "");
                roff.append(inline(mark.group(4))).append(page.isEmpty() || page.equals(mark.group(4)) ? "" : " (" + escape(page) + ")");
            }
        }
        String all = roff.append(escape(text.substring(end))).toString();
        return all.startsWith(".") || all.startsWith("'") ? "\\&" + all : all;
    }

    /** Any text as roff. */
    static String escape(String text) {
        StringBuilder safe = new StringBuilder();
        text.codePoints().forEach(point -> {
            switch (point) {
                case '\\' -> safe.append("\\e");
                case '-' -> safe.append("\\-");
                case '\'' -> safe.append("\\(aq");
                case '"' -> safe.append("\\(dq");
                case '^' -> safe.append("\\(ha");
                case '~' -> safe.append("\\(ti");
                case '`' -> safe.append("\\(ga");
                default -> {
                    if (point < 0x7f) {
                        safe.appendCodePoint(point);
                    } else {
                        safe.append(String.format(Locale.ROOT, "\\[u%04X]", point));
                    }
                }
            }
        });
        return safe.toString().startsWith(".") ? "\\&" + safe : safe.toString();
    }
}

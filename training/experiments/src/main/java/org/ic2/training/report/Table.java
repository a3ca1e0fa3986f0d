// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.List;

/**
 * A table of the report, for HTML and for Markdown.
 *
 * @param title its heading
 * @param text  how to read it
 * @param head  the columns
 * @param rows  the cells; the first sign may be {@code +}, {@code !} or {@code =} as in {@link Html}
 * @param notes what must be said of some rows
 */
public record Table(String title, String text, List<String> head, List<List<String>> rows, List<String> notes) {
    /** A table that speaks for itself. */
    public Table(String title, String text, List<String> head, List<List<String>> rows) {
        this(title, text, head, rows, List.of());
    }

    /** As Markdown. */
    public String markdown() {
        StringBuilder text = new StringBuilder("### " + title + "\n\n" + this.text + "\n\n| " + String.join(" | ", head) + " |\n|"
                + "---|".repeat(head.size()) + "\n");
        for (List<String> row : rows) {
            text.append("| ").append(String.join(" | ", row.stream().map(Table::plain).toList())).append(" |\n");
        }
        notes.forEach(note -> text.append("\n").append(note).append("\n"));
        return text.append('\n').toString();
    }

    private static String plain(String cell) {
        boolean signed = cell.startsWith("+") || cell.startsWith("!") || cell.startsWith("=");
        return (signed ? cell.substring(1) : cell).replace("|", "\\|");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.ArrayList;
import java.util.List;

/** A table in text: two blanks between columns, the first column left-aligned, the others right-aligned. */
final class TextTable {
    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>();

    TextTable(String... header) {
        rows.add(header);
    }

    void row(String... cells) {
        rows.add(cells);
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            for (int i = 0; i < widths.length; i++) {
                String cell = rows.get(r)[i];
                String pad = " ".repeat(widths[i] - cell.length());
                text.append(i == 0 ? cell + pad : GAP + pad + cell);
            }
            text.append('\n');
            if (r == 0) {
                for (int i = 0; i < widths.length; i++) {
                    text.append(i == 0 ? "" : GAP).append("-".repeat(widths[i]));
                }
                text.append('\n');
            }
        }
        return text.toString();
    }
}

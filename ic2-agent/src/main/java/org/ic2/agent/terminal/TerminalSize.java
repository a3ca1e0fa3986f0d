// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.terminal;

/** Columns and rows of a terminal. */
public record TerminalSize(int columns, int rows) {

    /** What a terminal has that does not say. */
    public static final TerminalSize USUAL = new TerminalSize(80, 24);
    private static final int MOST = 2000;

    /** What {@code stty size} says, "rows columns"; one without a size says 0 of each. */
    static TerminalSize parse(String said) {
        if (!said.matches("\\d{1,5} \\d{1,5}")) {
            return USUAL;
        }
        String[] both = said.split(" ");
        int rows = Integer.parseInt(both[0]);
        int columns = Integer.parseInt(both[1]);
        return rows < 1 || columns < 1 ? USUAL : new TerminalSize(Math.min(columns, MOST), Math.min(rows, MOST));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.terminal;

import org.ic2.agent.terminal.Ink.Hue;
import org.ic2.runtime.cli.DisplayText;

/** A row of a terminal that is written from left to right, and never becomes wider than it. */
public final class TextRow {

    private final Ink ink;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder piece = new StringBuilder();
    private final int columns;
    private int taken;
    private Hue hue = Hue.PLAIN;

    public TextRow(int columns, Ink ink) {
        this.columns = columns;
        this.ink = ink;
    }

    public TextRow add(String what) {
        return add(what, Hue.PLAIN);
    }

    /** Adds a text of anybody's, as far as there is room. */
    public TextRow add(String what, Hue colour) {
        String shown = DisplayText.cut(visible(what), columns - taken, ink.ellipsis());
        taken += DisplayText.width(shown);
        if (colour != hue) {
            end();
            hue = colour;
        }
        piece.append(shown);
        return this;
    }

    private String visible(String what) {
        String clean = DisplayText.clean(what);
        return ink.unicode() ? clean : clean.replaceAll("[^\\x20-\\x7e]", "?");
    }

    /** Leaves room up to a column, and one column at least. */
    public TextRow column(int column) {
        return add(" ".repeat(Math.max(0, Math.min(columns - taken, Math.max(1, column - taken)))));
    }

    /** The same with a text that ends before the column. */
    public TextRow right(String what, int column) {
        return add(" ".repeat(Math.max(0, Math.min(columns - taken, column - taken - DisplayText.width(visible(what))))))
                .add(what);
    }

    private void end() {
        text.append(ink.paint(piece.toString(), hue));
        piece.setLength(0);
    }

    /** The row, with the colours' sequences. */
    @Override
    public String toString() {
        end();
        return text.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ic2.training.evaluate.Estimate;

/** Figures for people. */
public final class Words {
    /** What every terminal has. */
    private static final int COLUMNS = 80;
    private static final int LABEL = 13;
    private static final double PERCENT = 100;
    /** Per cent that are shown as none, and with a decimal. */
    private static final double MIN_SHOWN = 0.05;
    private static final double MAX_WITH_DECIMAL = 9.95;

    private Words() {
    }

    /** {@code -32 % (-40 to -25)}, {@code -32 % (one run)}. */
    public static String percent(Estimate change) {
        if (!Double.isFinite(change.value())) {
            return "-";
        }
        String spread = change.known() ? " (" + sign(change.low()) + " to " + sign(change.high()) + ")"
                : change.runs() == 1 ? " (one run)" : "";
        return sign(change.value()) + " %" + spread;
    }

    private static String sign(double share) {
        double percent = PERCENT * share;
        return Math.abs(percent) < MIN_SHOWN ? "0" : number(Math.abs(percent) < MAX_WITH_DECIMAL ? "%+.1f" : "%+.0f", percent);
    }

    /** The same as a cell of a table: good, bad, or not to be told from zero. */
    public static String judged(Estimate change, boolean lessIsBetter) {
        double direction = lessIsBetter ? 1 : -1;
        if (!change.known()) {
            return "=" + percent(change);
        }
        boolean less = direction * change.low() < 0 && direction * change.high() < 0;
        boolean more = direction * change.low() > 0 && direction * change.high() > 0;
        return (less ? "+" : more ? "!" : "=") + percent(change);
    }

    /** A number in this format, a dash if there is none. */
    public static String number(String format, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "-";
    }

    /** {@code 12.3 %} of a share, a dash if there is none. */
    public static String percent(double share, int decimals) {
        return number("%." + decimals + "f %%", PERCENT * share);
    }

    /** {@code 60 s}, {@code 7.5 s}. */
    public static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }

    /** A label with the room that all labels of some lines have. */
    public static String label(String text) {
        return String.format(Locale.ROOT, "%-" + LABEL + "s", text);
    }

    /** Text behind a label, in lines that a terminal does not break. */
    public static List<String> wrapped(String label, String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(label);
        for (String word : text.split(" ")) {
            boolean first = line.length() == label.length();
            if (!first && line.length() + 1 + word.length() > COLUMNS) {
                lines.add(line.toString());
                line = new StringBuilder(" ".repeat(label.length()));
                first = true;
            }
            line.append(first ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** {@code 1 period}, {@code 2 periods}. */
    public static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}

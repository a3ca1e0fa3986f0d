// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Several panels over the same time as one SVG: lines, bands of states, lanes of steps, and marks that lead to their explanation.
 * Who cannot see it is told the marks, as links, and nothing of the lines.
 */
public final class TimeChart {
    private static final int WIDTH = 1040;
    private static final int LEFT = 96;
    private static final int RIGHT = 14;
    private static final int TOP = 26;
    private static final int GAP = 12;
    private static final int PANEL = 170;
    private static final int MARKS = 112;
    private static final int STEPS = 24;
    private static final int BAND_HEIGHT = 20;
    private static final double LETTER_WIDTH = 6.2;
    private static final int BOTTOM = 40;
    private static final int LEGEND_STEP = 210;
    private static final double LEAST_DISTANCE = 11;

    /** A line of a panel; it is broken where y is missing. */
    public record Line(String name, String colour, double[] x, double[] y) {
    }

    /**
     * A moment.
     *
     * @param x       when
     * @param text    beside it
     * @param tooltip when the pointer rests on it
     * @param target  the id of the element that explains it; empty if there is none
     */
    public record Mark(double x, String text, String tooltip, String target) {
    }

    /**
     * A part of a band.
     *
     * @param text what was the case, in a word
     */
    public record Part(double from, double to, String text, String colour) {
    }

    private record Stretch(double from, double to) {
    }

    private final double length;
    private final List<Stretch> stretches = new ArrayList<>();
    private final StringBuilder body = new StringBuilder();
    private final StringBuilder links = new StringBuilder();
    private final List<String> shown = new ArrayList<>();
    private int y = TOP;

    /**
     * An empty chart.
     *
     * @param seconds from the left end to the right one
     */
    public TimeChart(double seconds) {
        length = Math.max(1, seconds);
    }

    /** A stretch in another colour, over all panels. */
    public TimeChart shade(double from, double to) {
        stretches.add(new Stretch(from, to));
        return this;
    }

    /** The names and colours of the lines, above the first panel. */
    public TimeChart legend(List<Line> lines) {
        for (int i = 0; i < lines.size(); i++) {
            add("<rect x=\"%d\" y=\"6\" width=\"10\" height=\"10\" fill=\"%s\"/>%n", LEFT + i * LEGEND_STEP, lines.get(i).colour());
            add("<text x=\"%d\" y=\"15\">%s</text>%n", LEFT + 14 + i * LEGEND_STEP, Html.escaped(lines.get(i).name()));
        }
        return this;
    }

    /** A panel of lines, from zero. */
    public TimeChart panel(String label, List<Line> lines) {
        Axis axis = Axis.around(lines.stream().flatMapToDouble(line -> Arrays.stream(line.y())).filter(Double::isFinite).toArray(),
                true);
        for (double value : axis.marks()) {
            double at = high(axis, value);
            add("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dde3ea\"/>%n", LEFT, WIDTH - RIGHT, at, at);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n", LEFT - 6, at + 4, axis.text(value));
        }
        for (Line line : lines) {
            draw(line, axis);
        }
        shown.add(label);
        add("<path class=\"axis\" d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#567\"/>%n", LEFT, y, y + PANEL, WIDTH - RIGHT);
        add("<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n", y + PANEL / 2,
                Html.escaped(label));
        y += PANEL + GAP;
        return this;
    }

    private void draw(Line line, Axis axis) {
        StringBuilder path = new StringBuilder();
        boolean pen = false;
        for (int i = 0; i < line.x().length; i++) {
            boolean known = Double.isFinite(line.y()[i]);
            if (known) {
                path.append(String.format(Locale.ROOT, "%s%.1f %.1f", pen ? "L" : "M", place(line.x()[i]), high(axis, line.y()[i])));
            }
            pen = known;
        }
        add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\"/>%n", path, line.colour());
    }

    private double high(Axis axis, double value) {
        return y + PANEL - (value - axis.low()) / (axis.high() - axis.low()) * PANEL;
    }

    /** What was the case when, by a word and a colour. */
    public TimeChart band(String label, List<Part> parts) {
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n", LEFT - 6, y + BAND_HEIGHT - 6, Html.escaped(label));
        for (Part part : parts) {
            double from = place(part.from());
            double wide = place(part.to()) - from;
            add("<g><title>%s</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", Html.escaped(part.text()),
                    from, y, wide, BAND_HEIGHT, part.colour());
            if (wide >= 8 + LETTER_WIDTH * part.text().length()) {
                add("<text class=\"ink\" x=\"%.1f\" y=\"%d\">%s</text>", from + 4, y + BAND_HEIGHT - 6, Html.escaped(part.text()));
            }
            add("</g>%n");
        }
        y += BAND_HEIGHT + 4;
        return this;
    }

    /** Moments, each a line through all panels above it; where they are too close to each other, not all have their text. */
    public TimeChart marks(String label, String colour, List<Mark> marks) {
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-weight=\"bold\">%s</text>%n", LEFT - 6, y + MARKS - 6, Html.escaped(label));
        double last = Double.NEGATIVE_INFINITY;
        for (Mark mark : marks) {
            double x = place(mark.x());
            boolean room = x - last >= LEAST_DISTANCE;
            add("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"2 4\" opacity=\".55\"/>%n", x,
                    x, TOP, y, colour);
            StringBuilder into = mark.target().isEmpty() ? body : links;
            String tooltip = Html.escaped(mark.tooltip());
            add(into, into == body ? "<g>" : "<a href=\"#%s\" aria-label=\"%s\">", mark.target(), tooltip);
            add(into, "<title>%s</title><line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>", tooltip, x, x,
                    room ? y + MARKS - 12 : y + MARKS - 8, y + MARKS, colour);
            if (room) {
                add(into, "<text transform=\"translate(%.1f %d) rotate(-90)\">%s</text>", x + 4, y + MARKS - 15, Html.escaped(mark.text()));
                last = x;
            }
            add(into, into == body ? "</g>%n" : "</a>%n");
        }
        y += MARKS + 4;
        return this;
    }

    /**
     * A lane with the steps of a value.
     *
     * @param x   when it became what y says
     * @param low the least value that it can have
     */
    public TimeChart steps(String label, String colour, double[] x, double[] values, double low, double high) {
        double span = high > low ? high - low : 1;
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n", LEFT - 6, y + STEPS - 7, Html.escaped(label));
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < x.length; i++) {
            double at = y + STEPS - 4 - (values[i] - low) / span * (STEPS - 8);
            path.append(String.format(Locale.ROOT, i == 0 ? "M%.1f %.1f" : "H%.1fV%.1f", place(x[i]), at));
        }
        add("<path d=\"%sH%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>%n", path, WIDTH - RIGHT, colour);
        add("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#dde3ea\"/>%n", LEFT, WIDTH - RIGHT, y + STEPS, y + STEPS);
        y += STEPS;
        return this;
    }

    /** Free room below a group of lanes. */
    public TimeChart gap() {
        y += GAP;
        return this;
    }

    private double place(double seconds) {
        return LEFT + Math.max(0, Math.min(length, seconds)) / length * (WIDTH - LEFT - RIGHT);
    }

    /** The picture. */
    public String svg() {
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                + "%d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\" role=\"group\" aria-label=\"%s\">%n"
                + "<g aria-hidden=\"true\">%n",
                WIDTH, y + BOTTOM, WIDTH, y + BOTTOM, Html.escaped("over time: " + String.join("; ", shown))));
        for (Stretch one : stretches) {
            svg.append(String.format(Locale.ROOT, "<rect class=\"interference\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
                    + "fill=\"#f4e3df\"/>%n", place(one.from()), TOP, place(one.to()) - place(one.from()), y - TOP));
        }
        Axis axis = Axis.around(new double[] {0, length}, true);
        svg.append(body);
        for (double value : axis.marks()) {
            if (value <= length) {
                svg.append(String.format(Locale.ROOT, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#567\"/>"
                        + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n", place(value), place(value), y, y + 5,
                        place(value), y + 17, axis.text(value)));
            }
        }
        return svg.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time, s</text>%n</g>%n%s</svg>%n",
                (LEFT + WIDTH) / 2, y + 33, links)).toString();
    }

    private void add(String format, Object... values) {
        add(body, format, values);
    }

    private static void add(StringBuilder into, String format, Object... values) {
        into.append(String.format(Locale.ROOT, format, values));
    }
}

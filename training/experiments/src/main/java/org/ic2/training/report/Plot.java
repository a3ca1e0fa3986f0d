// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A plot as SVG: lines, points with or without their spread, shaded stretches, levels to compare with. */
public final class Plot {
    private static final int USUAL_WIDTH = 860;
    private static final int USUAL_HEIGHT = 260;
    private static final int LEFT = 62;
    private static final int RIGHT = 14;
    private static final int TOP = 30;
    private static final int BOTTOM = 44;
    private static final int LEGEND_STEP = 150;
    private static final int SIDE_STEP = 10;

    /** How the points of a series stand: by themselves, joined, or joined and beside those of the others. */
    private enum Form { POINTS, CURVE, BESIDE }

    private record Series(String name, String colour, double[] x, double[] y, double[] low, double[] high, Form form) {
        boolean joined() {
            return form != Form.POINTS;
        }
    }

    private record Stretch(double from, double to, String colour) {
    }

    private record Level(double value, String text) {
    }

    private final String xLabel;
    private final String yLabel;
    private final List<Series> series = new ArrayList<>();
    private final List<Stretch> stretches = new ArrayList<>();
    private final List<Level> levels = new ArrayList<>();
    private List<String> ticks = List.of();
    private int width = USUAL_WIDTH;
    private int height = USUAL_HEIGHT;

    /** An empty plot. */
    public Plot(String xLabel, String yLabel) {
        this.xLabel = xLabel;
        this.yLabel = yLabel;
    }

    /** A line; it is broken where y is missing. */
    public Plot line(String name, String colour, double[] x, double[] y) {
        series.add(new Series(name, colour, x, y, y, y, Form.CURVE));
        return this;
    }

    /** Points, each with its spread where that is known. */
    public Plot points(String name, String colour, double[] x, double[] y, double[] low, double[] high) {
        series.add(new Series(name, colour, x, y, low, high, Form.POINTS));
        return this;
    }

    /** Points, joined by a line, each with its spread. */
    public Plot curve(String name, String colour, double[] x, double[] y, double[] low, double[] high) {
        series.add(new Series(name, colour, x, y, low, high, Form.CURVE));
        return this;
    }

    /** The same, but beside the points of the other series, so that their spreads can be told apart; needs {@link #ticks}. */
    public Plot sideBySide(String name, String colour, double[] x, double[] y, double[] low, double[] high) {
        series.add(new Series(name, colour, x, y, low, high, Form.BESIDE));
        return this;
    }

    /** A stretch of x in a colour. */
    public Plot shade(double from, double to, String colour) {
        stretches.add(new Stretch(from, to, colour));
        return this;
    }

    /** A dashed level with a word. */
    public Plot level(double y, String text) {
        levels.add(new Level(y, text));
        return this;
    }

    /** Words below x = 0, 1, 2, ... instead of numbers. */
    public Plot ticks(List<String> words) {
        ticks = List.copyOf(words);
        return this;
    }

    /** The picture. */
    public String svg() {
        return picture("xmlns=\"http://www.w3.org/2000/svg\"", true);
    }

    /** The picture as a part of another one, without a legend. */
    String part(int x, int y, int wide, int high) {
        width = wide;
        height = high;
        return picture("x=\"" + x + "\" y=\"" + y + "\"", false);
    }

    /** The names of the series and their colours, in order. */
    Map<String, String> legend() {
        Map<String, String> colours = new LinkedHashMap<>();
        series.forEach(one -> colours.put(one.name(), one.colour()));
        return colours;
    }

    private String picture(String where, boolean withLegend) {
        Axis x = ticks.isEmpty() ? Axis.around(all(true), false) : new Axis(-0.5, ticks.size() - 0.5, 1);
        Axis y = Axis.around(all(false), true);
        StringBuilder svg = new StringBuilder(String.format("<svg %s viewBox=\"0 0 %d %d\" "
                + "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"%s\">%n",
                where, width, height, width, height, Html.escaped(yLabel + " by " + xLabel)));
        for (Stretch one : stretches) {
            double from = place(x, Math.max(one.from(), x.low()));
            double to = place(x, Math.min(one.to(), x.high()));
            if (to > from) {
                add(svg, "<rect class=\"stretch\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n", from, TOP, to - from,
                        height - TOP - BOTTOM, one.colour());
            }
        }
        axes(svg, x, y);
        for (Level one : levels) {
            add(svg, "<line class=\"level\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#889\" stroke-dasharray=\"5 4\"/>%n", LEFT,
                    width - RIGHT, high(y, one.value()), high(y, one.value()));
            add(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#556\">%s</text>%n", width - RIGHT - 2,
                    high(y, one.value()) - 3, Html.escaped(one.text()));
        }
        for (int i = 0; i < series.size(); i++) {
            draw(svg, series.get(i), x, y, i);
            if (withLegend) {
                add(svg, "<rect x=\"%d\" y=\"8\" width=\"10\" height=\"10\" fill=\"%s\"/>%n", LEFT + i * LEGEND_STEP,
                        series.get(i).colour());
                add(svg, "<text x=\"%d\" y=\"17\">%s</text>%n", LEFT + 14 + i * LEGEND_STEP, Html.escaped(series.get(i).name()));
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private double[] all(boolean horizontal) {
        List<Double> values = new ArrayList<>();
        for (Series one : series) {
            for (int i = 0; i < one.x().length; i++) {
                if (horizontal) {
                    values.add(one.x()[i]);
                } else {
                    values.addAll(List.of(one.y()[i], one.low()[i], one.high()[i]));
                }
            }
        }
        if (!horizontal) {
            levels.forEach(level -> values.add(level.value()));
        }
        return values.stream().mapToDouble(Double::doubleValue).filter(Double::isFinite).toArray();
    }

    private void axes(StringBuilder svg, Axis x, Axis y) {
        for (double value : y.marks()) {
            add(svg, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dde3ea\"/>%n", LEFT, width - RIGHT,
                    high(y, value), high(y, value));
            add(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n", LEFT - 6, high(y, value) + 4, y.text(value));
        }
        for (double value : x.marks()) {
            String word = ticks.isEmpty() ? x.text(value) : value >= 0 && value < ticks.size() ? ticks.get((int) value) : "";
            add(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n", place(x, value), height - BOTTOM + 16,
                    Html.escaped(word));
        }
        add(svg, "<path class=\"axis\" d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#567\"/>%n", LEFT, TOP, height - BOTTOM, width - RIGHT);
        add(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>%n", (LEFT + width) / 2, height - 8,
                Html.escaped(xLabel));
        add(svg, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n",
                (TOP + height - BOTTOM) / 2, Html.escaped(yLabel));
    }

    private void draw(StringBuilder svg, Series one, Axis x, Axis y, int index) {
        StringBuilder path = new StringBuilder();
        boolean pen = false;
        for (int i = 0; i < one.x().length; i++) {
            if (!Double.isFinite(one.y()[i])) {
                pen = false;
                continue;
            }
            double across = place(x, one.x()[i]) + (one.form() == Form.CURVE || ticks.isEmpty() ? 0
                    : SIDE_STEP * (index - (series.size() - 1) / 2.0));
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", pen ? "L" : "M", across, high(y, one.y()[i])));
            pen = true;
            boolean spread = Double.isFinite(one.low()[i]) && one.high()[i] > one.low()[i];
            if (spread) {
                add(svg, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"1.5\"/>%n", across,
                        across, high(y, one.low()[i]), high(y, one.high()[i]), one.colour());
            }
            if (spread || one.form() != Form.CURVE) {
                add(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n", across, high(y, one.y()[i]), one.colour());
            }
        }
        if (one.joined()) {
            add(svg, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\"/>%n", path, one.colour());
        }
    }

    private double place(Axis axis, double value) {
        return LEFT + (value - axis.low()) / (axis.high() - axis.low()) * (width - LEFT - RIGHT);
    }

    private double high(Axis axis, double value) {
        return height - BOTTOM - (value - axis.low()) / (axis.high() - axis.low()) * (height - TOP - BOTTOM);
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}

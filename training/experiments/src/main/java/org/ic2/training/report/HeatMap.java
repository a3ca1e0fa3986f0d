// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A figure over two parameters as SVG: a cell for each pair of values, the darker the greater, with its number in it. */
public final class HeatMap {
    private static final int LEFT = 90;
    private static final int TOP = 34;
    private static final int BOTTOM = 44;
    private static final int CELL_WIDTH = 96;
    private static final int CELL_HEIGHT = 40;
    private static final int[] LIGHT = {247, 243, 234};
    private static final int[] DARK = {140, 45, 40};
    /** From here on the ground is too dark for dark letters. */
    private static final double WHITE_FROM = 0.55;

    private final String title;
    private final String xLabel;
    private final List<String> columns;
    private final String yLabel;
    private final List<String> rows;
    private final double[][] values;

    /**
     * A map.
     *
     * @param columns words below the columns
     * @param rows    words beside the rows, from top to bottom
     * @param values  by row and column; NaN where there is none
     */
    public HeatMap(String title, String xLabel, List<String> columns, String yLabel, List<String> rows, double[][] values) {
        this.title = title;
        this.xLabel = xLabel;
        this.columns = List.copyOf(columns);
        this.yLabel = yLabel;
        this.rows = List.copyOf(rows);
        this.values = values;
    }

    /**
     * The picture.
     *
     * @param low  what is lightest; maps that are compared have the same
     * @param high what is darkest
     */
    public String svg(double low, double high) {
        int width = LEFT + CELL_WIDTH * columns.size() + 14;
        int height = TOP + CELL_HEIGHT * rows.size() + BOTTOM;
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                + "height=\"%d\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"%s\">%n", width, height, width, height,
                Html.escaped(title)));
        text(svg, LEFT, 20, "start", title);
        for (int row = 0; row < rows.size(); row++) {
            text(svg, LEFT - 6, TOP + CELL_HEIGHT * row + CELL_HEIGHT / 2 + 4, "end", rows.get(row));
            for (int column = 0; column < columns.size(); column++) {
                cell(svg, row, column, share(values[row][column], low, high));
            }
        }
        for (int column = 0; column < columns.size(); column++) {
            text(svg, LEFT + CELL_WIDTH * column + CELL_WIDTH / 2, TOP + CELL_HEIGHT * rows.size() + 16, "middle", columns.get(column));
        }
        text(svg, LEFT + CELL_WIDTH * columns.size() / 2, height - 8, "middle", xLabel);
        svg.append(String.format(Locale.ROOT, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n",
                TOP + CELL_HEIGHT * rows.size() / 2, Html.escaped(yLabel)));
        return svg.append("</svg>\n").toString();
    }

    /** The least and the greatest of these values; NaN and NaN if there are none. */
    public static double[] range(double[][]... maps) {
        double[] known = Arrays.stream(maps).flatMap(Arrays::stream).flatMapToDouble(Arrays::stream).filter(Double::isFinite).toArray();
        return new double[] {Arrays.stream(known).min().orElse(Double.NaN), Arrays.stream(known).max().orElse(Double.NaN)};
    }

    private static double share(double value, double low, double high) {
        return !Double.isFinite(value) ? Double.NaN : high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 0;
    }

    private void cell(StringBuilder svg, int row, int column, double share) {
        int x = LEFT + CELL_WIDTH * column;
        int y = TOP + CELL_HEIGHT * row;
        svg.append(String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#fff\"/>%n", x, y, CELL_WIDTH, CELL_HEIGHT,
                colour(share)));
        svg.append(String.format(Locale.ROOT, "<text class=\"%s\" style=\"fill:%s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>%n", "cell",
                share > WHITE_FROM ? "#fff" : "#1d2733", x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2 + 4, number(values[row][column])));
    }

    private static String number(double value) {
        return !Double.isFinite(value) ? "-" : String.format(Locale.ROOT, Math.abs(value) >= 10 ? "%.1f" : "%.3f", value);
    }

    private static String colour(double share) {
        if (Double.isNaN(share)) {
            return "#d5dbe3";
        }
        int[] mixed = new int[LIGHT.length];
        Arrays.setAll(mixed, i -> (int) Math.round(LIGHT[i] + share * (DARK[i] - LIGHT[i])));
        return String.format(Locale.ROOT, "#%02x%02x%02x", mixed[0], mixed[1], mixed[2]);
    }

    private static void text(StringBuilder svg, int x, int y, String anchor, String words) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, Html.escaped(words)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Several plots with the same series as one SVG file: a title, one legend, three panels a row. */
public final class PlotGrid {
    private static final int COLUMNS = 3;
    private static final int PLOT_WIDTH = 320;
    private static final int PLOT_HEIGHT = 220;
    private static final int GAP = 14;
    private static final int TITLE = 34;
    private static final int LEGEND_LINE = 18;

    private final String title;
    private final List<Plot> plots = new ArrayList<>();

    /** An empty grid. */
    public PlotGrid(String title) {
        this.title = title;
    }

    /** One more panel. */
    public PlotGrid add(Plot plot) {
        plots.add(plot);
        return this;
    }

    /** The picture, a whole SVG file. */
    public String svg() {
        Map<String, String> legend = plots.get(0).legend();
        int head = TITLE + LEGEND_LINE * legend.size();
        int rows = (plots.size() + COLUMNS - 1) / COLUMNS;
        int width = COLUMNS * (PLOT_WIDTH + GAP) + GAP;
        int height = head + rows * (PLOT_HEIGHT + GAP);
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                + "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">%n<rect width=\"%d\" height=\"%d\" "
                + "fill=\"white\"/>%n<text x=\"%d\" y=\"22\" font-size=\"15\" font-weight=\"bold\">%s</text>%n", width, height, width,
                height, width, height, GAP, Html.escaped(title)));
        int y = TITLE + 6;
        for (Map.Entry<String, String> one : legend.entrySet()) {
            svg.append(String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                    + "<text x=\"%d\" y=\"%d\">%s</text>%n", GAP, y - 9, one.getValue(), GAP + 18, y, Html.escaped(one.getKey())));
            y += LEGEND_LINE;
        }
        for (int i = 0; i < plots.size(); i++) {
            svg.append(plots.get(i).part(GAP + i % COLUMNS * (PLOT_WIDTH + GAP), head + i / COLUMNS * (PLOT_HEIGHT + GAP), PLOT_WIDTH, PLOT_HEIGHT));
        }
        return svg.append("</svg>\n").toString();
    }
}

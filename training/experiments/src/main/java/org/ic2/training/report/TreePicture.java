// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import java.util.Locale;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.knowledge.tree.TreeNode;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;

/** A tree as an SVG picture: tests as boxes, answers in the colour of their class, the line's width its weight. */
public final class TreePicture {
    private static final int NODE_WIDTH = 150;
    private static final int NODE_HEIGHT = 88;
    private static final int BOX_WIDE = 140;
    private static final int BOX_HIGH = 40;
    private static final int MARGIN = 12;

    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder boxes = new StringBuilder();
    private final double total;
    private int leaves;
    private int depth;

    private TreePicture(double total) {
        this.total = total;
    }

    /** The picture, a whole SVG file. */
    public static String svg(DecisionTree tree) {
        TreePicture picture = new TreePicture(tree.root().weight());
        picture.place(tree.root(), 0);
        int width = picture.leaves * NODE_WIDTH + 2 * MARGIN;
        int height = picture.depth * NODE_HEIGHT + BOX_HIGH + 2 * MARGIN;
        return ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                + "font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"decision tree\">%n").formatted(width,
                height, width, height) + picture.lines + picture.boxes + "</svg>\n";
    }

    /** Draws a node and what is below it; returns its middle. */
    private double place(TreeNode node, int level) {
        depth = Math.max(depth, level);
        if (node instanceof Leaf leaf) {
            double middle = MARGIN + (leaves++ + 0.5) * NODE_WIDTH;
            String share = leaf.counts().isEmpty() ? "" : "%s, %.0f %% sure".formatted(number(leaf.weight()),
                    100 * leaf.share(leaf.label()));
            box(middle, level, LabelColour.of(leaf.label()), leaf.label().name().replace('_', ' '), share);
            return middle;
        }
        Split split = (Split) node;
        double left = place(split.le(), level + 1);
        double right = place(split.gt(), level + 1);
        double middle = (left + right) / 2;
        line(middle, left, level, split.le().weight(), "\u2264");
        line(middle, right, level, split.gt().weight(), ">");
        box(middle, level, "#eef1f5", split.attribute().name(), number(split.threshold()));
        return middle;
    }

    private void line(double from, double to, int level, double weight, String sign) {
        double top = MARGIN + level * NODE_HEIGHT + BOX_HIGH;
        double bottom = MARGIN + (level + 1) * NODE_HEIGHT;
        lines.append(String.format(Locale.ROOT, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#789\" "
                + "stroke-width=\"%.1f\"/>%n", from, top, to, bottom, 1 + 6 * (total > 0 ? weight / total : 0)));
        lines.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>%n",
                (from + to) / 2 + (to < from ? -12 : 12), (top + bottom) / 2, sign.equals(">") ? "&gt;" : sign));
    }

    private void box(double middle, int level, String colour, String first, String second) {
        double top = MARGIN + level * NODE_HEIGHT;
        boxes.append(String.format(Locale.ROOT, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" "
                + "stroke=\"#567\"/>%n", middle - BOX_WIDE / 2.0, top, BOX_WIDE, BOX_HIGH, colour));
        boxes.append(String.format(Locale.ROOT, "<text class=\"ink\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>%n", middle,
                top + 16, first));
        boxes.append(String.format(Locale.ROOT, "<text class=\"ink\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>%n", middle,
                top + 31, second));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.0f" : "%.4g", value);
    }
}

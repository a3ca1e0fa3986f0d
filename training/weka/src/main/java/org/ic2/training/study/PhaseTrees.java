// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Harm;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Fitted;
import org.ic2.training.fit.Phases;
import org.ic2.training.fit.Product;

/** The trees of the paper's three phases (section 4), in the order in which they are recorded: each is written before the next begins. */
final class PhaseTrees {
    private final Path folder;
    private final String attributes;
    private final double leastHarm;
    private final long seed;
    private Harm harm;
    private List<Run> first;
    private List<Run> both;
    private List<Run> third;

    /**
     * @param folder    gets {@code tree-1} to {@code tree-3}
     * @param leastHarm see {@link Harm#labelled}
     */
    PhaseTrees(Path folder, String attributes, double leastHarm, long seed) {
        this.folder = folder;
        this.attributes = attributes;
        this.leastHarm = leastHarm;
        this.seed = seed;
    }

    static Path tree(Path folder, int phase) {
        return folder.resolve("tree-" + phase);
    }

    /** What each neighbour does to the tier at its baseline, known after the first phase. */
    Harm harm() {
        return harm;
    }

    List<Run> labelled(List<Run> recorded) {
        return harm.labelled(recorded, leastHarm);
    }

    /** Of what was recorded at the baseline. */
    Path first(List<Run> recorded) throws IOException {
        harm = Harm.of(recorded);
        first = labelled(recorded);
        List<Row> rows = Rows.of(first);
        return write(1, first, rows, Rows.labelled(rows));
    }

    /** Of half of that, and half of what was recorded with the first tree acting. */
    Path second(List<Run> recorded) throws IOException {
        List<Run> second = labelled(recorded);
        both = Run.inOrderOfTime(Study.concat(first, second));
        List<Row> rows = Rows.of(both);
        return write(2, both, rows, Phases.second(Study.of(first, Rows.labelled(rows)), Study.of(second, Rows.labelled(rows)), seed));
    }

    /** Of what was recorded with the second tree acting. */
    Path third(List<Run> recorded) throws IOException {
        third = labelled(recorded);
        List<Row> rows = Study.of(third, Rows.of(Study.concat(both, third)));
        return write(3, third, rows, Rows.labelled(rows));
    }

    /** Of all three phases, for recordings so short that one phase does not hold enough long intervals. */
    Path all(List<Run> recorded) throws IOException {
        third = Run.inOrderOfTime(Study.concat(both, labelled(recorded)));
        List<Row> rows = Rows.of(third);
        return write(3, third, rows, Rows.labelled(rows));
    }

    /** What taught before the last tree. */
    List<Run> earlier() {
        return both;
    }

    /** What taught the last tree. */
    List<Run> taught() {
        return third;
    }

    private Path write(int phase, List<Run> runs, List<Row> rows, List<Row> teaching) throws IOException {
        Product.make(new Product.Order("phase " + phase, runs, rows, teaching, Attributes.parse(attributes),
                Fitted.Settings.of(Costs.parse(Costs.PRODUCTION)), 10, seed)).write(tree(folder, phase));
        return tree(folder, phase).resolve(Product.CLASSIFIER);
    }
}

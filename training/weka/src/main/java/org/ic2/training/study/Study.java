// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.study;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.knowledge.Label;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Resampling;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.evaluate.Answer;
import org.ic2.training.evaluate.Bootstrap;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Figures;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Fitted;
import org.ic2.training.fit.Product;

/**
 * Trains trees on one set of runs and judges each on another: for every set of attributes, every interval, and (figure
 * 11) every cost matrix. What is normal is learned over all runs in the order of time, as the agent does that made them.
 *
 * @param plan     what was asked
 * @param cases    one for each set of attributes and interval for which there are enough samples, in the order of the plan
 * @param costs    one for each set of attributes and cost matrix, at the first interval
 * @param leftOut  intervals for which there are too few samples, a sentence each
 */
public record Study(Plan plan, List<Case> cases, List<CostCase> costs, List<String> leftOut) {
    /** Kinds of runs without interference that must not be taken for it. */
    public static final Set<String> NEGATIVES = Set.of("surge", "mix", "deployment");
    private static final int FEWEST_ROWS = 10;
    /** The kind of runs in which the interference stays. */
    public static final String STEADY = "steady";
    /** The kind of runs in which the neighbour runs on another core, and may do next to no harm. */
    public static final String BESIDE = "beside";
    /** Kinds that have lines of their own and are no part of the figures of the whole. */
    public static final List<String> APART = List.of(BESIDE, "deployment", "mix", STEADY, "surge");

    /**
     * What to train and judge.
     *
     * @param training   runs to train on
     * @param earlier    runs to train on as well at the longer intervals, for which one phase holds too few samples
     * @param heldOut    runs to judge on, none of which is among the others
     * @param attributes sets of attributes, see {@link Attributes#parse}
     * @param intervals  of the samples; the first is the recorded one
     * @param costs      the cost matrix of the cases
     * @param matrices   the cost matrices of figure 11
     * @param seed       of everything that is drawn
     */
    public record Plan(List<Run> training, List<Run> earlier, List<Run> heldOut, List<String> attributes, List<Duration> intervals,
            String costs, List<String> matrices, long seed) {
    }

    /**
     * One tree.
     *
     * @param attributes the set's name
     * @param interval   of the samples
     * @param product    the tree and its cross-validation
     * @param heldOut    what it says of the held-out runs
     */
    public record Case(String attributes, Duration interval, Product product, Evaluation heldOut) {
        /** The figures on held-out runs in which the neighbour comes and goes. */
        public Figures figures() {
            return figures(heldOut.only(run -> !APART.contains(run.kind())));
        }

        /** The figures on runs of one kind. */
        public Figures ofKind(String kind) {
            return figures(heldOut.only(run -> run.kind().equals(kind)));
        }

        /** Any figures, with their intervals. */
        public Figures figures(Evaluation evaluation) {
            return Figures.of(evaluation, new Bootstrap(product.order().seed()));
        }

        /** {@code extended, 1 s}. */
        public String name() {
            return attributes + ", " + interval.toMillis() / 1000.0 + " s";
        }
    }

    /**
     * One point of figure 11.
     *
     * @param attributes the set's name
     * @param costs      a:b:c
     * @param figures    on the held-out runs in which the neighbour comes and goes
     */
    public record CostCase(String attributes, String costs, Figures figures) {
    }

    /**
     * Trains and judges everything.
     *
     * @throws IllegalArgumentException if a run would both teach and judge
     */
    public static Study make(Plan plan) {
        DataSet.requireApart(concat(plan.training(), plan.earlier()), plan.heldOut());
        List<Case> cases = new ArrayList<>();
        List<CostCase> costs = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        for (Duration interval : plan.intervals()) {
            boolean first = interval.equals(plan.intervals().get(0));
            List<Run> training = coarser(first ? plan.training() : concat(plan.earlier(), plan.training()), interval);
            List<Run> heldOut = coarser(plan.heldOut(), interval);
            List<Row> rows = Rows.of(concat(training, heldOut));
            long fewest = fewest(Rows.labelled(of(training, rows)));
            if (!first && fewest < FEWEST_ROWS) {
                leftOut.add("at " + interval.toMillis() / 1000.0 + " s nothing is judged: one side has " + fewest
                        + " samples to train on, and " + FEWEST_ROWS + " are the least; record longer");
                continue;
            }
            for (String attributes : plan.attributes()) {
                cases.add(oneCase(plan, attributes, interval, training, heldOut, rows, plan.costs()));
                if (first) {
                    for (String matrix : plan.matrices()) {
                        Case one = oneCase(plan, attributes, interval, training, heldOut, rows, matrix);
                        costs.add(new CostCase(attributes, matrix, one.figures()));
                    }
                }
            }
        }
        return new Study(plan, List.copyOf(cases), List.copyOf(costs), List.copyOf(leftOut));
    }

    static List<Run> concat(List<Run> some, List<Run> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** How many rows the side with fewer has: short recordings hold too few long intervals. */
    private static long fewest(List<Row> rows) {
        return Stream.of(Label.NO_INTERFERENCE, Label.INTERFERENCE).mapToLong(side -> rows.stream()
                .filter(row -> row.truth().orElseThrow() == side).count()).min().orElseThrow();
    }

    private static List<Run> coarser(List<Run> runs, Duration interval) {
        return runs.stream().map(run -> Resampling.to(interval, run)).toList();
    }

    private static Case oneCase(Plan plan, String attributes, Duration interval, List<Run> training, List<Run> heldOut,
            List<Row> rows, String costs) {
        List<Row> own = of(training, rows);
        int folds = costs.equals(plan.costs()) ? 10 : 0;
        Product product = Product.make(new Product.Order("final tree", training, own, Rows.labelled(own),
                Attributes.parse(attributes), Fitted.Settings.of(Costs.parse(costs)), folds, plan.seed()));
        Evaluation judged = Evaluation.of(heldOut, Answer.of(of(heldOut, rows), product.fitted()::believed));
        return new Case(attributes, interval, product, judged);
    }

    /** The rows of these runs. */
    static List<Row> of(List<Run> runs, List<Row> rows) {
        Set<String> ids = runs.stream().map(Run::id).collect(Collectors.toSet());
        return rows.stream().filter(row -> ids.contains(row.run())).toList();
    }

    /** The case of a set of attributes at the first interval. */
    public Case of(String attributes) {
        return cases.stream().filter(one -> one.attributes().equals(attributes)).findFirst().orElseThrow();
    }
}

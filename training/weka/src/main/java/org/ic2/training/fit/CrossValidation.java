// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.ic2.knowledge.Attribute;
import org.ic2.training.data.Row;
import org.ic2.training.evaluate.Answer;

/**
 * Judges a way to train on the training data themselves: each run is answered by a tree that saw none of its rows.
 * Whole runs are held out, never rows: neighbouring seconds are so alike that a tree would know the answers.
 */
public final class CrossValidation {
    private CrossValidation() {
    }

    /**
     * The answers to all rows; empty if without one of the folds too little is left to train on.
     *
     * @param rows     what is judged
     * @param teaching what may teach, of the same runs: their labelled rows, or a part of them
     * @param folds    the most trees that are trained; with as many folds as runs, each run is held out alone
     * @throws IllegalArgumentException if there are fewer than two runs
     */
    public static Optional<List<Answer>> of(List<Row> rows, List<Row> teaching, List<Attribute> attributes,
            Fitted.Settings settings, int folds, long seed) {
        return of(rows, teaching, attributes, settings, folds(rows, folds, seed));
    }

    /**
     * The same with given folds.
     *
     * @param foldOf of each run, from 0 on
     */
    public static Optional<List<Answer>> of(List<Row> rows, List<Row> teaching, List<Attribute> attributes, Fitted.Settings settings,
            Map<String, Integer> foldOf) {
        int count = 1 + Collections.max(foldOf.values());
        List<Fitted> trees = new ArrayList<>();
        for (int fold = 0; fold < count; fold++) {
            int held = fold;
            List<Row> others = teaching.stream().filter(row -> foldOf.get(row.run()) != held).toList();
            if (!Trainer.trainable(others)) {
                return Optional.empty();
            }
            trees.add(Trainer.fit(others, attributes, settings));
        }
        return Optional.of(Answer.of(rows, row -> trees.get(foldOf.get(row.run())).believed(row)));
    }

    private static Map<String, Integer> folds(List<Row> rows, int most, long seed) {
        List<String> runs = new ArrayList<>(rows.stream().map(Row::run).distinct().toList());
        if (runs.size() < 2 || most < 2) {
            throw new IllegalArgumentException("cross-validation: expected at least 2 runs and 2 folds, got " + runs.size()
                    + " and " + most + "; record more runs, or leave it out");
        }
        Collections.shuffle(runs, new Random(seed));
        Map<String, Integer> foldOf = new HashMap<>();
        for (int i = 0; i < runs.size(); i++) {
            foldOf.put(runs.get(i), i % Math.min(most, runs.size()));
        }
        return foldOf;
    }
}

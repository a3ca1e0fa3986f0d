// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.FleetFigures;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.tree.Check;
import org.ic2.fleet.tree.SparkTree;
import org.ic2.fleet.tree.TreeFit;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;

/**
 * A trained tree that agrees with Spark's on every row of a table.
 *
 * @param order   what was asked
 * @param fit     Spark's tree
 * @param counts  the answers to all rows, by tenant
 * @param checked how many rows that were
 * @param ties    how many of them have two classes that are equal
 */
record Trained(FitOrder order, TreeFit fit, Dataset<Row> counts, long checked, long ties) {
    /**
     * Trains on one table and holds the result against Spark's on another.
     *
     * @param counts where to keep the counts meanwhile
     * @throws FleetException if the trees disagree on a single row
     */
    static Trained of(FitOrder order, Dataset<Row> teaching, Dataset<Row> all, String counts) {
        TreeFit fit = TreeFit.of(teaching, order.attributes(), order.settings());
        String pruned = ClassifierJson.write(model(order, fit, fit.pruned(), Map.of()));
        String unpruned = ClassifierJson.write(model(order, fit, fit.unpruned(), Map.of()));
        Check.counts(all, fit, pruned, unpruned).coalesce(1).write().parquet(counts);
        Dataset<Row> answers = all.sparkSession().read().parquet(counts);
        Row sums = answers.agg(functions.sum(AnswerCounts.ROWS), functions.sum(AnswerCounts.TIES), functions.sum(AnswerCounts.DIFFERENT))
                .first();
        if (sums.getLong(2) > 0) {
            throw new FleetException("the exported tree and Spark's disagree on " + sums.getLong(2) + " of " + sums.getLong(0)
                    + " rows; nothing is written. Please report this with the samples");
        }
        return new Trained(order, fit, answers, sums.getLong(0), sums.getLong(1));
    }

    private static ClassifierModel model(FitOrder order, TreeFit fit, SparkTree tree, Map<String, String> provenance) {
        return new ClassifierModel(fit.offered(), order.settings().costs(), provenance, tree.exported(fit.offered()));
    }

    /** What the agent reads. */
    ClassifierModel model(Map<String, String> provenance) {
        return model(order, fit, fit.pruned(), provenance);
    }

    /** Where it comes from, in words. */
    Map<String, String> provenance(HeldOut heldOut, String data) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("made", "by ic2-fleet fit: Spark " + counts.sparkSession().version() + ", MLlib's DecisionTreeClassifier (entropy) with"
                + " class weights by cost, pruned by the weakest link");
        facts.put("data", data + shares() + "; " + fit.missing() + " missed a value of an attribute and taught in parts");
        facts.put("settings", String.format(Locale.ROOT, "depth %d, leaves %d, least leaf %s, saves %s, bins %d, seed %d, held out %s",
                order.settings().depth(), order.settings().leaves(), order.settings().leastLeaf(), order.settings().saves(),
                order.settings().bins(), order.settings().seed(), order.heldOut()));
        facts.put("counts", "training weights at each leaf; rows that are dear to miss weigh more");
        facts.put("pruned", pruned(heldOut));
        facts.put("figures", figures(heldOut, AnswerCounts.ANSWER).map(one -> "on " + heldOut.count() + " tenants that did not teach: "
                + one.line()).orElse("no tenant was held out"));
        return facts;
    }

    private String shares() {
        return Arrays.stream(Label.values()).filter(label -> fit.rows()[label.ordinal()] > 0)
                .map(label -> fit.rows()[label.ordinal()] + " " + label).collect(Collectors.joining(", "));
    }

    /** What the pruning cost. */
    private String pruned(HeldOut heldOut) {
        String words = String.format(Locale.ROOT, "from %d leaves to %d, depth %d to %d; of the training weight %.2f %% is labelled wrongly"
                + " instead of %.2f %%", fit.unpruned().leaves(), fit.pruned().leaves(), fit.unpruned().depth(), fit.pruned().depth(),
                100 * fit.pruned().wrong(), 100 * fit.unpruned().wrong());
        return words + figures(heldOut, AnswerCounts.OTHER).map(one -> "; unpruned: " + one.line()).orElse("");
    }

    /** The figures on the tenants that were held out; empty if there are none. */
    Optional<FleetFigures> figures(HeldOut heldOut, String answer) {
        return heldOut.count() == 0 ? Optional.empty()
                : Optional.of(FleetFigures.of(heldOut.judging(counts), answer, order.settings().seed()));
    }
}

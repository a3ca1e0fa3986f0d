// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.features.FeatureTable;
import org.ic2.fleet.features.Reasons;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.FleetFigures;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.training.report.TreePicture;

/**
 * The whole training: rows from samples, once, onto disk; a tree; the check of every row against Spark's; the figures on tenants that
 * were held out; and if asked, trees of clusters of tenants.
 */
public final class FleetFit {
    /** The file that the agent reads. */
    public static final String CLASSIFIER = "classifier.json";
    private static final String KIND = "classifier";
    private static final String TABLE = "table";
    private static final String COUNTS = "answers";

    private final SparkSession spark;
    private final FitOrder order;

    /** Trains so. */
    public FleetFit(SparkSession spark, FitOrder order) {
        this.spark = spark;
        this.order = order;
    }

    /**
     * Trains, and writes a folder in one step. Returns a few lines for a person.
     *
     * @throws FleetException if the samples cannot teach; nothing is written then
     */
    public String into(String folder) throws IOException {
        Dataset<Row> samples = SampleStore.read(spark, order.store());
        try (AtomicOutput out = AtomicOutput.into(spark.sparkContext().hadoopConfiguration(), folder)) {
            Reasons reasons = new Reasons();
            spark.sparkContext().register(reasons, "left out");
            FeatureTable.of(samples, order.attributes(), order.member(), reasons).write().parquet(out.below(TABLE));
            Dataset<Row> table = spark.read().schema(FeatureTable.schema(order.attributes())).parquet(out.below(TABLE));
            HeldOut heldOut = HeldOut.draw(table, order.heldOut(), order.settings().seed());
            Trained trained = trained(table, heldOut, reasons, out);
            Map<String, String> facts = trained.provenance(heldOut, order.store() + ": ");
            SampleStore.provenance(spark, order.store()).forEach((name, value) -> facts.put("samples " + name, value));
            String text = write(out, trained, heldOut, facts, reasons);
            if (order.clusters() > 1) {
                text += new ClusterFit(spark, order, table, heldOut, trained).into(out);
            }
            out.files().delete(new Path(out.folder(), TABLE), true);
            out.commit(new Manifest(KIND, counts(trained), List.of(order.store()), facts));
            return text + new Path(folder, CLASSIFIER) + "\n";
        }
    }

    private Trained trained(Dataset<Row> table, HeldOut heldOut, Reasons reasons, AtomicOutput out) {
        try {
            return Trained.of(order, heldOut.teaching(table), table, out.below(COUNTS));
        } catch (FleetException e) {
            throw new FleetException(e.getMessage() + (reasons.value().isEmpty() ? "" : "; samples that were not used: "
                    + reasons.text()), e);
        }
    }

    private String write(AtomicOutput out, Trained trained, HeldOut heldOut, Map<String, String> facts, Reasons reasons) throws IOException {
        ClassifierModel model = trained.model(facts);
        out.put(CLASSIFIER, ClassifierJson.write(model));
        out.put("tree.txt", model.tree().toText());
        out.put("tree.svg", TreePicture.svg(model.tree()));
        List<String> lines = new ArrayList<>(List.of(model.tree().toText()));
        lines.add("trained on " + facts.get("data"));
        if (!reasons.value().isEmpty()) {
            lines.add("samples that were not used: " + reasons.text());
        }
        lines.add("pruned " + facts.get("pruned"));
        lines.add("the exported tree and Spark's agree on all " + trained.checked() + " rows (" + trained.ties() + " ties)");
        Optional<FleetFigures> figures = trained.figures(heldOut, AnswerCounts.ANSWER);
        lines.add(figures.map(one -> "on tenants that did not teach:\n" + one.text()).orElse("no tenant was held out\n"));
        String text = String.join("\n", lines);
        out.put("figures.txt", text);
        return text;
    }

    private static Map<String, Long> counts(Trained trained) {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("rows", trained.checked());
        counts.put("ties", trained.ties());
        counts.put("leaves", (long) trained.fit().pruned().leaves());
        return counts;
    }
}

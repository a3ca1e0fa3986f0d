// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.FleetFigures;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.training.evaluate.Confusion;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.evaluate.RunChange;

/**
 * Whether one tree fits all: a tree for each cluster of alike tenants, taught by its tenants alone. It is kept if on its own held-out
 * tenants wrong labels cost less than with the fleet's tree, and more than chance would have it: the interval of the change, drawn
 * over tenants, lies below zero.
 */
final class ClusterFit {
    private final SparkSession spark;
    private final FitOrder order;
    private final Dataset<Row> table;
    private final HeldOut heldOut;
    private final Trained fleet;

    ClusterFit(SparkSession spark, FitOrder order, Dataset<Row> table, HeldOut heldOut, Trained fleet) {
        this.spark = spark;
        this.order = order;
        this.table = table;
        this.heldOut = heldOut;
        this.fleet = fleet;
    }

    /** Writes what is kept; says what became of each. */
    String into(AtomicOutput out) throws IOException {
        Dataset<Row> clusters = TenantClusters.of(spark, order).cache();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < order.clusters(); i++) {
            Dataset<Row> own = clusters.filter(functions.col(TenantClusters.CLUSTER).equalTo(i)).select(FleetSchema.TENANT);
            text.append("cluster ").append(i).append(", ").append(own.count()).append(" tenants: ").append(one(i, own, out)).append('\n');
        }
        clusters.coalesce(1).write().parquet(out.below("clusters"));
        return text.toString();
    }

    private String one(int number, Dataset<Row> own, AtomicOutput out) throws IOException {
        Dataset<Row> rows = table.join(functions.broadcast(own), new String[] {FleetSchema.TENANT}, "left_semi");
        Trained trained;
        try {
            trained = Trained.of(order, heldOut.teaching(rows), rows, out.below("answers-" + number));
        } catch (FleetException e) {
            return "no tree of its own, " + e.getMessage();
        }
        Map<String, Confusion> with = FleetFigures.by(heldOut.judging(trained.counts()), FleetSchema.TENANT, AnswerCounts.ANSWER);
        Map<String, Confusion> before = FleetFigures.by(heldOut.judging(fleet.counts()), FleetSchema.TENANT, AnswerCounts.ANSWER);
        Estimate change = change(with, before);
        String judges = " on " + with.size() + " tenants that did not teach";
        if (!Double.isFinite(change.value())) {
            return "the fleet's tree is kept, which labels nothing wrongly" + judges;
        }
        String words = String.format(Locale.ROOT, "cost of wrong labels %+.1f %%%s", 100 * change.value(), change.known()
                ? String.format(Locale.ROOT, " (%+.1f to %+.1f)", 100 * change.low(), 100 * change.high()) : "") + judges;
        if (!(change.known() && change.high() < 0)) {
            return "the fleet's tree is kept, " + words;
        }
        String name = "classifier-" + number + ".json";
        out.put(name, ClassifierJson.write(trained.model(trained.provenance(heldOut, order.store() + ", cluster " + number + ": "))));
        return name + ", " + words;
    }

    private Estimate change(Map<String, Confusion> with, Map<String, Confusion> before) {
        List<Double> costs = new ArrayList<>();
        List<Double> baselines = new ArrayList<>();
        with.forEach((tenant, confusion) -> {
            costs.add(total(confusion));
            baselines.add(Optional.ofNullable(before.get(tenant)).map(this::total).orElse(0.0));
        });
        return RunChange.ofSums(costs.stream().mapToDouble(x -> x).toArray(),
                baselines.stream().mapToDouble(x -> x).toArray());
    }

    private double total(Confusion of) {
        double rows = 0;
        for (Label truth : Label.values()) {
            rows += of.of(truth);
        }
        return rows == 0 ? 0 : rows * FleetFigures.cost(of, order.settings().costs());
    }
}

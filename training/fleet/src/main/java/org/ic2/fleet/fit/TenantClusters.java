// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.feature.StandardScaler;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;

/**
 * Tenants that are alike: k-means on the logarithms of what is normal of each, its medians without interference, all of like weight.
 * A median that a tenant has not counts as the mean of the others.
 */
final class TenantClusters {
    static final String CLUSTER = "cluster";
    private static final List<Metric> MEDIANS = List.of(Metric.RESPONSE_TIME, Metric.THROUGHPUT, Metric.CPU_UTIL, Metric.STEAL);
    private static final String COST = "load_per_operation";
    /** Below what matters of any of them. */
    private static final double MIN_MEDIAN = 1e-4;
    /** Of percentiles; 1/100 of a rank. */
    private static final int ACCURACY = 100;

    private TenantClusters() {
    }

    /** The cluster of each tenant that has rows without interference. */
    static Dataset<Row> of(SparkSession spark, FitOrder order) throws IOException {
        Dataset<Row> without = SampleStore.read(spark, order.store())
                .filter(functions.col(FleetSchema.LABEL).equalTo(Label.NO_INTERFERENCE.name())
                        .and(functions.col(FleetSchema.MEMBER).equalTo(order.member())))
                .withColumn(COST, functions.when(functions.col(Metric.THROUGHPUT.column()).gt(0),
                        functions.col(Metric.CPU_UTIL.column()).divide(functions.col(Metric.THROUGHPUT.column()))));
        List<String> names = new ArrayList<>(MEDIANS.stream().map(Metric::column).toList());
        names.add(COST);
        Column[] medians = names.stream().map(name -> functions.log(functions.greatest(functions.lit(MIN_MEDIAN),
                functions.percentile_approx(functions.col(name), functions.lit(0.5), functions.lit(ACCURACY)))).as(name)).toArray(Column[]::new);
        Dataset<Row> tenants = without.groupBy(FleetSchema.TENANT).agg(medians[0], java.util.Arrays.copyOfRange(medians, 1, medians.length)).cache();
        Column[] means = names.stream().map(name -> functions.coalesce(functions.avg(name), functions.lit(0.0)).as(name)).toArray(Column[]::new);
        Row mean = tenants.select(means).first();
        Dataset<Row> filled = tenants;
        for (String name : names) {
            filled = filled.withColumn(name, functions.coalesce(functions.col(name), functions.lit(mean.<Double>getAs(name))));
        }
        Dataset<Row> assembled = new VectorAssembler().setInputCols(names.toArray(String[]::new)).setOutputCol("medians").transform(filled);
        Dataset<Row> scaled = new StandardScaler().setInputCol("medians").setOutputCol("features").setWithMean(true).fit(assembled)
                .transform(assembled);
        return new KMeans().setK(order.clusters()).setSeed(order.settings().seed()).setPredictionCol(CLUSTER).fit(scaled).transform(scaled)
                .select(FleetSchema.TENANT, CLUSTER);
    }
}

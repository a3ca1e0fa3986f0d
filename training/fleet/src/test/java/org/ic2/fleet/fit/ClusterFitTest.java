// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Recordings;
import org.ic2.fleet.Spark;
import org.ic2.fleet.ingest.Ingest;
import org.ic2.fleet.tree.TreeSettings;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.training.data.Attributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two kinds of tenants that one tree cannot serve: the kind that it serves badly gets one of its own, the other keeps the fleet's. */
class ClusterFitTest {
    private static final int TENANTS_OF_A_KIND = 14;
    private static final int SAMPLES = 120;

    @TempDir
    private Path folder;

    private final SparkSession spark = Spark.session();

    /**
     * Of a fast tenant steal is 0 in the quiet and 0.3 beside a neighbour; of a slow one 0.15 in the quiet, and 0 beside a neighbour. So
     * 0 says nothing if it is not known whose it is: and as interference is dear to miss, the fleet's tree says INTERFERENCE.
     */
    private static List<Sample> tenant(long seed, boolean fast) {
        Random random = new Random(seed);
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            boolean disturbed = i / 30 % 2 == 1;
            double steal = 0.01 * random.nextDouble() + (fast ? disturbed ? 0.3 : 0 : disturbed ? 0 : 0.15);
            samples.add(Sample.at(Recordings.BEGIN.plusSeconds(i)).set(Metric.RESPONSE_TIME, (fast ? 0.03 : 0.6) * (1 + 0.1 * random.nextDouble()))
                    .set(Metric.THROUGHPUT, 100).set(Metric.REQUESTS, 100).set(Metric.CPU_UTIL, fast ? 0.4 : 0.8).set(Metric.MITIGATION, 0)
                    .set(Metric.STEAL, steal).label(disturbed ? Label.INTERFERENCE : Label.NO_INTERFERENCE).build());
        }
        return samples;
    }

    private Label says(String classifier, double steal) throws IOException {
        DecisionTree tree = ClassifierJson.read(classifier, Files.readString(folder.resolve("fit").resolve(classifier))).tree();
        return tree.classify(attribute -> Map.of("steal", steal).get(attribute.name())).label();
    }

    @Test
    void theKindThatTheFleetsTreeServesBadlyGetsATreeOfItsOwn() throws IOException {
        for (int i = 0; i < 2 * TENANTS_OF_A_KIND; i++) {
            String name = (i % 2 == 0 ? "fast-" : "slow-") + i / 2;
            Recordings.write(folder.resolve("in/tenant=" + name + "/day.csv"), Recordings.lines(tenant(i, i % 2 == 0)));
        }
        String store = folder.resolve("store").toString();
        new Ingest(spark, store).take(List.of(folder.resolve("in").toString()), null, null, null);
        String said = new FleetFit(spark, new FitOrder(store, Attributes.parse("steal"),
                new TreeSettings(CostMatrix.parse(CostMatrix.PRODUCTION), 4, 6, 0.01, 0.001, 64, 1), "web", 0.5, 2)).into(folder.resolve("fit").toString());

        Map<String, Integer> clusters = new java.util.TreeMap<>();
        for (Row row : spark.read().parquet(folder.resolve("fit/clusters").toString()).collectAsList()) {
            clusters.put(row.getString(0), row.getInt(1));
        }
        int fast = clusters.get("fast-0");
        assertThat(clusters).hasSize(2 * TENANTS_OF_A_KIND).allSatisfy((tenant, cluster) ->
                assertThat(cluster == fast).isEqualTo(tenant.startsWith("fast-")));

        assertThat(said).containsPattern("cluster " + fast + ", 14 tenants: classifier-" + fast + "\\.json, cost of wrong labels -100\\.0 % \\(")
                .containsPattern("cluster " + (1 - fast) + ", 14 tenants: the fleet's tree is kept, which labels nothing wrongly on \\d+ tenants that did not teach");
        assertThat(says(FleetFit.CLASSIFIER, 0.005)).isEqualTo(Label.INTERFERENCE);
        assertThat(says("classifier-" + fast + ".json", 0.005)).isEqualTo(Label.NO_INTERFERENCE);
        assertThat(says("classifier-" + fast + ".json", 0.305)).isEqualTo(Label.INTERFERENCE);
        assertThat(folder.resolve("fit/classifier-" + (1 - fast) + ".json")).doesNotExist();
    }
}

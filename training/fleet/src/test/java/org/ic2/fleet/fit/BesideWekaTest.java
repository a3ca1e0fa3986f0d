// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.ic2.fleet.Spark;
import org.ic2.fleet.ingest.Ingest;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.FleetFigures;
import org.ic2.fleet.tree.TreeSettings;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.training.cli.Ic2Train;
import org.ic2.training.data.Attributes;
import org.ic2.training.evaluate.Confusion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spark's tree and the shipped one, which Weka has made of the same rows and attributes: on recordings that neither has seen they
 * say nearly always the same, and are about as good.
 */
class BesideWekaTest {
    private static final Path DATA = Path.of("../data");

    @TempDir
    private Path folder;

    private final SparkSession spark = Spark.session();

    /** A store of recordings with the labels by which the shipped tree was taught. */
    private String store(String name, String part, String... measured) throws IOException {
        Path runs = folder.resolve(name + "-runs");
        List<String> pack = new ArrayList<>(List.of("pack", DATA.resolve(part).toString(), "--least-harm", "2", "--out", runs.toString()));
        Stream.of(measured).forEach(other -> pack.addAll(List.of("--phase-1", DATA.resolve(other).toString())));
        assertThat(Ic2Train.run(pack)).isZero();
        String store = folder.resolve(name).toString();
        new Ingest(spark, store).take(List.of(runs.toString()), "testbed", null, null);
        return store;
    }

    @Test
    void theTwoTreesAreAboutAsGood() throws IOException {
        String fit = folder.resolve("fit").toString();
        new FleetFit(spark, new FitOrder(store("teach", "phase-3", "phase-1"), Attributes.parse(Attributes.EXTENDED),
                new TreeSettings(CostMatrix.parse(CostMatrix.PRODUCTION), 6, 12, 0.01, 0.001, 128, 1), "web", 0, 0)).into(fit);
        String own = spark.read().option("wholetext", true).textFile(fit + "/" + FleetFit.CLASSIFIER).first();
        Dataset<Row> counts = new FleetEvaluation(spark, store("judge", "evaluation", "phase-1", "phase-3"), "web")
                .into(folder.resolve("judged").toString(), own, Shipped.text(Shipped.CLASSIFIER));
        Confusion sparks = FleetFigures.of(counts, AnswerCounts.ANSWER, 1).confusion();
        Confusion wekas = FleetFigures.of(counts, AnswerCounts.OTHER, 1).confusion();
        assertThat(wekas.recall(Label.INTERFERENCE)).isEqualTo(1);
        assertThat(sparks.recall(Label.INTERFERENCE)).isGreaterThan(0.97);
        assertThat(sparks.precision(Label.INTERFERENCE)).isGreaterThan(0.97);
        long all = sum(counts);
        assertThat(all).isGreaterThan(300);
        assertThat((double) sum(counts.filter(functions.col(AnswerCounts.ANSWER).equalTo(functions.col(AnswerCounts.OTHER)))) / all).isGreaterThan(0.95);
    }

    private static long sum(Dataset<Row> counts) {
        return counts.agg(functions.sum(AnswerCounts.ROWS)).first().getLong(0);
    }
}

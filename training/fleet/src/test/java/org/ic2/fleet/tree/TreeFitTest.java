// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Spark;
import org.ic2.fleet.features.FeatureTable;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.knowledge.tree.DecisionTree;
import org.ic2.knowledge.tree.TreeNode.Leaf;
import org.ic2.knowledge.tree.TreeNode.Split;
import org.ic2.training.data.Attributes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Spark's tree and the one that the agent reads say the same of every row, whatever is missing; a difference is seen. */
class TreeFitTest {
    private static final List<Attribute> ATTRIBUTES = Attributes.parse("response_time_ratio+steal+io_pressure+mitigation");
    private static final CostMatrix COSTS = CostMatrix.parse("5:1:10");

    private static SparkSession spark;
    /** A large tree of rows of which a fifth misses a value, and not pruned. */
    private static TreeFit large;

    @BeforeAll
    static void fitted() {
        spark = Spark.session();
        large = TreeFit.of(noise(1, 3000, 0.2), ATTRIBUTES, settings(1000, 0));
    }

    /** Noise in which truth shows a little everywhere, a fifth of the values missing. */
    private static Dataset<Row> noise(long seed, int rows, double missing) {
        Random random = new Random(seed);
        List<Row> table = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            int truth = random.nextInt(3);
            Object[] cells = new Object[FeatureTable.FIRST + ATTRIBUTES.size()];
            cells[0] = "t" + i % 4;
            cells[2] = "shop";
            cells[3] = "2026-05-07";
            cells[4] = truth;
            for (int j = 0; j < ATTRIBUTES.size(); j++) {
                double value = random.nextGaussian() + (j == 0 ? truth : j == 1 ? -0.7 * truth : 0.2 * truth);
                cells[FeatureTable.FIRST + j] = random.nextDouble() < missing ? null : j == 3 ? Math.rint(value) : value;
            }
            table.add(RowFactory.create(cells));
        }
        return spark.createDataFrame(table, FeatureTable.schema(ATTRIBUTES));
    }

    private static TreeSettings settings(int leaves, double saves) {
        return new TreeSettings(COSTS, 8, leaves, 0.002, saves, 64, 1);
    }

    private static String text(SparkTree tree) {
        return ClassifierJson.write(new ClassifierModel(ATTRIBUTES, COSTS, Map.of(), tree.exported(ATTRIBUTES)));
    }

    private long different(Dataset<Row> table, TreeFit fit, String text) {
        return Check.counts(table, fit, text, text(fit.unpruned())).agg(org.apache.spark.sql.functions.sum(AnswerCounts.DIFFERENT)).first().getLong(0);
    }

    @Test
    void theTreesAgreeOnEveryRowWithAndWithoutMissingValues() {
        for (TreeFit fit : List.of(large, TreeFit.of(noise(1, 3000, 0), ATTRIBUTES, settings(1000, 0)))) {
            assertThat(fit.unpruned().leaves()).isGreaterThan(20);
            assertThat(different(noise(2, 20_000, 0.3), fit, text(fit.pruned()))).isZero();
        }
    }

    @Test
    void aTreeThatIsNotSparksIsSeen() {
        DecisionTree tree = large.pruned().exported(ATTRIBUTES);
        Split root = (Split) tree.root();
        DecisionTree moved = new DecisionTree(new Split(root.attribute(), root.threshold() + 0.01, root.le(), root.gt()));
        String text = ClassifierJson.write(new ClassifierModel(ATTRIBUTES, COSTS, Map.of(), moved));
        assertThat(different(noise(2, 20_000, 0), large, text)).isPositive().isLessThan(1000);
    }

    @Test
    void aPrunedTreeIsSmallAndSaysWhatItLost() {
        TreeFit fit = TreeFit.of(noise(1, 3000, 0.1), ATTRIBUTES, settings(6, 0.001));
        assertThat(fit.pruned().leaves()).isBetween(2, 6);
        assertThat(fit.unpruned().leaves()).isGreaterThan(fit.pruned().leaves());
        assertThat(fit.pruned().wrong()).isGreaterThanOrEqualTo(fit.unpruned().wrong());
        assertThat(different(noise(2, 5000, 0.3), fit, text(fit.pruned()))).isZero();
        TreeFit harder = TreeFit.of(noise(1, 3000, 0.1), ATTRIBUTES, settings(6, 0.9));
        assertThat(harder.pruned().exported(ATTRIBUTES).root()).isInstanceOf(Leaf.class);
    }

    @Test
    void theWeightsInTheTreeAreThoseOfTheRows() {
        assertThat(large.pruned().exported(ATTRIBUTES).root().weight()).isCloseTo(3000, within(1e-6));
        assertThat(large.missing()).isBetween(1500L, 2100L);
    }

    @Test
    void anUnmeasuredAttributeIsNotOffered() {
        Dataset<Row> table = noise(1, 500, 0).withColumn("steal", org.apache.spark.sql.functions.lit(null).cast("double"));
        TreeFit fit = TreeFit.of(table, ATTRIBUTES, settings(10, 0));
        assertThat(fit.offered()).extracting(Attribute::name).containsExactly("response_time_ratio", "io_pressure", "mitigation");
    }
}

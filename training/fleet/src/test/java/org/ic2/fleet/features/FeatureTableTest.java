// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Spark;
import org.ic2.fleet.ingest.Ingest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.Attribute;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of a fleet are those of the training on one machine, to the last digit. */
class FeatureTableTest {
    private static final List<Path> RECORDINGS = Stream.of("phase-1", "phase-3", "later").map(name -> Path.of("../data").resolve(name)).toList();

    @TempDir
    private Path folder;

    private final SparkSession spark = Spark.session();

    @Test
    void theRealRecordingsMakeTheSameRows() throws IOException {
        String store = folder.resolve("store").toString();
        new Ingest(spark, store).take(RECORDINGS.stream().map(Path::toString).toList(), "bed", null, null);
        List<Attribute> attributes = Attributes.parse("paper+extended+cost_per_mix_ratio");
        Reasons reasons = new Reasons();
        spark.sparkContext().register(reasons);
        List<String> fleet = FeatureTable.of(SampleStore.read(spark, store), attributes, "web", reasons).collectAsList().stream()
                .map(row -> Stream.iterate(0, i -> i + 1).limit(attributes.size() + 1)
                        .map(i -> String.valueOf(row.get(FeatureTable.FIRST - 1 + i))).toList().toString()).toList();
        List<Row> all = Rows.of(DataSet.read(RECORDINGS));
        List<String> single = Rows.labelled(all).stream().map(row -> Stream.concat(Stream.of(String.valueOf(row.truth().orElseThrow().ordinal())),
                attributes.stream().map(row::get).map(value -> Double.isNaN(value) ? "null" : String.valueOf(value))).toList().toString()).toList();
        assertThat(fleet).hasSizeGreaterThan(1000).containsExactlyElementsOf(single);
        assertThat(reasons.value()).isEqualTo(longs(Rows.leftOut(all)));
    }

    private static java.util.Map<String, Long> longs(java.util.Map<String, Integer> counts) {
        java.util.Map<String, Long> result = new java.util.HashMap<>();
        counts.forEach((reason, count) -> result.put(reason, (long) count));
        return result;
    }
}

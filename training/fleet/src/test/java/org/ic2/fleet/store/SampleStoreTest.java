// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Spark;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samples on disk: written in one step, read as they were, and refused if they are not ours. */
class SampleStoreTest {
    private static final Instant NOON = Instant.parse("2026-05-07T12:00:00.250Z");

    @TempDir
    private Path folder;

    private final SparkSession spark = Spark.session();
    private final Configuration hadoop = spark.sparkContext().hadoopConfiguration();

    private Dataset<Row> rows(String tenant, int count) {
        List<Row> rows = Stream.iterate(0, i -> i < count, i -> i + 1).map(i -> {
            Object[] cells = new Object[FleetSchema.samples().size()];
            cells[FleetSchema.samples().fieldIndex(FleetSchema.TENANT)] = tenant;
            cells[FleetSchema.samples().fieldIndex(FleetSchema.TIME)] = Timestamp.from(NOON.plusSeconds(count - i));
            cells[FleetSchema.samples().fieldIndex(FleetSchema.RUN)] = "r";
            cells[FleetSchema.samples().fieldIndex(FleetSchema.MEMBER)] = "web";
            cells[FleetSchema.samples().fieldIndex(FleetSchema.EPOCH)] = 1L;
            cells[FleetSchema.samples().fieldIndex(FleetSchema.EPOCH_END)] = 1L;
            cells[FleetSchema.samples().fieldIndex("throughput")] = 0.1 + i;
            cells[FleetSchema.samples().fieldIndex(FleetSchema.APPLICATION)] = "shop=1/a";
            cells[FleetSchema.samples().fieldIndex(FleetSchema.DAY)] = "2026-05-07";
            return RowFactory.create(cells);
        }).toList();
        return spark.createDataFrame(rows, FleetSchema.samples());
    }

    private void batch(String store, Dataset<Row> rows) throws IOException {
        try (AtomicOutput batch = AtomicOutput.into(hadoop, SampleStore.next(hadoop, store))) {
            SampleStore.write(rows, batch);
            batch.commit(new Manifest(Manifest.SAMPLES, Map.of("rows", rows.count()), List.of("a test"), Map.of("made", "here")));
        }
    }

    @Test
    void batchesAreReadBackTogetherAndSorted() throws IOException {
        String store = folder.resolve("store").toString();
        batch(store, rows("a", 3));
        batch(store, rows("b", 2));
        assertThat(SampleStore.batches(hadoop, store)).extracting(org.apache.hadoop.fs.Path::getName)
                .containsExactly("batch=000001", "batch=000002");
        List<Row> all = SampleStore.read(spark, store).collectAsList();
        assertThat(all).hasSize(5).allSatisfy(row -> {
            assertThat(row.<String>getAs(FleetSchema.APPLICATION)).isEqualTo("shop=1/a");
            assertThat(row.<String>getAs(FleetSchema.DAY)).isEqualTo("2026-05-07");
            assertThat(row.<Object>getAs(FleetSchema.HOST)).isNull();
        });
        assertThat(all.stream().filter(row -> row.getAs(FleetSchema.TENANT).equals("a"))
                .map(row -> row.<Timestamp>getAs(FleetSchema.TIME).toInstant()))
                .containsExactly(NOON.plusSeconds(1), NOON.plusSeconds(2), NOON.plusSeconds(3));
        assertThat(SampleStore.read(spark, store + "/batch=000002").count()).isEqualTo(2);
    }

    @Test
    void existingOutputIsNotOverwritten() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there"));
        assertThatThrownBy(() -> AtomicOutput.into(hadoop, there.toString())).isInstanceOf(FleetException.class)
                .hasMessageContaining("is there already");
    }

    @Test
    void uncommittedOutputLeavesNothing() throws IOException {
        try (AtomicOutput output = AtomicOutput.into(hadoop, folder.resolve("x").toString())) {
            SampleStore.write(rows("a", 1), output);
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aTaskThatIsStillWritingWhenItsJobHasFailedLeavesNothing() throws IOException {
        String begun = folder.resolve("begun").toString();
        Path ended = folder.resolve("ended");
        String end = ended.toString();
        assertThatThrownBy(() -> {
            try (AtomicOutput output = AtomicOutput.into(hadoop, folder.resolve("x").toString())) {
                String late = output.below("late");
                JavaSparkContext.fromSparkContext(spark.sparkContext()).parallelize(List.of(0, 1), 2).foreach(part -> write(part, begun, late, end));
            }
        }).hasMessageContaining("the first part fails");
        while (!Files.exists(ended)) {
            Thread.onSpinWait();
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactlyInAnyOrder(Path.of(begun), ended);
        }
    }

    /** The first part fails once the second is at work, which writes when it has been told to end. */
    private static void write(int part, String begun, String late, String ended) throws IOException {
        if (part == 0) {
            while (!Files.exists(Path.of(begun))) {
                Thread.onSpinWait();
            }
            throw new IOException("the first part fails");
        }
        Files.createFile(Path.of(begun));
        while (!TaskContext.get().isInterrupted()) {
            Thread.onSpinWait();
        }
        Files.createDirectories(Path.of(java.net.URI.create("file://" + new org.apache.hadoop.fs.Path(late).toUri().getPath())));
        Files.createFile(Path.of(ended));
    }

    @Test
    void anotherVersionOrKindOrNothingIsRefused() throws IOException {
        String store = folder.resolve("old").toString();
        batch(store, rows("a", 1));
        Path manifest = Path.of(store, "batch=000001", Manifest.NAME);
        String text = Files.readString(manifest);
        // Hadoop's local files have a checksum beside them
        Files.deleteIfExists(manifest.resolveSibling("." + Manifest.NAME + ".crc"));
        Files.writeString(manifest, text.replace("\"schema\" : 1", "\"schema\" : 7"));
        assertThatThrownBy(() -> SampleStore.read(spark, store)).isInstanceOf(FleetException.class)
                .hasMessageContaining("expected version 1, got 7");
        Files.writeString(manifest, text.replace("samples", "figures"));
        assertThatThrownBy(() -> SampleStore.read(spark, store)).hasMessageContaining("kind: expected samples, got figures");
        Files.writeString(manifest, "{");
        assertThatThrownBy(() -> SampleStore.read(spark, store)).hasMessageContaining("not JSON");
        Files.delete(manifest);
        assertThatThrownBy(() -> SampleStore.read(spark, store)).hasMessageContaining("it is not finished");
        assertThatThrownBy(() -> SampleStore.read(spark, folder + "/none")).hasMessageContaining("no such folder");
    }
}

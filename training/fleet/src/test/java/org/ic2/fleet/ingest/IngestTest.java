// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Recordings;
import org.ic2.fleet.Spark;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Sample;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings become a store: whole, once, and whose they are; what is broken stands apart, and what cannot be taken leaves no trace. */
class IngestTest {
    private static final List<Sample> SAMPLES = Recordings.samples(1, 90, true, true);

    @TempDir
    private Path folder;
    private String store;
    private Ingest ingest;

    private final SparkSession spark = Spark.session();

    @BeforeEach
    void names() {
        store = folder.resolve("store").toString();
        ingest = new Ingest(spark, store);
    }

    private Ingest.Taken take(Path... inputs) throws IOException {
        return ingest.take(List.of(inputs).stream().map(Path::toString).toList(), "someone", null, null);
    }

    private Path recording(String name, List<String> lines) throws IOException {
        return Recordings.write(folder.resolve("in").resolve(name), lines);
    }

    private void refused(String message, Path... inputs) throws IOException {
        assertThatThrownBy(() -> take(inputs)).satisfies(error -> assertThat(Optional.of(error).map(e -> e.getCause() == null
                || e.getMessage().contains(message) ? e : e.getCause()).get()).hasMessageContaining(message));
        assertThat(SampleStore.batches(spark.sparkContext().hadoopConfiguration(), store)).isEmpty();
        if (Files.exists(Path.of(store))) {
            try (var left = Files.list(Path.of(store))) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void eachSampleIsThereAsItWasRecorded() throws IOException {
        recording("a.csv", Recordings.lines(SAMPLES));
        recording("b.csv.gz", Recordings.lines(Recordings.samples(2, 50, false, false)));
        Ingest.Taken taken = take(folder.resolve("in"));
        assertThat(taken.rows()).isEqualTo(140);
        assertThat(taken.files()).isEqualTo(2);
        List<Row> rows = SampleStore.read(spark, store).filter("label is not null").orderBy(FleetSchema.TIME).collectAsList();
        assertThat(rows).hasSize(SAMPLES.size());
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            Sample sample = SAMPLES.get(i);
            assertThat(row.getTimestamp(row.fieldIndex(FleetSchema.TIME)).toInstant()).isEqualTo(sample.time());
            assertThat(Label.valueOf(row.getAs(FleetSchema.LABEL))).isEqualTo(sample.label().orElseThrow());
            FleetSchema.MEASURED.forEach(metric -> assertThat(row.<Double>getAs(metric.column()))
                    .isEqualTo(sample.has(metric) ? (Double) sample.get(metric) : null));
            assertThat(row.<String>getAs(FleetSchema.DAY)).isEqualTo("2026-05-07");
            assertThat(row.<String>getAs(FleetSchema.TENANT)).isEqualTo("someone");
            assertThat(row.<String>getAs(FleetSchema.APPLICATION)).isEqualTo("unknown");
        }
    }

    @Test
    void itsColumnsSayWhoseItIsBeforeItsFactsAndTheseBeforeItsPath() throws IOException {
        List<String> named = new ArrayList<>();
        for (String line : Recordings.lines(SAMPLES.subList(0, 2))) {
            named.add(line + (named.isEmpty() ? ",tenant,host" : named.size() == 1 ? ",cell,rack-7" : ",,"));
        }
        Path inside = recording("host=h1/tenant=path/one/samples.csv", named);
        RunFolder.writeFacts(inside.resolveSibling(RunFolder.FACTS), new Run("monday", Duration.ofSeconds(1), Optional.empty(), List.of(),
                Map.of("tenant", "fact", "application", "wiki", "cpu", "a", "kernel", "b"), List.of()));
        recording("host=h1/tenant=path/two.csv", Recordings.lines(Recordings.samples(3, 1, true, true)));
        take(folder.resolve("in"));
        List<Row> rows = SampleStore.read(spark, store).select("tenant", "host", "application", "run", "facts").orderBy("tenant").collectAsList();
        assertThat(rows).extracting(row -> row.getString(0) + " " + row.getString(1) + " " + row.getString(2))
                .containsExactly("cell rack-7 wiki", "fact h1 wiki", "path h1 unknown");
        assertThat(rows.get(0).getString(3)).isEqualTo("monday");
        assertThat(rows.get(0).getString(4)).contains("\"cpu\":\"a\"").doesNotContain("kernel");
        assertThat(rows.get(2).isNullAt(4)).isTrue();
    }

    @Test
    void aBrokenLineStandsApartWithItsReason() throws IOException {
        List<String> lines = new ArrayList<>(Recordings.lines(SAMPLES));
        lines.set(5, lines.get(5).replace(",100,", ",many,"));
        lines.set(9, "half a li");
        Path file = recording("a.csv", lines);
        Ingest.Taken taken = take(file);
        assertThat(taken.rows()).isEqualTo(SAMPLES.size() - 2);
        assertThat(taken.broken()).isEqualTo(2);
        List<Row> broken = Ingest.broken(spark, store).orderBy("line").collectAsList();
        assertThat(broken).extracting(row -> row.getLong(1)).containsExactly(6L, 10L);
        assertThat(broken).allSatisfy(row -> assertThat(row.getString(0)).endsWith("/in/a.csv"));
        assertThat(broken.get(0).getString(2)).isEqualTo("column 'requests': expected a number or nothing, got 'many'");
        assertThat(broken.get(1).getString(2)).startsWith("expected ").contains("cells as in the header, got 1");
        assertThat(broken.get(1).getString(3)).isEqualTo("half a li");
    }

    @Test
    void ingestedFilesAreNotTakenAgain() throws IOException {
        Path first = recording("a.csv", Recordings.lines(SAMPLES));
        take(first);
        Path second = recording("b.csv", Recordings.lines(Recordings.samples(2, 40, true, true)));
        Files.setLastModifiedTime(first, FileTime.from(Instant.parse("2026-06-01T00:00:00Z")));
        Ingest.Taken taken = take(folder.resolve("in"));
        assertThat(taken.known()).isEqualTo(1);
        assertThat(taken.rows()).isEqualTo(40);
        assertThat(take(first, second).files()).isZero();
        assertThat(SampleStore.read(spark, store).count()).isEqualTo(SAMPLES.size() + 40);
        Files.writeString(first, Files.readString(first) + SAMPLES.size());
        assertThatThrownBy(() -> take(first)).hasMessageContaining("was taken in with").hasMessageContaining("a new file each day");
        Files.copy(second, folder.resolve("in/copy.csv"));
        assertThatThrownBy(() -> take(folder.resolve("in/copy.csv"))).hasMessageContaining("has the same content as");
        assertThat(SampleStore.read(spark, store).count()).isEqualTo(SAMPLES.size() + 40);
    }

    @Test
    void aFileThatIsCutOffIsRefusedAsAWhole() throws IOException {
        Path good = recording("good.csv", Recordings.lines(SAMPLES));
        Path plain = recording("plain.csv", Recordings.lines(SAMPLES));
        String text = Files.readString(plain);
        Files.writeString(plain, text.substring(0, text.length() - 30));
        refused("line 91: the file ends in the middle of a line", good, plain);
        Path zipped = recording("zipped.csv.gz", Recordings.lines(SAMPLES));
        byte[] bytes = Files.readAllBytes(zipped);
        Files.write(zipped, java.util.Arrays.copyOf(bytes, bytes.length - 40));
        refused("it was cut off, or is still being written", good, zipped);
        Files.writeString(plain, "");
        refused("the file is empty", plain);
    }

    @Test
    void newerColumnsGarbageUnknownTenantsAndEmptyFilesAreRefused() throws IOException {
        List<String> newer = new ArrayList<>(Recordings.lines(SAMPLES));
        newer.set(0, newer.get(0).replace("steal,", "steel,"));
        refused("line 1: unknown column 'steel'", recording("newer.csv", newer));
        Path garbage = folder.resolve("in/garbage.csv.gz");
        Files.write(garbage, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        refused("garbage.csv.gz", garbage);
        refused("there is no such file", folder.resolve("in/none"));
        refused("expected recordings", Files.createDirectory(folder.resolve("empty")));
        Path nobody = recording("nobody.csv", Recordings.lines(SAMPLES));
        assertThatThrownBy(() -> ingest.take(List.of(nobody.toString()), null, null, null)).hasStackTraceContaining("whose web tier is it?");
        assertThat(SampleStore.batches(spark.sparkContext().hadoopConfiguration(), store)).isEmpty();
    }

    @Test
    void jobsHoldNeighboursAndAboutEqualBytes() {
        List<RecordingFile> files = List.of(new RecordingFile("/b", 5, 0), new RecordingFile("/a", 5, 0), new RecordingFile("/c", 20, 0),
                new RecordingFile("/d", 1, 0));
        assertThat(Listing.jobs(files, 10)).extracting(job -> job.stream().map(RecordingFile::path).toList())
                .containsExactly(List.of("/a", "/b"), List.of("/c"), List.of("/d"));
    }
}

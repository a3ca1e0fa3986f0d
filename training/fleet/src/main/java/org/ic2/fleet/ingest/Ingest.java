// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.util.SerializableConfiguration;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;

/**
 * Takes recordings into a store: one pass, which reads each file once and shuffles nothing. What the store has already is not read
 * again. The batch appears when all of it is there.
 */
public final class Ingest {
    private static final String WRITTEN = "written";
    private static final String FILES = "files";
    private static final String BROKEN = "broken";
    /** Of text in a task; compressed recordings are about a fifth of it. */
    private static final long JOB_BYTES = 64L << 20;

    private final SparkSession spark;
    private final Configuration hadoop;
    private final String store;

    /** Into this store, which need not be there yet. */
    public Ingest(SparkSession spark, String store) {
        this.spark = spark;
        this.hadoop = spark.sparkContext().hadoopConfiguration();
        this.store = store;
    }

    /**
     * What was taken in.
     *
     * @param batch  its folder, empty if nothing was new
     * @param known  files that the store had
     * @param files  files that were read
     * @param rows   samples
     * @param broken lines that were not understood; they stand in the batch's folder {@code broken}
     */
    public record Taken(String batch, long known, long files, long rows, long broken) {
    }

    /**
     * Takes in what is new.
     *
     * @param inputs      files, folders or patterns on any Hadoop file system
     * @param tenant      whose they are where they do not say; may be null
     * @param host        the same of the host
     * @param application the same of the application
     * @throws FleetException if one of them cannot be taken in; the store is as it was then
     */
    public Taken take(List<String> inputs, String tenant, String host, String application) throws IOException {
        List<RecordingFile> all = Listing.of(hadoop, inputs);
        KnownFiles known = KnownFiles.of(files(spark, store));
        List<RecordingFile> fresh = known.fresh(hadoop, all);
        if (fresh.isEmpty()) {
            return new Taken("", all.size(), 0, 0, 0);
        }
        String target = SampleStore.next(hadoop, store);
        try (AtomicOutput batch = AtomicOutput.into(hadoop, target)) {
            write(fresh, new Origin.Said(tenant, host, application), batch);
            Dataset<Row> files = spark.read().parquet(batch.below(FILES));
            known.requireUnlike(files);
            Row sums = files.agg(functions.count("*"), functions.sum(BatchRows.ROWS), functions.sum(BatchRows.BROKEN_ROWS)).first();
            Taken taken = new Taken(target, all.size() - fresh.size(), sums.getLong(0), sums.getLong(1), sums.getLong(2));
            Map<String, Long> counts = new LinkedHashMap<>();
            counts.put("files", taken.files());
            counts.put("rows", taken.rows());
            counts.put("broken", taken.broken());
            batch.commit(new Manifest(Manifest.SAMPLES, counts, inputs, Map.of("made", "by ic2-fleet ingest; the files, with their checksums,"
                    + " are in the folder " + FILES)));
            return taken;
        }
    }

    private void write(List<RecordingFile> files, Origin.Said said, AtomicOutput batch) throws IOException {
        long bytes = files.stream().mapToLong(RecordingFile::size).sum();
        int cores = spark.sparkContext().defaultParallelism();
        List<List<RecordingFile>> jobs = Listing.jobs(files, Math.max(1, Math.min(JOB_BYTES, bytes / cores)));
        SerializableConfiguration shared = new SerializableConfiguration(hadoop);
        JavaRDD<Row> rows = JavaSparkContext.fromSparkContext(spark.sparkContext()).parallelize(jobs, jobs.size())
                .flatMap(List::iterator).mapPartitions(recordings -> rows(recordings, shared, said));
        spark.createDataFrame(rows, BatchRows.SCHEMA)
                .sortWithinPartitions(BatchRows.KIND, FleetSchema.APPLICATION, FleetSchema.DAY, FleetSchema.TENANT, FleetSchema.TIME)
                .write().partitionBy(BatchRows.KIND, FleetSchema.APPLICATION, FleetSchema.DAY).parquet(batch.below(WRITTEN));
        part(batch);
    }

    private static Iterator<Row> rows(Iterator<RecordingFile> recordings, SerializableConfiguration hadoop, Origin.Said said) {
        return new Iterator<>() {
            private Iterator<Row> current = Collections.emptyIterator();

            @Override
            public boolean hasNext() {
                while (!current.hasNext() && recordings.hasNext()) {
                    RecordingFile file = recordings.next();
                    try {
                        current = new RecordingRows(hadoop.value(), file, said);
                    } catch (IOException e) {
                        throw new FleetException(file.path() + ": cannot be read: " + e.getMessage(), e);
                    }
                }
                return current.hasNext();
            }

            @Override
            public Row next() {
                return current.next();
            }
        };
    }

    /** What was written in one pass, in the folders where it is looked for. */
    private static void part(AtomicOutput batch) throws IOException {
        FileSystem files = batch.files();
        Path written = new Path(batch.folder(), WRITTEN);
        Path samples = new Path(written, BatchRows.KIND + "=" + BatchRows.SAMPLE);
        if (files.exists(samples)) {
            files.rename(samples, new Path(batch.folder(), SampleStore.ROWS));
        } else {
            files.mkdirs(new Path(batch.folder(), SampleStore.ROWS));
        }
        String none = "/" + FleetSchema.APPLICATION + "=-/" + FleetSchema.DAY + "=-";
        files.rename(new Path(written, BatchRows.KIND + "=" + BatchRows.FILE + none), new Path(batch.folder(), FILES));
        Path broken = new Path(written, BatchRows.KIND + "=" + BatchRows.BROKEN + none);
        if (files.exists(broken)) {
            files.rename(broken, new Path(batch.folder(), BROKEN));
        }
        files.delete(written, true);
    }

    /** The lines of a store that were not understood: {@code path}, {@code line}, {@code reason}, {@code text}. */
    public static Dataset<Row> broken(SparkSession spark, String store) throws IOException {
        return read(spark, store, BROKEN, BatchRows.OF_BROKEN);
    }

    /** The files of a store: {@code path}, {@code size}, {@code modified}, {@code checksum}, {@code rows}, {@code broken_rows}. */
    static Dataset<Row> files(SparkSession spark, String store) throws IOException {
        return read(spark, store, FILES, BatchRows.OF_FILE);
    }

    private static Dataset<Row> read(SparkSession spark, String store, String folder, List<String> columns) throws IOException {
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        List<String> folders = new ArrayList<>();
        for (Path batch : SampleStore.batches(hadoop, store)) {
            Path below = new Path(batch, folder);
            FileSystem files = below.getFileSystem(hadoop);
            Manifest.read(files, batch, Manifest.SAMPLES);
            if (files.exists(below)) {
                folders.add(below.toString());
            }
        }
        Column[] selected = columns.stream().map(functions::col).toArray(Column[]::new);
        return (folders.isEmpty() ? spark.createDataFrame(List.of(), BatchRows.SCHEMA)
                : spark.read().schema(BatchRows.SCHEMA).parquet(folders.toArray(String[]::new))).select(selected);
    }
}

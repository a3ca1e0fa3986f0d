// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/**
 * A fleet's samples on disk: a folder with one folder a batch, each of which appeared in one step ({@link AtomicOutput}):
 * {@code batch=000001/manifest.json}, {@code .../part=samples/application=A/day=D/*.parquet} of {@link FleetSchema}, and where rows
 * could not be understood {@code .../broken}. A folder that is itself such a batch is one, too.
 */
public final class SampleStore {
    private static final String BATCH = "batch=";
    /** The folder of a batch that holds its samples. */
    public static final String ROWS = "part=samples";

    private SampleStore() {
    }

    /** The name of a store's next batch, whose number is one more than the highest. */
    public static String next(Configuration hadoop, String store) throws IOException {
        List<Path> batches = batches(hadoop, store);
        int last = batches.isEmpty() ? 0 : Integer.parseInt(batches.get(batches.size() - 1).getName().substring(BATCH.length()));
        return new Path(store, String.format("%s%06d", BATCH, last + 1)).toString();
    }

    /** The batches of a store, in their order; none if there is no store. */
    public static List<Path> batches(Configuration hadoop, String store) throws IOException {
        Path folder = new Path(store);
        FileSystem files = folder.getFileSystem(hadoop);
        if (!files.exists(folder)) {
            return List.of();
        }
        return Arrays.stream(files.listStatus(folder)).filter(FileStatus::isDirectory).map(FileStatus::getPath)
                .filter(path -> path.getName().matches(BATCH + "\\d{6,9}")).sorted().toList();
    }

    /**
     * All samples of a store or a batch.
     *
     * @throws FleetException if it holds none, or a batch is not of our schema
     */
    public static Dataset<Row> read(SparkSession spark, String store) throws IOException {
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        FileSystem files = new Path(store).getFileSystem(hadoop);
        List<Path> batches = new ArrayList<>(batches(hadoop, store));
        if (batches.isEmpty()) {
            batches.add(new Path(store));
        }
        String[] folders = new String[batches.size()];
        for (int i = 0; i < folders.length; i++) {
            Manifest.read(files, batches.get(i), Manifest.SAMPLES);
            folders[i] = new Path(batches.get(i), ROWS).toString();
        }
        // Spark takes several roots for one table only if every folder on the way is NAME=VALUE
        return spark.read().schema(FleetSchema.samples()).option("basePath", files.makeQualified(batches.get(0)).getParent().toString())
                .parquet(folders).select(columns());
    }

    /** What the manifests of a store's batches say of how they were made; where they differ, what the last one says. */
    public static Map<String, String> provenance(SparkSession spark, String store) throws IOException {
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        FileSystem files = new Path(store).getFileSystem(hadoop);
        List<Path> batches = batches(hadoop, store);
        Map<String, String> provenance = new LinkedHashMap<>();
        for (Path batch : batches.isEmpty() ? List.of(new Path(store)) : batches) {
            provenance.putAll(Manifest.read(files, batch, Manifest.SAMPLES).provenance());
        }
        return provenance;
    }

    /** The samples that were written to a batch that is not there yet. */
    public static Dataset<Row> written(SparkSession spark, AtomicOutput batch) {
        return spark.read().schema(FleetSchema.samples()).parquet(batch.below(ROWS));
    }

    /** The folder of one partition in a batch, for who writes partitions one by one, each sorted by tenant and time already. */
    public static String partition(AtomicOutput batch, String application, String day) {
        return batch.below(ROWS + "/" + FleetSchema.APPLICATION + "=" + application + "/" + FleetSchema.DAY + "=" + day);
    }

    /** Writes rows of {@link FleetSchema} as the samples of a batch; within a file they come sorted by tenant and time. */
    public static void write(Dataset<Row> samples, AtomicOutput batch) {
        samples.select(columns())
                .sortWithinPartitions(FleetSchema.APPLICATION, FleetSchema.DAY, FleetSchema.TENANT, FleetSchema.TIME)
                .write().partitionBy(FleetSchema.PARTITIONS.toArray(String[]::new)).parquet(batch.below(ROWS));
    }

    private static Column[] columns() {
        return Arrays.stream(FleetSchema.samples().fieldNames()).map(functions::col).toArray(Column[]::new);
    }
}

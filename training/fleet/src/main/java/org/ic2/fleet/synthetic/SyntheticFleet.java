// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;

/** Writes a generated fleet, host by host on all cores: as the samples of a store, or as recordings such as agents write. */
public final class SyntheticFleet {
    /** What says in a manifest that the rest is made up. */
    public static final String SYNTHETIC = "synthetic";
    private static final String WORDS = "SYNTHETIC: generated out of real recordings by ic2-fleet generate; no tenant, host or figure of it is real";
    /** Of a task, so that small fleets have few. */
    private static final long ROWS_OF_A_TASK = 500_000;

    private final JavaSparkContext spark;
    private final SparkSession session;
    private final Blueprint fleet;
    private final Broadcast<Material> material;

    /** This fleet. */
    public SyntheticFleet(SparkSession session, Blueprint fleet, Material material) {
        this.session = session;
        this.spark = JavaSparkContext.fromSparkContext(session.sparkContext());
        this.fleet = fleet;
        this.material = spark.broadcast(material);
    }

    /**
     * A tenant's day.
     *
     * @param tenant its number
     * @param day    the day's number
     */
    private record Part(int tenant, int day) implements java.io.Serializable {
        private static final long serialVersionUID = 1;
    }

    /** Writes the samples of a batch; its files are in the order of hosts and sorted by tenant and time. */
    public void store(AtomicOutput batch) throws IOException {
        StructType columns = new StructType(Arrays.stream(FleetSchema.samples().fields())
                .filter(field -> !FleetSchema.PARTITIONS.contains(field.name())).toArray(org.apache.spark.sql.types.StructField[]::new));
        for (int day = 0; day < fleet.days(); day++) {
            for (Map.Entry<String, List<Part>> one : parts(day).entrySet()) {
                Blueprint ours = fleet;
                Broadcast<Material> everywhere = material;
                JavaRDD<Row> rows = spark.parallelize(one.getValue(), tasks(one.getValue()))
                        .mapPartitions(parts -> rows(ours, everywhere.value(), parts, columns));
                String folder = SampleStore.partition(batch, one.getKey(), fleet.date(day).toString());
                session.createDataFrame(rows, columns).write().parquet(folder);
                plainNames(batch.files(), new Path(folder));
            }
        }
    }

    /** Writes recordings: {@code application=A/host=H/tenant=T/DAY.csv}, or {@code .csv.gz}. */
    public void recordings(AtomicOutput folder, boolean zipped) {
        SerializableConfiguration hadoop = new SerializableConfiguration(session.sparkContext().hadoopConfiguration());
        Blueprint ours = fleet;
        Broadcast<Material> everywhere = material;
        String root = folder.folder().toString();
        List<Part> all = IntStream.range(0, fleet.days()).boxed().flatMap(day -> parts(day).values().stream().flatMap(List::stream)).toList();
        spark.parallelize(all, tasks(all)).foreach(part -> recording(ours, everywhere.value(), part, hadoop, root, zipped));
    }

    /** The tenants that have samples on a day, by application. */
    private Map<String, List<Part>> parts(int day) {
        Map<String, List<Part>> parts = new LinkedHashMap<>();
        for (int tenant = 0; tenant < fleet.tenants(); tenant++) {
            if (fleet.samplesOf(tenant, day) > 0) {
                parts.computeIfAbsent(SyntheticTenant.application(fleet, material.value(), tenant), name -> new ArrayList<>())
                        .add(new Part(tenant, day));
            }
        }
        return parts;
    }

    private int tasks(List<Part> parts) {
        return (int) Math.max(1, Math.min(parts.size(), (long) parts.size() * fleet.seconds() / ROWS_OF_A_TASK));
    }

    private static Iterator<Row> rows(Blueprint fleet, Material material, Iterator<Part> parts, StructType columns) {
        return new Iterator<>() {
            private Part part;
            private Iterator<Sample> samples = Collections.emptyIterator();

            @Override
            public boolean hasNext() {
                while (!samples.hasNext() && parts.hasNext()) {
                    part = parts.next();
                    samples = new SyntheticTenant(fleet, material, part.tenant(), part.day());
                }
                return samples.hasNext();
            }

            @Override
            public Row next() {
                return row(fleet, part, samples.next(), columns.size());
            }
        };
    }

    /** In the order of {@link FleetSchema#samples}, without the partitions. */
    private static Row row(Blueprint fleet, Part part, Sample sample, int size) {
        String tenant = Blueprint.tenant(part.tenant());
        Object[] row = new Object[size];
        row[0] = tenant;
        row[1] = Blueprint.host(fleet.hostOf(part.tenant()));
        row[2] = Timestamp.from(sample.time());
        row[3] = tenant + "-" + fleet.date(part.day());
        row[5] = sample.member();
        row[6] = sample.epoch();
        row[7] = sample.epochEnd();
        int place = 8;
        for (Metric metric : FleetSchema.MEASURED) {
            row[place++] = sample.has(metric) ? (Object) sample.get(metric) : null;
        }
        row[place] = sample.label().map(Label::name).orElse(null);
        return RowFactory.create(row);
    }

    /** Spark puts a random name into each; the same seed is to give the same files. */
    private static void plainNames(FileSystem files, Path folder) throws IOException {
        for (var file : files.listStatus(folder)) {
            String name = file.getPath().getName();
            if (name.startsWith("part-")) {
                files.rename(file.getPath(), new Path(folder, name.substring(0, "part-00000".length()) + ".parquet"));
            } else {
                files.delete(file.getPath(), false);
            }
        }
    }

    private static void recording(Blueprint fleet, Material material, Part part, SerializableConfiguration hadoop, String root, boolean zipped)
            throws IOException {
        Path file = new Path(root, String.format("application=%s/host=%s/tenant=%s/%s.csv%s",
                SyntheticTenant.application(fleet, material, part.tenant()), Blueprint.host(fleet.hostOf(part.tenant())),
                Blueprint.tenant(part.tenant()), fleet.date(part.day()), zipped ? ".gz" : ""));
        Iterator<Sample> samples = new SyntheticTenant(fleet, material, part.tenant(), part.day());
        var out = file.getFileSystem(hadoop.value()).create(file, true);
        try (BufferedWriter lines = new BufferedWriter(new OutputStreamWriter(zipped ? new GZIPOutputStream(out) : out, StandardCharsets.UTF_8))) {
            lines.write(SamplesCsv.header() + "\n");
            while (samples.hasNext()) {
                lines.write(SamplesCsv.line(samples.next()) + "\n");
            }
        }
    }

    /** What the folder says of itself. */
    public Manifest manifest(String kind, List<String> inputs) {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("rows", fleet.rows());
        counts.put("tenants", (long) fleet.tenants());
        counts.put("hosts", (long) fleet.hosts());
        return new Manifest(kind, counts, inputs, Map.of(SYNTHETIC, WORDS, "blueprint", fleet.toString()));
    }
}

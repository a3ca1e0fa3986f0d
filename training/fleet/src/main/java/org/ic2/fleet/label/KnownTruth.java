// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Label;
import org.ic2.training.data.NeighbourLog;
import org.ic2.training.data.TimeRanges;
import org.ic2.training.data.Truth;

/**
 * What is known of tenants or hosts, as {@code ic2-train label} takes it for one recording: time ranges, or the logs of the program
 * {@code neighbour}. Goes to every task as text and is understood there.
 */
public final class KnownTruth implements Serializable {
    private static final long serialVersionUID = 1;
    private static final String ENDING = ".csv";

    private final Map<String, List<String>> files;
    private final boolean logs;
    private final long settling;
    private final Label otherwise;
    private final long interval;
    private String column = FleetSchema.HOST;
    private transient Map<String, Truth> truths;

    private KnownTruth(Map<String, List<String>> files, boolean logs, Duration settling, Label otherwise, Duration interval) {
        this.files = new TreeMap<>(files);
        this.logs = logs;
        this.settling = settling.toMillis();
        this.otherwise = otherwise;
        this.interval = interval.toMillis();
        truths();
    }

    /**
     * Ranges of tenants or hosts: {@code tenant,from,to,label} or {@code host,from,to,label}.
     *
     * @param otherwise the label outside all ranges, and of what no range names; null: none
     * @param interval  of the samples
     */
    public static KnownTruth ranges(Configuration hadoop, String file, Label otherwise, Duration interval) throws IOException {
        Path path = new Path(file);
        return new KnownTruth(Map.of(file, lines(path.getFileSystem(hadoop), path)), false, Duration.ZERO, otherwise, interval);
    }

    /**
     * The logs of neighbours: {@code HOST.csv} for each host.
     *
     * @param settling what counts as TRANSIENT after a switch
     */
    public static KnownTruth neighbours(Configuration hadoop, String folder, Duration settling, Duration interval) throws IOException {
        FileSystem files = new Path(folder).getFileSystem(hadoop);
        Map<String, List<String>> logs = new HashMap<>();
        for (FileStatus one : files.listStatus(new Path(folder))) {
            if (one.getPath().getName().endsWith(ENDING)) {
                logs.put(one.getPath().toString(), lines(files, one.getPath()));
            }
        }
        if (logs.isEmpty()) {
            throw new FleetException(folder + ": expected logs of the program neighbour, HOST.csv for each host, got none");
        }
        return new KnownTruth(logs, true, settling, null, interval);
    }

    private static List<String> lines(FileSystem files, Path file) throws IOException {
        try (FSDataInputStream in = files.open(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private Map<String, Truth> truths() {
        if (truths == null) {
            Map<String, Truth> read = new HashMap<>();
            if (logs) {
                files.forEach((file, lines) -> read.put(file.substring(file.lastIndexOf('/') + 1, file.length() - ENDING.length()),
                        Truth.ofSwitches(NeighbourLog.read(file, lines), Duration.ofMillis(settling))));
            } else {
                files.forEach((file, lines) -> {
                    var ranges = TimeRanges.readMany(file, lines, List.of(FleetSchema.TENANT, FleetSchema.HOST), Optional.ofNullable(otherwise));
                    column = ranges.getKey();
                    read.putAll(ranges.getValue());
                });
            }
            truths = read;
        }
        return truths;
    }

    /** The samples with these labels; the ones that they had are gone. */
    public Dataset<Row> labelled(Dataset<Row> samples) {
        UDF2<String, Timestamp, String> label = (name, time) -> label(name, time.toInstant());
        Column known = functions.udf(label, DataTypes.StringType).apply(functions.col(column), functions.col(FleetSchema.TIME));
        return samples.withColumn(FleetSchema.LABEL, known);
    }

    /** The label of a sample, null if nothing is known. */
    String label(String name, Instant time) {
        Truth truth = truths().get(name);
        Optional<Label> label = truth == null ? Optional.ofNullable(otherwise) : truth.of(time.minusMillis(interval), time);
        return label.map(Label::name).orElse(null);
    }

    /** Those that are named here and of whom the store has no sample: a name that was not meant. */
    public List<String> unknown(Dataset<Row> samples) {
        Set<String> named = new TreeSet<>(truths().keySet());
        samples.select(column).distinct().collectAsList().forEach(row -> named.remove(row.isNullAt(0) ? "" : row.getString(0)));
        return Arrays.asList(named.toArray(String[]::new));
    }

    /** Whose it is: the column {@code tenant} or {@code host}. */
    public String column() {
        return column;
    }
}

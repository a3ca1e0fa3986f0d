// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.data.RowMaker;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;

/**
 * The {@link BatchRows} of one recording, line after line, and at last that of the file. A line in the middle that is not understood
 * becomes a broken row; a file that is cut off, or whose header is not understood, ends it all.
 */
final class RecordingRows implements Iterator<Row> {
    private final RecordingFile file;
    private final RawLines lines;
    private final Optional<Run> facts;
    private final Origin origin;
    private final String factsLine;
    private final String name;
    private final Deque<Row> ready = new ArrayDeque<>();
    private SamplesCsv.Reader reader;
    /** The same if the recording itself says whose it is, else null. */
    private SamplesCsv.Reader cells;
    private long rows;
    private long broken;
    private long lastBroken;
    private boolean ended;

    RecordingRows(Configuration hadoop, RecordingFile file, Origin.Said said) throws IOException {
        this.file = file;
        facts = facts(hadoop, file);
        origin = Origin.of(file.path(), facts, said);
        factsLine = facts.map(RecordingRows::kept).orElse(null);
        name = facts.map(Run::id).orElse(file.path());
        lines = new RawLines(hadoop, file);
    }

    private static Optional<Run> facts(Configuration hadoop, RecordingFile file) throws IOException {
        Path beside = new Path(file.folder(), RunFolder.FACTS);
        FileSystem files = beside.getFileSystem(hadoop);
        if (!files.exists(beside)) {
            return Optional.empty();
        }
        try (FSDataInputStream in = files.open(beside)) {
            return Optional.of(RunFolder.of(beside.toString(), new String(in.readAllBytes(), StandardCharsets.UTF_8), List.of()));
        }
    }

    /** What a row depends on. */
    private static String kept(Run run) {
        Map<String, String> kept = new LinkedHashMap<>(run.facts());
        kept.keySet().removeIf(fact -> !RowMaker.FACTS.contains(fact) && !fact.equals(Run.KIND));
        return RunFolder.line(new Run(run.id(), run.interval(), run.baseline(), List.of(), kept, List.of()));
    }

    @Override
    public boolean hasNext() {
        while (ready.isEmpty() && !ended) {
            read();
        }
        return !ready.isEmpty();
    }

    @Override
    public Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.poll();
    }

    private void read() {
        String line = lines.next();
        if (line == null) {
            end();
        } else if (reader == null) {
            reader = SamplesCsv.reader(file.path(), line);
            cells = Stream.of(line.strip().split(",")).map(String::strip).anyMatch(SamplesCsv.ORIGIN::contains) ? reader : null;
        } else if (!line.isBlank()) {
            understand(line);
        }
    }

    private void understand(String line) {
        try {
            ready.add(row(reader.sample(line, Math.toIntExact(lines.number())), line));
            rows++;
        } catch (FormatException | IllegalArgumentException e) {
            broken++;
            lastBroken = lines.number();
            String reason = String.valueOf(e.getMessage());
            String place = file.path() + ": line " + lines.number() + ": ";
            ready.add(BatchRows.of(BatchRows.BROKEN, Map.of(BatchRows.PATH, file.path(), BatchRows.LINE, lines.number(),
                    BatchRows.REASON, reason.startsWith(place) ? reason.substring(place.length()) : reason, BatchRows.TEXT, line)));
        }
    }

    private Row row(Sample sample, String line) {
        Object[] row = BatchRows.sample();
        BatchRows.put(row, FleetSchema.TENANT, origin.tenant(cells, line, file.path()));
        BatchRows.put(row, FleetSchema.HOST, origin.host(cells, line));
        BatchRows.put(row, FleetSchema.TIME, Timestamp.from(sample.time()));
        BatchRows.put(row, FleetSchema.RUN, name);
        BatchRows.put(row, FleetSchema.FACTS, factsLine);
        BatchRows.put(row, FleetSchema.MEMBER, sample.member());
        BatchRows.put(row, FleetSchema.EPOCH, sample.epoch());
        BatchRows.put(row, FleetSchema.EPOCH_END, sample.epochEnd());
        for (Metric metric : FleetSchema.MEASURED) {
            if (sample.has(metric)) {
                BatchRows.put(row, metric.column(), sample.get(metric));
            }
        }
        BatchRows.put(row, FleetSchema.LABEL, sample.label().map(Label::name).orElse(null));
        BatchRows.put(row, FleetSchema.APPLICATION, origin.application(cells, line));
        BatchRows.put(row, FleetSchema.DAY, sample.time().atZone(ZoneOffset.UTC).toLocalDate().toString());
        return RowFactory.create(row);
    }

    private void end() {
        ended = true;
        if (reader == null) {
            throw new FleetException(file.path() + ": line 1: the file is empty; expected a header line");
        }
        if (lines.brokenOff() && lastBroken == lines.number()) {
            throw new FleetException(file.path() + ": line " + lines.number() + ": the file ends in the middle of a line; it was cut off, or is"
                    + " still being written. Nothing was taken in");
        }
        try (lines) {
            ready.add(BatchRows.of(BatchRows.FILE, Map.of(BatchRows.PATH, file.path(), BatchRows.SIZE, file.size(), BatchRows.MODIFIED,
                    file.modified(), BatchRows.CHECKSUM, lines.checksum(), BatchRows.ROWS, rows, BatchRows.BROKEN_ROWS, broken)));
        } catch (IOException e) {
            throw new UncheckedIOException(file.path() + ": " + e.getMessage(), e);
        }
    }
}

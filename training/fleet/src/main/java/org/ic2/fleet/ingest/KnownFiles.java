// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.ic2.fleet.store.FleetException;

/**
 * The files that a store has. A file of the same path, size and time is not opened again; of the same path and other time it is
 * opened and passed over if its content is the same; another content of a known file is an error, since the rows of the old one
 * are in the store.
 */
final class KnownFiles {
    private final Dataset<Row> files;
    private final Map<String, RecordingFile> byPath = new HashMap<>();
    private final Map<String, String> checksums = new HashMap<>();

    private KnownFiles(Dataset<Row> files) {
        this.files = files;
    }

    /** @param files those of the store */
    static KnownFiles of(Dataset<Row> files) {
        KnownFiles known = new KnownFiles(files);
        for (Iterator<Row> rows = known.files.toLocalIterator(); rows.hasNext();) {
            Row row = rows.next();
            String path = row.getAs(BatchRows.PATH);
            known.byPath.put(path, new RecordingFile(path, row.getAs(BatchRows.SIZE), row.getAs(BatchRows.MODIFIED)));
            known.checksums.put(path, row.getAs(BatchRows.CHECKSUM));
        }
        return known;
    }

    /** Those of these that the store does not have. */
    List<RecordingFile> fresh(Configuration hadoop, List<RecordingFile> found) throws IOException {
        List<RecordingFile> fresh = new ArrayList<>();
        for (RecordingFile file : found) {
            RecordingFile before = byPath.get(file.path());
            if (before == null) {
                fresh.add(file);
            } else if (!before.equals(file)) {
                requireSame(hadoop, before, file);
            }
        }
        return fresh;
    }

    private void requireSame(Configuration hadoop, RecordingFile before, RecordingFile file) throws IOException {
        boolean same = before.size() == file.size();
        if (same) {
            try (RawLines lines = new RawLines(hadoop, file)) {
                same = lines.checksum().equals(checksums.get(file.path()));
            }
        }
        if (!same) {
            throw new FleetException(file.path() + ": was taken in with " + before.size() + " bytes and has others now (" + file.size()
                    + " bytes); its rows would be there twice. Record into a new file each day, or ingest all into a new store");
        }
    }

    /** An error if one of these new files has the content of another or of a known one. */
    void requireUnlike(Dataset<Row> fresh) {
        Dataset<Row> some = fresh.filter(functions.col(BatchRows.ROWS).gt(0)).select(BatchRows.PATH, BatchRows.CHECKSUM);
        Dataset<Row> all = some.unionByName(files.select(BatchRows.PATH, BatchRows.CHECKSUM));
        Optional<Row> twice = all.groupBy(BatchRows.CHECKSUM)
                .agg(functions.count("*").as("times"), functions.min(BatchRows.PATH).as("one"), functions.max(BatchRows.PATH).as("other"))
                .filter("times > 1 and one <> other").orderBy("one").limit(1).collectAsList().stream().findFirst();
        twice.ifPresent(row -> {
            throw new FleetException(row.<String>getAs("other") + ": has the same content as " + row.getAs("one")
                    + "; its rows would be there twice. Leave one of them out");
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.ic2.fleet.store.FleetException;

/** Finds the recordings below folders, and parts them into jobs of like size. */
final class Listing {
    /** {@code samples.csv}, {@code monday.csv.gz}: what Hadoop can decompress. */
    private static final Pattern RECORDING = Pattern.compile("[^._].*\\.csv(\\.(gz|bz2|zst|snappy|lz4|deflate))?");

    private Listing() {
    }

    /**
     * The recordings that these files, folders or patterns hold, each once, in the order of their paths.
     *
     * @throws FleetException if one of them is not there or holds none
     */
    static List<RecordingFile> of(Configuration hadoop, List<String> inputs) throws IOException {
        Map<String, RecordingFile> found = new TreeMap<>();
        for (String input : inputs) {
            Path pattern = new Path(input);
            FileSystem files = pattern.getFileSystem(hadoop);
            FileStatus[] matches = files.globStatus(pattern);
            if (matches == null || matches.length == 0) {
                throw new FleetException(input + ": there is no such file or folder");
            }
            int before = found.size();
            for (FileStatus match : matches) {
                add(files, match, found);
            }
            if (found.size() == before) {
                throw new FleetException(input + ": expected recordings, NAME.csv or NAME.csv.gz; there is none, or they are named twice");
            }
        }
        return List.copyOf(found.values());
    }

    private static void add(FileSystem files, FileStatus match, Map<String, RecordingFile> found) throws IOException {
        if (match.isFile()) {
            put(match, found);
            return;
        }
        RemoteIterator<LocatedFileStatus> below = files.listFiles(match.getPath(), true);
        while (below.hasNext()) {
            LocatedFileStatus file = below.next();
            if (RECORDING.matcher(file.getPath().getName()).matches()) {
                put(file, found);
            }
        }
    }

    private static void put(FileStatus file, Map<String, RecordingFile> found) {
        String path = file.getPath().toString();
        found.put(path, new RecordingFile(path, file.getLen(), file.getModificationTime()));
    }

    /** The files in lists of about equal bytes, neighbours together, so that a task writes few files. */
    static List<List<RecordingFile>> jobs(List<RecordingFile> files, long bytes) {
        List<List<RecordingFile>> jobs = new ArrayList<>();
        List<RecordingFile> job = new ArrayList<>();
        long size = 0;
        for (RecordingFile file : files.stream().sorted(Comparator.comparing(RecordingFile::path)).toList()) {
            if (!job.isEmpty() && size + file.size() > bytes) {
                jobs.add(new ArrayList<>(job));
                job.clear();
                size = 0;
            }
            job.add(file);
            size += file.size();
        }
        if (!job.isEmpty()) {
            jobs.add(new ArrayList<>(job));
        }
        return jobs;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.ingest;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.ZipException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.util.LineReader;
import org.ic2.fleet.store.FleetException;

/** The lines of one file of any Hadoop file system, decompressed by its name's ending, and the checksum of its bytes. */
final class RawLines implements AutoCloseable {
    /** What is longer is no line of ours; the rest of it is not kept. */
    static final int LONGEST = 1 << 16;

    private final String path;
    private final DigestInputStream raw;
    private final Ends ends;
    private final LineReader lines;
    private final Text text = new Text();
    private long number;

    RawLines(Configuration hadoop, RecordingFile file) throws IOException {
        path = file.path();
        Path where = new Path(path);
        CompressionCodec codec = new CompressionCodecFactory(hadoop).getCodec(where);
        raw = new DigestInputStream(where.getFileSystem(hadoop).open(where), sha256());
        ends = new Ends(codec == null ? raw : codec.createInputStream(raw));
        lines = new LineReader(ends);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The next line without its end, null after the last one. */
    String next() {
        try {
            if (lines.readLine(text, LONGEST) == 0) {
                return null;
            }
        } catch (EOFException | ZipException e) {
            throw new FleetException(path + ": line " + (number + 1) + ": the compressed file cannot be read to its end (" + e.getMessage()
                    + "); it was cut off, or is still being written. Nothing was taken in", e);
        } catch (IOException e) {
            throw new UncheckedIOException(path + ": line " + (number + 1) + ": " + e.getMessage(), e);
        }
        number++;
        return text.toString();
    }

    /** The number of the line that came last, from 1. */
    long number() {
        return number;
    }

    /** True if the file is at its end and its last line has none. */
    boolean brokenOff() {
        return ends.last != '\n';
    }

    /** The checksum of the file's bytes, once all lines were read. */
    String checksum() throws IOException {
        // what a codec leaves after its last block belongs to the file, too
        raw.transferTo(java.io.OutputStream.nullOutputStream());
        return HexFormat.of().formatHex(raw.getMessageDigest().digest());
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }

    /** Knows the last byte. */
    private static final class Ends extends FilterInputStream {
        private int last = '\n';

        Ends(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int one = super.read();
            last = one < 0 ? last : one;
            return one;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int got = super.read(into, from, length);
            last = got > 0 ? into[from + got - 1] : last;
            return got;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Text files, plain or compressed ({@code .gz}). A file is written whole or not at all. */
public final class TextFiles {
    private TextFiles() {
    }

    /** The lines of a file. */
    public static List<String> lines(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file);
                BufferedReader reader = new BufferedReader(new InputStreamReader(
                        file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        } catch (UncheckedIOException e) {
            throw new IOException(file + ": cannot be read to its end: " + e.getCause().getMessage(), e);
        }
    }

    /** Replaces a file in one step, so that a reader or a crash never sees half of it. */
    public static void write(Path file, String text) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Files.createDirectories(folder);
        Path fresh = folder.resolve(file.getFileName() + ".new");
        try (OutputStream out = Files.newOutputStream(fresh)) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (file.toString().endsWith(".gz")) {
                try (GZIPOutputStream zipped = new GZIPOutputStream(out)) {
                    zipped.write(bytes);
                }
            } else {
                out.write(bytes);
            }
        }
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** What a file has gained since it was of this size; all of it if it is smaller now. */
    public static byte[] since(Path file, long size) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            open.seek(Math.min(size, open.length()));
            byte[] gained = new byte[(int) (open.length() - open.getFilePointer())];
            open.readFully(gained);
            return gained;
        }
    }

    /** Removes a folder with all that is in it, if it is there. */
    public static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> inside = Files.walk(folder)) {
                for (Path one : inside.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(one);
                }
            }
        }
    }

    /** Lines joined, each with its line end. */
    public static String joined(List<String> lines) {
        return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
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

    /** Lines joined, each with its line end. */
    public static String joined(List<String> lines) {
        return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    }
}

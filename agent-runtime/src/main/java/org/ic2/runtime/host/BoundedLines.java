// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lines of a file one by one, however many they are; a line that is too long to be one is an error that says so. */
public final class BoundedLines implements Closeable {

    private final BufferedReader in;
    private final String source;
    private int number;

    /** Opens a file, or a pipe that a person has named. */
    public BoundedLines(Path file) throws IOException {
        in = Files.newBufferedReader(file, StandardCharsets.UTF_8);
        source = file.toString();
    }

    /**
     * The next line without its end, null after the last.
     *
     * @throws IOException when it is longer than {@link LineBuffer#LONGEST_LINE} characters, or cannot be read
     */
    public String next() throws IOException {
        number++;
        StringBuilder line = new StringBuilder(256);
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.length() == LineBuffer.LONGEST_LINE) {
                throw new IOException(source + ", line " + number + ": expected a line of at most "
                        + BoundedText.size(LineBuffer.LONGEST_LINE) + ", and this one is longer");
            }
            line.append((char) next);
        }
        int end = line.length();
        return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
    }

    /** Of the line that {@link #next} gave last, from 1. */
    public int number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads what others write, whatever stands under a file's name and however much it is: all that the agent takes from
 * files, pages and sockets goes through these limits, so that none of it can keep a thread for good or take more
 * memory than it is worth. What is too much is an error that says so, never a part taken for the whole.
 */
public final class BoundedText {

    /** Of a file of figures, such as those of {@code /proc}: those of machines with hundreds of CPUs are half as long. */
    public static final int FILE_BYTES = 1024 * 1024;

    /** Of a configuration, rules or a classifier; the classifiers that we ship are a thirtieth of it. */
    public static final int SETTINGS_BYTES = 128 * 1024;

    /** Of a status page; the scoreboard of 20 000 threads is a tenth of it. */
    public static final int PAGE_BYTES = 256 * 1024;

    /** Of a text that is split into lines or words, each of which costs more memory than it has letters. */
    public static final int MOST_PARTS = 20_000;

    /** Here nothing but directories, links and regular files can be. */
    private static final Path FIGURES = Path.of("/sys/fs/cgroup");

    /** What the Java runtime reads without a buffer of its own. */
    private static final int PIECE = 8 * 1024;

    private BoundedText() {
    }

    /**
     * The whole text of a regular file.
     *
     * @throws IOException when it is longer than {@code most} bytes, no regular file, or no text
     */
    public static String file(Path path, int most, Charset charset) throws IOException {
        byte[] bytes = read(path, most + 1);
        if (bytes.length > most) {
            throw new IOException(path + " is longer than " + size(most));
        }
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new IOException(path + " is no text in " + charset, e);
        }
    }

    /** The first bytes of a regular file. */
    public static String head(Path path, int bytes, Charset charset) throws IOException {
        return new String(read(path, bytes), charset);
    }

    /**
     * Reads to the end, in as few calls of the system as go: agents read some hundred files of figures a turn. To ask such a file for
     * its length, as {@code readNBytes} does, costs as much as to read it, and says nothing.
     */
    private static byte[] read(Path path, int most) throws IOException {
        if (!path.startsWith(FIGURES)) {
            try {
                requireRegular(path, Files.readAttributes(path, BasicFileAttributes.class));
            } catch (NoSuchFileException e) {
                throw none(path);
            }
        }
        try (InputStream in = new FileInputStream(path.toFile())) {
            byte[] bytes = new byte[Math.min(most, PIECE)];
            int length = 0;
            for (int count = 0; count >= 0 && length < most; length += Math.max(0, count)) {
                if (length == bytes.length) {
                    bytes = Arrays.copyOf(bytes, (int) Math.min(most, 2L * length));
                }
                count = in.read(bytes, length, Math.min(PIECE, bytes.length - length));
            }
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        } catch (FileNotFoundException e) {
            throw Files.exists(path) ? e : none(path);
        }
    }

    private static NoSuchFileException none(Path path) {
        return new NoSuchFileException(path.toString(), null, "no such file");
    }

    /** To open a FIFO may wait for ever, and a device may never end. */
    static void requireRegular(Path path, BasicFileAttributes attributes) throws IOException {
        if (!attributes.isRegularFile()) {
            throw new IOException("expected a regular file at " + path + ", got "
                    + (attributes.isDirectory() ? "a directory" : "a FIFO, socket or device"));
        }
    }

    /**
     * The lines of a text, without their ends.
     *
     * @param source what it is, for the error
     * @throws IOException when there are more than {@link #MOST_PARTS}
     */
    public static List<String> lines(String text, String source) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int start = 0; start < text.length();) {
            int newline = text.indexOf('\n', start);
            int end = newline < 0 ? text.length() : newline;
            if (lines.size() == MOST_PARTS) {
                throw new IOException(source + " has more than " + MOST_PARTS + " lines");
            }
            lines.add(text.substring(start, end > start && text.charAt(end - 1) == '\r' ? end - 1 : end));
            start = end + 1;
        }
        return lines;
    }

    /** At most so much of a text as fits into a message. */
    public static String brief(String text) {
        String line = text.strip().replace('\n', ' ');
        return line.length() > 400 ? line.substring(0, 400) + "..." : line;
    }

    static String size(int bytes) {
        return bytes / 1024 + " KB";
    }
}

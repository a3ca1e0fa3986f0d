// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Logger;
import org.ic2.runtime.host.LineBuffer;

/**
 * A file of lines that one process appends to, each on the disk before the call returns, and that stays short. A lock
 * file beside it keeps other processes away. What the lines mean is not looked at but by the digest. Not thread-safe.
 */
final class JournalFile implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(JournalFile.class.getName());

    /** The latest entries, a hundred decisions and more: what is shown after a start, and kept of a long journal. */
    /** That of a host of 500 guests has 120 KB. */
    private static final int LONGEST_ENTRY = 1024 * 1024;
    private static final int TAIL_BYTES = 512 * 1024;

    private static final long LONGEST_FILE = 16 * 1024 * 1024;
    private static final long RETRY_AFTER = 1024 * 1024;

    private final Path file;
    private final Supplier<JournalDigest> digests;
    private FileChannel lock;
    private long longest = LONGEST_FILE;
    private RandomAccessFile out;
    private IOException failure;

    /**
     * Locks, shortens if need be, and opens for appending, as far as the disk allows: what fails is tried again with each line.
     *
     * @param digests an empty digest for each time the file is shortened
     * @throws LockedException when another process has it
     */
    JournalFile(Path file, Supplier<JournalDigest> digests) throws LockedException {
        this.file = file;
        this.digests = digests;
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            lock = lock(file.resolveSibling(file.getFileName() + ".lock"));
            if (Files.isRegularFile(file)) {
                shortenIfLong(Files.size(file));
            }
            out = open();
        } catch (LockedException e) {
            throw e;
        } catch (IOException e) {
            failure = e;
        }
    }

    /** Why it could not be opened for writing at first; null when it could. */
    IOException failure() {
        return failure;
    }

    /** Another process writes the journal. */
    static final class LockedException extends IOException {
        private static final long serialVersionUID = 1;

        LockedException(Path lockFile) {
            super("another agent has it (" + lockFile + " is locked)");
        }
    }

    private static FileChannel lock(Path lockFile) throws IOException {
        FileChannel opened = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = opened.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            opened.close();
            throw new LockedException(lockFile);
        }
        return opened;
    }

    /**
     * Opens for appending; a line that a crash or a full disk cut short is ended, so that the next one stands alone. No
     * channel: one that an interrupt finds writing is closed, and the agent is interrupted when it is to end.
     */
    private RandomAccessFile open() throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("expected a regular file, got a directory, FIFO or device");
        }
        RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
        try {
            long size = opened.length();
            if (size > 0) {
                opened.seek(size - 1);
                if (opened.read() != '\n') {
                    opened.seek(size);
                    opened.write('\n');
                }
            }
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Appends a line and waits until it is on the disk.
     *
     * @throws IOException when it is not; then nothing of it is in the file, as far as the disk allows
     */
    void append(String line) throws IOException {
        if (lock == null) {
            lock = lock(file.resolveSibling(file.getFileName() + ".lock"));
        }
        if (out == null) {
            out = open();
        }
        long start = out.length();
        try {
            out.seek(start);
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.getFD().sync();
        } catch (IOException e) {
            takeBack(start, e);
            throw e;
        }
    }

    private void takeBack(long start, IOException reason) throws IOException {
        try {
            out.setLength(start);
        } catch (IOException e) {
            reason.addSuppressed(e);
            out.close();
            out = null;
        }
    }

    /** Shortens what has grown long; to be called after each line, when the digest knows it. */
    void shortenIfLong() throws IOException {
        shortenIfLong(out.length());
    }

    /** A journal that stays long is a nuisance, and no reason to stop. */
    private void shortenIfLong(long size) {
        if (size <= longest) {
            return;
        }
        RandomAccessFile full = out;
        out = null;
        try {
            if (full != null) {
                full.close();
            }
            shorten();
            longest = LONGEST_FILE;
        } catch (IOException e) {
            longest = size + RETRY_AFTER;
            LOG.warning("the journal " + file + " is long and cannot be shortened: " + e);
        }
    }

    /**
     * A journal that has grown long becomes FILE.1. The new one begins with what a start must know of the older entries
     * and ends with the latest. There is a whole journal at every moment.
     */
    private void shorten() throws IOException {
        JournalDigest older = digests.get();
        Deque<String> latest = new ArrayDeque<>();
        int[] kept = {0};
        read(file, line -> {
            latest.addLast(line);
            kept[0] += line.length() + 1;
            while (kept[0] > TAIL_BYTES) {
                String old = latest.removeFirst();
                kept[0] -= old.length() + 1;
                older.add(old);
            }
        });
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel out = FileChannel.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING); Writer writer = Channels.newWriter(out, StandardCharsets.UTF_8)) {
            for (Line line : older.lines()) {
                writer.write(line + "\n");
            }
            for (String line : latest) {
                writer.write(line + "\n");
            }
            writer.flush();
            out.force(true);
        }
        Path old = older(file);
        Files.deleteIfExists(old);
        Files.createLink(old, file);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Hands out the lines of a file, one after the other. Bytes that are no text spoil their own line only, and one that
     * is longer than any entry is left out.
     */
    static void read(Path file, Consumer<String> use) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            read(in, use);
        }
    }

    private static void read(InputStream in, Consumer<String> use) throws IOException {
        LineBuffer lines = new LineBuffer(LONGEST_ENTRY);
        byte[] chunk = new byte[8 * 1024];
        for (int count = in.read(chunk); count > 0; count = in.read(chunk)) {
            lines.add(chunk, count);
            lines.take().forEach(use);
        }
        lines.end();
        lines.take().forEach(use);
    }

    /** What a journal that has grown long has become. */
    static Path older(Path file) {
        return file.resolveSibling(file.getFileName() + ".1");
    }

    /**
     * The same of FILE.1 and then of what FILE has beyond it: it begins with what a start must know, and with the end of FILE.1.
     *
     * @return why FILE.1 was left out, or what follows somewhere in it; empty where it was read, or there is none
     */
    static Optional<String> readAll(Path file, Consumer<String> use) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {    // first: it may become FILE.1 meanwhile
            String[] last = {null};
            Optional<String> problem = readOlder(older(file), line -> {
                last[0] = line;
                use.accept(line);
            });
            int[] skipped = {0};
            if (last[0] != null) {
                int[] number = {0};
                read(Channels.newInputStream(in), line -> {
                    number[0]++;
                    skipped[0] = skipped[0] == 0 && line.equals(last[0]) ? number[0] : skipped[0];
                });
                in.position(0);
            }
            read(Channels.newInputStream(in), line -> {
                if (--skipped[0] < 0) {
                    use.accept(line);
                }
            });
            return problem;
        }
    }

    private static Optional<String> readOlder(Path old, Consumer<String> use) {
        try {
            if (Files.isRegularFile(old)) {
                read(old, use);
            } else if (Files.exists(old, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("expected a regular file");
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("the older part of the journal, " + old + ", cannot be read and is left out: "
                    + (e instanceof FileSystemException ? e.toString() : e.getMessage()));
        }
    }

    /** The end of a file; its first line may be cut. */
    static String tail(Path file) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            long start = Math.max(0, in.size() - TAIL_BYTES);
            ByteBuffer bytes = ByteBuffer.allocate((int) (in.size() - start));
            in.position(start);
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                continue;
            }
            // Of a line cut at the start no JSON object is left, so it drops out by itself.
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
        if (lock != null) {
            lock.close();
        }
    }
}

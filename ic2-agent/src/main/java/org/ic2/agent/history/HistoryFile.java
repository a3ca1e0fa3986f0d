// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * Steps in a file whose size never changes: a head that names the columns, and for each length of a step as many places as
 * there are steps kept. A step's place follows from its time, and a place holds what it says only if its time is the right
 * one and its checksum fits: so what a crash cut short, what is older, and what a clock that was set back left is not there.
 */
final class HistoryFile implements AutoCloseable {

    /**
     * The steps of one length.
     *
     * @param seconds of a step
     * @param places  how many are kept
     */
    record Ring(int seconds, int places) {
        long span() {
            return (long) seconds * places;
        }
    }

    /** A bit more than six hours, and than a day. */
    static final List<Ring> RINGS = List.of(new Ring(10, 2200), new Ring(60, 1480));
    static final int HEAD = 8 * 1024;
    /** With these the file has less than 2 MB. */
    static final int MOST_COLUMNS = 120;

    private static final String VERSION = "ic2-history 1 ";
    /** A disk that hangs may hold one reader: the others are the threads that answer whether the agent lives. */
    private static final long PATIENCE_MILLIS = 2000;

    private final RandomAccessFile file;
    private final int columns;
    private final int size;
    private final ReentrantLock lock = new ReentrantLock();

    private HistoryFile(RandomAccessFile file, int columns) {
        this.file = file;
        this.columns = columns;
        this.size = Long.BYTES + 2 * Short.BYTES + Float.BYTES * columns + Integer.BYTES;
    }

    /**
     * Opens or makes the file. One with other columns is taken over as far as they are the same.
     *
     * @param damaged hears why a file that there was is not gone on with
     */
    static HistoryFile open(Path path, List<String> columns, Consumer<String> damaged) throws IOException {
        if (!Files.exists(path)) {
            return fresh(path, columns);
        }
        if (!Files.isRegularFile(path)) {
            throw new IOException("it is no regular file");
        }
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        try {
            List<String> found = columns(file);
            HistoryFile history = new HistoryFile(file, found.size());
            if (found.equals(columns)) {
                file.setLength(history.length());
                return history;
            }
            try (history) {
                return found.isEmpty() ? anew(path, columns, damaged) : takenOver(history, found, path, columns);
            }
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private static HistoryFile anew(Path path, List<String> columns, Consumer<String> damaged) throws IOException {
        damaged.accept("it does not begin as a history does");
        return fresh(path, columns);
    }

    private static HistoryFile fresh(Path path, List<String> columns) throws IOException {
        Path beside = path.resolveSibling(path.getFileName() + ".new");
        HistoryFile made = make(beside, columns);
        Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE);
        return made;
    }

    private static HistoryFile make(Path path, List<String> columns) throws IOException {
        Files.deleteIfExists(path);
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
        try {
            HistoryFile made = new HistoryFile(file, columns.size());
            file.setLength(made.length());
            file.write(head(columns));
            return made;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private static HistoryFile takenOver(HistoryFile old, List<String> found, Path path, List<String> columns) throws IOException {
        Path beside = path.resolveSibling(path.getFileName() + ".new");
        HistoryFile made = make(beside, columns);
        int[] from = columns.stream().mapToInt(found::indexOf).toArray();
        try {
            for (Ring ring : RINGS) {
                old.all(ring, point -> {
                    float[] values = new float[from.length];
                    for (int i = 0; i < from.length; i++) {
                        values[i] = from[i] < 0 ? Float.NaN : point.values()[from[i]];
                    }
                    made.write(ring, new HistoryPoint(point.time(), point.state(), point.level(), values));
                });
            }
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE);
            return made;
        } catch (IOException e) {
            made.close();
            throw e;
        }
    }

    private static byte[] head(List<String> columns) {
        byte[] text = (VERSION + RINGS + " " + String.join(",", columns) + "\n").getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(text, HEAD);
    }

    /** As many of the columns, from the first, as a file can have. */
    static List<HistoryColumn> fitting(List<HistoryColumn> columns) {
        List<HistoryColumn> fitting = columns.subList(0, Math.min(columns.size(), MOST_COLUMNS));
        int free = HEAD - VERSION.length() - RINGS.toString().length() - 2;
        int count = 0;
        while (count < fitting.size() && (free -= fitting.get(count).name().length() + 1) >= 0) {
            count++;
        }
        return fitting.subList(0, count);
    }

    /** The columns that a file says; none when its head is not as it should be. */
    private static List<String> columns(RandomAccessFile file) throws IOException {
        byte[] head = new byte[HEAD];
        file.seek(0);
        if (file.length() < HEAD || file.read(head) < HEAD) {
            return List.of();
        }
        String text = new String(head, StandardCharsets.UTF_8);
        String before = VERSION + RINGS + " ";
        int end = text.indexOf('\n');
        if (end < 0 || !text.startsWith(before)) {
            return List.of();
        }
        List<String> columns = List.of(text.substring(before.length(), end).split(","));
        boolean names = columns.stream().allMatch(name -> name.matches("[a-z][a-z0-9_]*"));
        return names && columns.size() <= MOST_COLUMNS ? columns : List.of();
    }

    private long length() {
        return HEAD + RINGS.stream().mapToLong(Ring::places).sum() * size;
    }

    private long position(Ring ring, long place) {
        long before = RINGS.subList(0, RINGS.indexOf(ring)).stream().mapToLong(Ring::places).sum();
        return HEAD + (before + place) * size;
    }

    static long place(Ring ring, long time) {
        return time / ring.seconds() % ring.places();
    }

    /** Bytes of a step. */
    int size() {
        return size;
    }

    /** Puts a step into its place. */
    void write(Ring ring, HistoryPoint point) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(size).putLong(point.time())
                .putShort((short) History.STATES.indexOf(point.state())).putShort((short) Math.min(point.level(), Short.MAX_VALUE));
        for (float value : point.values()) {
            bytes.putFloat(value);
        }
        bytes.putInt(checksum(bytes.array(), 0));
        acquire();
        try {
            file.seek(position(ring, place(ring, point.time())));
            file.write(bytes.array());
        } finally {
            lock.unlock();
        }
    }

    private void acquire() throws IOException {
        try {
            if (!lock.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("the disk does not answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        }
    }

    private int checksum(byte[] bytes, int start) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes, start, size - Integer.BYTES);
        return (int) checksum.getValue();
    }

    /** What is done with a step. */
    interface Use {
        void use(HistoryPoint point) throws IOException;
    }

    /** The steps that begin in a time, its end included, oldest first. */
    HistoryCursor read(Ring ring, long since, long until) {
        return new HistoryCursor(this, ring, since, until);
    }

    private void all(Ring ring, Use use) throws IOException {
        byte[] bytes = new byte[size];
        for (long place = 0; place < ring.places(); place++) {
            HistoryPoint point = fill(ring, place, bytes, size) == size ? point(bytes, 0) : null;
            if (point != null) {
                use.use(point);
            }
        }
    }

    /** Reads from a place on; less than asked for only at the file's end. */
    int fill(Ring ring, long place, byte[] bytes, int length) throws IOException {
        acquire();
        try {
            file.seek(position(ring, place));
            int filled = 0;
            for (int read = 0; read >= 0 && filled < length; filled += Math.max(0, read)) {
                read = file.read(bytes, filled, length - filled);
            }
            return filled;
        } finally {
            lock.unlock();
        }
    }

    /** What stands there; null when it is nothing whole. */
    HistoryPoint point(byte[] bytes, int start) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, start, size);
        long time = buffer.getLong();
        int state = buffer.getShort();
        int level = buffer.getShort();
        if (time <= 0 || state < 0 || state >= History.STATES.size() || level < 0) {
            return null;
        }
        float[] values = new float[columns];
        for (int i = 0; i < columns; i++) {
            values[i] = buffer.getFloat();
        }
        return buffer.getInt() == checksum(bytes, start) ? new HistoryPoint(time, History.STATES.get(state), level, values) : null;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

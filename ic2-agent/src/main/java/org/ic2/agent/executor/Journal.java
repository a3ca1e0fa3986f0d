// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.logging.Logger;

/**
 * The append-only record of what was decided and done, one JSON object a line. An action's intent is on the disk before
 * it is applied, so that after a crash the next start knows what may have been changed. One process writes it at a
 * time: a lock file beside it says so.
 */
public final class Journal implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Journal.class.getName());

    /** Entries kept in memory for status and dashboard. */
    private static final int RECENT = 200;

    /** The latest entries, a hundred decisions and more: what is shown after a start, and kept of a long journal. */
    private static final int TAIL_BYTES = 512 * 1024;

    private static final long LONGEST_FILE = 16 * 1024 * 1024;
    private static final long RETRY_AFTER = 1024 * 1024;

    private final Path file;
    private final Clock clock;
    private final JsonMapper mapper = new JsonMapper();
    private final FileChannel lockChannel;
    private final Deque<JsonNode> recent = new ArrayDeque<>();
    private final Essence essence;
    private long longest = LONGEST_FILE;
    private FileChannel channel;
    private String failure;

    /**
     * Opens or creates the journal and reads what it holds.
     *
     * @throws IOException when another agent has it, or it cannot be written
     */
    public Journal(Path file, Clock clock) throws IOException {
        this.file = file;
        this.clock = clock;
        this.essence = new Essence(clock);
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            lockChannel = lock();
            if (Files.isRegularFile(file) && Files.size(file) > longest) {
                tryToShorten(Files.size(file));
            }
            channel = open();
            if (Files.isRegularFile(file)) {
                readAll(file, essence::add);
            }
            read(file).forEach(this::remember);
        } catch (IOException e) {
            throw new IOException("cannot open the journal " + file + ": " + e, e);
        }
    }

    private FileChannel lock() throws IOException {
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel opened = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = opened.tryLock();
        } catch (java.nio.channels.OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            opened.close();
            throw new IOException("another agent has it (" + lockFile + " is locked)");
        }
        return opened;
    }

    /** A journal that stays long is a nuisance, and no reason to stop. */
    private void tryToShorten(long size) {
        FileChannel full = channel;
        channel = null;
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
        Essence older = new Essence(clock);
        Deque<String> latest = new ArrayDeque<>();
        try (BufferedReader lines = lines(file)) {
            int kept = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                latest.addLast(line);
                kept += line.length();
                while (kept > TAIL_BYTES) {
                    String old = latest.removeFirst();
                    kept -= old.length();
                    parse(mapper, old).ifPresent(older::add);
                }
            }
        }
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel out = FileChannel.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING); Writer writer = Channels.newWriter(out, StandardCharsets.UTF_8)) {
            for (JsonNode entry : older.entries()) {
                writer.write(entry + "\n");
            }
            for (String line : latest) {
                writer.write(line + "\n");
            }
            writer.flush();
            out.force(true);
        }
        Path old = file.resolveSibling(file.getFileName() + ".1");
        Files.deleteIfExists(old);
        Files.createLink(old, file);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Opens for appending; a line that a crash or a full disk cut short is ended, so that the next one stands alone. */
    private FileChannel open() throws IOException {
        FileChannel opened = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        long size = opened.size();
        if (size > 0) {
            ByteBuffer last = ByteBuffer.allocate(1);
            try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ)) {
                reader.read(last, size - 1);
            }
            if (last.get(0) != '\n') {
                opened.write(ByteBuffer.wrap(new byte[] {'\n'}));
            }
        }
        return opened;
    }

    /**
     * The entries of a journal's file, of a long one the latest. Lines that are no JSON object, such as one cut short by
     * a crash, are left out.
     */
    public static List<JsonNode> read(Path file) throws IOException {
        JsonMapper reader = new JsonMapper();
        List<JsonNode> entries = new ArrayList<>();
        tail(file).lines().forEach(line -> parse(reader, line).ifPresent(entries::add));
        return entries;
    }

    /** All entries of a journal's file, one after the other, however many there are. */
    public static void readAll(Path file, Consumer<JsonNode> use) throws IOException {
        JsonMapper reader = new JsonMapper();
        try (BufferedReader lines = lines(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                parse(reader, line).ifPresent(use);
            }
        }
    }

    /** The lines of a file; bytes that are no text spoil their own line only. */
    private static BufferedReader lines(Path file) throws IOException {
        return new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8));
    }

    private static Optional<JsonNode> parse(JsonMapper reader, String line) {
        try {
            JsonNode entry = reader.readTree(line);
            return Optional.ofNullable(entry).filter(node -> node.isObject() && node.has("kind") && node.has("time"));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private static String tail(Path file) throws IOException {
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

    /** What a start must know of the entries so far, oldest first: see {@link PastActions}. */
    public synchronized List<JsonNode> history() {
        return essence.entries();
    }

    /** Starts an entry of this kind, with the time. */
    public ObjectNode entry(String kind) {
        return mapper.createObjectNode().put("time", clock.instant().toString()).put("kind", kind);
    }

    /**
     * Appends an entry and waits until it is on the disk.
     *
     * @throws IOException when it is not; then nothing of it is in the file, as far as the disk allows
     */
    public synchronized void append(ObjectNode entry) throws IOException {
        byte[] line = (entry.toString() + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            if (channel == null) {
                channel = open();
            }
            write(line);
            channel.force(false);
            failure = null;
            remember(entry);
            essence.add(entry);
            if (channel.size() > longest) {
                tryToShorten(channel.size());
            }
        } catch (IOException e) {
            failure = "cannot write the journal " + file + ": " + e.getMessage();
            throw new IOException(failure, e);
        }
    }

    private void write(byte[] line) throws IOException {
        long start = channel.size();
        ByteBuffer bytes = ByteBuffer.wrap(line);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            try {
                channel.truncate(start);
            } catch (IOException again) {
                e.addSuppressed(again);
                channel.close();
                channel = null;
            }
            throw e;
        }
    }

    private void remember(JsonNode entry) {
        synchronized (recent) {
            if (recent.size() == RECENT) {
                recent.removeFirst();
            }
            recent.addLast(entry);
        }
    }

    /** The latest entries, oldest first. */
    public List<JsonNode> recent() {
        synchronized (recent) {
            return List.copyOf(recent);
        }
    }

    /** Why the last entry could not be written; null when it was. */
    public synchronized String failure() {
        return failure;
    }

    public Path file() {
        return file;
    }

    @Override
    public synchronized void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        lockChannel.close();
    }
}

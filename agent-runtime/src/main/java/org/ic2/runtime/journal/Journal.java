// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.journal;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;
import org.ic2.runtime.knob.Knob;

/**
 * The append-only record of what was decided and done. An action's intent is on the disk before it is applied, so that
 * after a crash the next start knows what may have been changed. One process writes it at a time.
 */
public final class Journal implements AutoCloseable {

    /** Entries kept in memory for status and dashboard, at most. */
    public static final int RECENT = 201;
    /** And so much of their text, beside the last: with hundreds of guests one entry is long. */
    private static final int RECENT_CHARACTERS = 1 << 20;

    private static final Logger LOG = Logger.getLogger(Journal.class.getName());

    private final Path path;
    private final Clock clock;
    private final EntryJson json;
    private final Deque<Line> recent = new ArrayDeque<>();
    private final Deque<Integer> lengths = new ArrayDeque<>();
    private int characters;
    private final JournalDigest digest;
    private final JournalFile file;
    private String failure;
    private long remembered;
    private Instant forgotten = Instant.MIN;
    private volatile Runnable listener = () -> { };
    private Optional<Companion> companion = Optional.empty();

    /**
     * Opens or creates the journal and reads what it holds. One that cannot be written has a {@link #failure}, so that
     * nothing is applied but the restore, for which nobody needs a disk.
     *
     * @param knobs those whose values are read
     * @throws IOException when another agent has it
     */
    public Journal(Path path, Clock clock, Set<Knob> knobs) throws IOException {
        this.path = path;
        this.clock = clock;
        this.json = new EntryJson(knobs);
        this.digest = new JournalDigest(json, clock);
        try {
            file = new JournalFile(path, () -> new JournalDigest(json, clock));
        } catch (IOException e) {
            throw new IOException("cannot open the journal " + path + ": " + e.getMessage(), e);
        }
        if (file.failure() != null) {
            failed(file.failure());
        }
        try {
            if (Files.isRegularFile(path)) {
                read(new JournalReader(knobs));
            }
        } catch (IOException e) {
            forgotten = Instant.MAX;
            failed(e);
        }
    }

    private void read(JournalReader reader) throws IOException {
        Deque<Instant> times = new ArrayDeque<>();
        reader.all(path, line -> {
            digest.add(line);
            times.addLast(line.entry().time());
            forget(times, RECENT);
        });
        Path older = JournalFile.older(path);
        if (Files.isRegularFile(older)) {
            forget(Files.getLastModifiedTime(older).toInstant());
        }
        reader.latest(path).forEach(line -> remember(line, line.toString().length()));
        forget(times, recent.size());
    }

    private void forget(Deque<Instant> times, int kept) {
        while (times.size() > kept) {
            forget(times.removeFirst());
        }
    }

    private void forget(Instant time) {
        forgotten = time.isAfter(forgotten) ? time : forgotten;
    }

    private IOException failed(IOException reason) {
        failure = "cannot write the journal " + path + ": "
                + (reason instanceof FileSystemException ? reason.toString() : reason.getMessage());
        return new IOException(failure, reason);
    }

    /**
     * From now on the values of these knobs are read, of earlier entries too: servers come and go, and their knobs with them.
     */
    public synchronized void know(Set<Knob> knobs) {
        json.know(knobs);
    }

    /** What a start must know of the entries so far, oldest first: see {@link JournalReplay}. */
    public synchronized List<Line> history() {
        return digest.lines().stream().map(line -> json.line(line.json())).toList();
    }

    /** What is to be true of another file whenever the journal says something. */
    public interface Companion {

        /**
         * Before an entry that {@link JournalReplay} heeds is appended.
         *
         * @param history the entries so far that it heeds, as of {@link #history}
         * @throws IOException when the entry must not be appended
         */
        void before(List<Line> history, Line next) throws IOException;
    }

    /** From now on this one is told, and no other. */
    public synchronized void accompany(Companion other) {
        companion = Optional.of(other);
    }

    /** The time for an entry of now. */
    public Instant now() {
        return clock.instant();
    }

    /**
     * Appends an entry and waits until it is on the disk.
     *
     * @throws IOException when it is not; then nothing of it is in the file, as far as the disk allows
     */
    public synchronized void append(Entry entry) throws IOException {
        Line line = json.line(entry);
        if (companion.isPresent() && JournalDigest.isNeeded(entry)) {
            accompanied(companion.get(), line);
        }
        try {
            String text = line.toString();
            file.append(text);
            failure = null;
            remember(line, text.length());
            digest.add(line);
            file.shortenIfLong();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void accompanied(Companion other, Line line) throws IOException {
        try {
            other.before(history(), line);
        } catch (IOException e) {
            failure = e.getMessage();
            throw e;
        }
    }

    private void remember(Line line, int length) {
        synchronized (recent) {
            while (recent.size() == RECENT || !recent.isEmpty() && characters + length > RECENT_CHARACTERS) {
                forget(recent.removeFirst().entry().time());
                characters -= lengths.removeFirst();
            }
            lengths.addLast(length);
            characters += length;
            recent.addLast(line);
            remembered++;
        }
        listener.run();
    }

    /** Who wants to know that there is a new entry, and is quick. */
    public void listen(Runnable quick) {
        listener = quick;
    }

    /**
     * The latest entries that came after so many, oldest first.
     *
     * @param number of {@link #count}, as it was
     */
    public List<Line> after(long number) {
        synchronized (recent) {
            long skipped = recent.size() - Math.min(recent.size(), remembered - number);
            return recent.stream().skip(skipped).toList();
        }
    }

    /** How many entries were remembered since the start. */
    public long count() {
        synchronized (recent) {
            return remembered;
        }
    }

    /** The latest entries, oldest first. */
    public List<Line> recent() {
        synchronized (recent) {
            return List.copyOf(recent);
        }
    }

    /** The latest time of the entries that are in the file only; no time is earlier where there is none. */
    public Instant forgotten() {
        synchronized (recent) {
            return forgotten;
        }
    }

    /** Appends an entry that nothing depends on; why it could not be written is logged. */
    public void note(Entry entry) {
        try {
            append(entry);
        } catch (IOException e) {
            LOG.severe(e.getMessage());
        }
    }

    /** Why the last entry could not be written; null when it was. */
    public synchronized String failure() {
        return failure;
    }

    public Path file() {
        return path;
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}

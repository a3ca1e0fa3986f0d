// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;
import org.ic2.agent.history.HistoryFile.Ring;
import org.ic2.runtime.knob.Vocabulary;

/**
 * What was measured in the last day, kept over restarts: steps of 10 s for six hours, of 1 min for 24. The loop adds each
 * turn to a sum, and once in 10 s that goes to a thread that writes it. A file that cannot be written or is damaged stops nobody.
 */
public final class History implements AutoCloseable {

    /** The states, the worst last: of those in a step it keeps the last. */
    public static final List<String> STATES = List.of("starting", "NI2", "NI1", "T", "MANUAL", "I1", "I2");

    private static final Logger LOG = Logger.getLogger(History.class.getName());
    private static final Ring FINE = HistoryFile.RINGS.get(0);
    private static final Ring COARSE = HistoryFile.RINGS.get(1);
    private static final Duration LAST_STEPS = Duration.ofSeconds(5);

    private final Path path;
    private final InstantSource clock;
    private final List<HistoryColumn> columns;
    private final HistorySum turns;
    private final HistorySum steps;
    private final Writing writing;
    private final Duration end;
    private final HistoryWriter writer;
    private volatile HistoryFile file;
    private long begun;
    private boolean failing;

    /** How a step comes into the file. */
    interface Writing {
        void write(HistoryFile file, Ring ring, HistoryPoint step) throws IOException;
    }

    /**
     * Opens the history or makes one.
     *
     * @param journal    the file {@code history} lies beside it
     * @param vocabulary the knobs that get a column
     */
    public History(Path journal, Vocabulary vocabulary, InstantSource clock) {
        this(journal, vocabulary, clock, HistoryFile::write, LAST_STEPS);
    }

    /**
     * @param end the time that writing the last steps may take
     */
    History(Path journal, Vocabulary vocabulary, InstantSource clock, Writing writing, Duration end) {
        this.path = journal.resolveSibling("history");
        this.clock = clock;
        this.writing = writing;
        this.end = end;
        this.columns = HistoryFile.fitting(HistoryColumn.all(vocabulary));
        this.turns = new HistorySum(columns);
        this.steps = new HistorySum(columns);
        try {
            file = HistoryFile.open(path, columns(), why -> LOG.warning("the history " + path + " begins again: " + why));
        } catch (IOException e) {
            failed(e);
        }
        writer = new HistoryWriter(this::write, this::end);
    }

    /** Says the first of several failures in a row. */
    void failed(IOException e) {
        boolean first;
        synchronized (path) {
            first = !failing;
            failing = true;
        }
        if (first) {
            LOG.severe("cannot keep the history in " + path + ", charts begin with the agent: " + e.getMessage());
        }
    }

    private void succeeded() {
        synchronized (path) {
            failing = false;
        }
    }

    /** The names of the values of a point. */
    public List<String> columns() {
        return columns.stream().map(HistoryColumn::name).toList();
    }

    /** Takes a turn of the loop in, and waits for no disk. */
    public synchronized void add(HistoryMoment moment) {
        long second = moment.sample().time().getEpochSecond();
        long start = second - Math.floorMod(second, FINE.seconds());
        if (start != begun) {
            endStep();
            begun = start;
        }
        float[] values = new float[columns.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) columns.get(i).of().applyAsDouble(moment);
        }
        turns.add(new HistoryPoint(second, moment.state(), moment.level(), values));
    }

    private void endStep() {
        if (!turns.isEmpty() && file != null && !writer.add(turns.point(begun))) {
            failed(new IOException("the disk has taken nothing for minutes"));
        }
        turns.clear();
    }

    /** Writes a step that has ended, and its minute as far as it has come. */
    private void write(HistoryPoint step) {
        try {
            writing.write(file, FINE, step);
            long minute = step.time() - step.time() % COARSE.seconds();
            steps.clear();
            HistoryCursor cursor = file.read(FINE, minute, minute + COARSE.seconds() - 1);
            for (HistoryPoint point = cursor.next(); point != null; point = cursor.next()) {
                steps.add(point);
            }
            writing.write(file, COARSE, steps.point(minute));
            succeeded();
        } catch (IOException e) {
            failed(e);
        } catch (RuntimeException e) {
            failed(new IOException(e));
        }
    }

    /** Whether all steps that have ended are in the file. */
    boolean written() {
        return writer.idle();
    }

    /**
     * What there is of a time, in the finest steps that reach back to its beginning.
     *
     * @param since earliest beginning of a step
     * @param until latest beginning of a step; what is later than now is not shown
     */
    public HistoryRange range(Instant since, Instant until) {
        Instant now = clock.instant();
        Ring ring = Duration.between(since, now).toSeconds() <= FINE.span() ? FINE : COARSE;
        long from = Math.max(since.getEpochSecond() + (since.getNano() > 0 ? 1 : 0), now.getEpochSecond() - ring.span() + ring.seconds());
        return new HistoryRange(this, Optional.ofNullable(file), ring, from, Math.min(until.getEpochSecond(), now.getEpochSecond()));
    }

    /** Writes what there is, for which a disk that hangs has a few seconds. */
    @Override
    public void close() {
        synchronized (this) {
            endStep();
        }
        if (!writer.close(end)) {
            LOG.warning("the history " + path + " lacks its last steps: the disk does not answer");
        }
    }

    private void end() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            failed(e);
        }
        file = null;
    }
}

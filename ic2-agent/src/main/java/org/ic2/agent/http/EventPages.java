// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpRequest;

/** The journal page by page, for {@code /api/events}: what is new from memory, what is older from the file. */
final class EventPages {

    /** With the one before it, which tells that there is a page before, it is in memory. */
    private static final int USUAL = Journal.RECENT - 1;
    private static final int MOST = 1000;

    private final Journal journal;
    private final JournalReader reader;

    /**
     * What is asked for.
     *
     * @param since the latest time that is too early
     * @param until the earliest time that is too late
     * @param limit so many at most, the latest
     * @param skip  but for so many that are later: pages go by the order of the lines, as times may be equal or set back
     */
    record Range(Instant since, Instant until, int limit, int skip) {

        /**
         * Reads a query.
         *
         * @throws IllegalArgumentException that says what was expected
         */
        static Range of(HttpRequest request) {
            Optional<String> until = request.parameter("until");
            Optional<String> limit = request.parameter("limit");
            if (limit.isPresent() && !limit.get().matches("0*[1-9]\\d{0,3}") || limit.map(Integer::parseInt).orElse(1) > MOST) {
                throw new IllegalArgumentException("expected as limit= a number from 1 to " + MOST);
            }
            Optional<String> skip = request.parameter("skip");
            if (skip.isPresent() && !skip.get().matches("\\d{1,9}")) {
                throw new IllegalArgumentException("expected as skip= a number of up to 9 digits");
            }
            Optional<Instant> end = until.flatMap(RequestTime::of);
            if (until.isPresent() && end.isEmpty()) {
                throw new IllegalArgumentException("expected as until= a time in epoch seconds or such as 2026-01-31T12:00:00Z");
            }
            return new Range(request.parameter("since").flatMap(RequestTime::of).orElse(Instant.MIN), end.orElse(Instant.MAX),
                    limit.map(Integer::parseInt).orElse(USUAL), skip.map(Integer::parseInt).orElse(0));
        }

        private boolean has(Line line) {
            return line.entry().time().isAfter(since) && line.entry().time().isBefore(until);
        }

        /**
         * The page before one.
         *
         * @param lines  that it has
         * @param newest the latest time in the range: what is written while somebody turns the pages is not in theirs
         */
        String before(int lines, Instant newest) {
            Instant end = until.equals(Instant.MAX) && newest.isBefore(Instant.MAX) ? newest.plusNanos(1) : until;
            return "/api/events?limit=" + limit + "&skip=" + (skip + lines) + (since.equals(Instant.MIN) ? "" : "&since=" + since)
                    + (RequestTime.of(end.toString()).isPresent() ? "&until=" + end : "");
        }
    }

    EventPages(Journal journal, Set<Knob> knobs) {
        this.journal = journal;
        this.reader = new JournalReader(knobs);
    }

    /** The latest lines of a range. None of the file's is kept, so that pages of many who take their time need no memory. */
    Answer page(Range range) throws IOException {
        List<Line> recent = journal.recent();
        Instant forgotten = journal.forgotten();    // asked last: what goes in between counts as gone
        List<Line> fitting = recent.stream().filter(range::has).toList();
        boolean all = !range.since().isBefore(forgotten) || !Files.isRegularFile(journal.file());
        int end = Math.max(0, fitting.size() - range.skip());
        int first = Math.max(0, end - range.limit());
        if (all || first > 0) {
            Instant newest = fitting.stream().map(line -> line.entry().time()).reduce(forgotten, EventPages::later);
            return answer(range, first, end, newest, fitting.subList(first, end)::forEach);
        }
        JournalReader.Extent found = reader.extent(journal.file(), range.since(), range.until());
        int last = Math.max(0, found.lines() - range.skip());
        int start = Math.max(0, last - range.limit());
        return answer(range, start, last, found.newest(),
                use -> reader.all(journal.file(), range.since(), range.until(), start, last - start, use));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** Hands out lines, one after the other. */
    private interface Lines {
        void to(Consumer<Line> use) throws IOException;
    }

    /** The lines from one to before another of those in the range. */
    private static Answer answer(Range range, int first, int end, Instant newest, Lines lines) {
        Answer answer = new Answer(200, "application/json", -1, out -> {
            byte[][] before = {"[".getBytes(StandardCharsets.US_ASCII)};
            try {
                lines.to(line -> {
                    write(out, before[0]);
                    write(out, line.toString().getBytes(StandardCharsets.UTF_8));
                    before[0] = ",".getBytes(StandardCharsets.US_ASCII);
                });
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            out.write((before[0][0] == '[' ? "[]\n" : "]\n").getBytes(StandardCharsets.US_ASCII));
        });
        return first > 0 ? answer.with("Link: <" + range.before(end - first, newest) + ">; rel=\"prev\"") : answer;
    }

    private static void write(OutputStream out, byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

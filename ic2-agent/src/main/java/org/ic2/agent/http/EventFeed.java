// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.AgentStatus.Judged;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.knowledge.Decision;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.serve.EventStreams;
import org.ic2.runtime.serve.HttpListener.Body;

/**
 * What {@code /api/stream} tells: samples and journal entries as they come, and the status when something else than the sample
 * changed in it. An event is made when somebody listens, and once for all who do.
 */
final class EventFeed implements EventStreams.News {

    /** The status comes again after this time; the streams look every 5 s, so that nobody waits longer than 15 s for a word. */
    private static final Duration SILENCE = Duration.ofSeconds(9);

    private final AgentStatus board;
    private final StatusJson status;
    private final Journal journal;
    private final Supplier<AgentConfig> config;
    private final LongSupplier nanoClock;
    private long samples;
    private long entries;
    private Optional<Shown> shown = Optional.empty();
    private long toldNanos;

    /** What of the status is told again as soon as it differs. */
    private record Shown(AgentConfig config, String state, Decision changed, Optional<String> manual, Optional<Instant> until, Settings running,
            Map<String, String> problems, int actions, long epoch) {
    }

    EventFeed(AgentStatus board, Journal journal, Supplier<AgentConfig> config, LongSupplier nanoClock) {
        this.board = board;
        this.status = new StatusJson(board);
        this.journal = journal;
        this.config = config;
        this.nanoClock = nanoClock;
    }

    @Override
    public void skip() {
        samples = board.count();
        entries = journal.count();
        shown = shownNow();
        toldNanos = nanoClock.getAsLong();
    }

    @Override
    public List<byte[]> take() {
        List<byte[]> events = new ArrayList<>();
        long posted = board.count();
        List<Judged> fresh = board.samplesAfter(samples);
        samples = Math.max(posted, samples + fresh.size());
        fresh.forEach(sample -> events.add(event(sample)));
        long written = journal.count();
        List<Line> lines = journal.after(entries);
        entries = Math.max(written, entries + lines.size());
        lines.forEach(line -> events.add(event(line)));
        Optional<Shown> now = shownNow();
        if (!now.equals(shown) || nanoClock.getAsLong() - toldNanos > SILENCE.toNanos()) {
            shown = now;
            toldNanos = nanoClock.getAsLong();
            events.add(statusEvent());
        }
        return events;
    }

    /** What a viewer is sent first: the status, and what is kept of samples and entries since a time, in the order of time. */
    Body backlog(Instant since) {
        List<Judged> kept = new ArrayList<>(board.samplesSince(since.toEpochMilli()));
        kept.removeAll(board.samplesAfter(samples));     // told with the next news
        List<Line> lines = new ArrayList<>(journal.recent());
        lines.removeAll(journal.after(entries));
        lines.removeIf(line -> !line.entry().time().isAfter(since));
        return out -> {
            out.write(statusEvent());
            merge(kept.iterator(), lines.iterator(), out);
        };
    }

    private void merge(Iterator<Judged> before, Iterator<Line> lines, OutputStream out) throws IOException {
        Line line = lines.hasNext() ? lines.next() : null;
        while (before.hasNext()) {
            Judged sample = before.next();
            while (line != null && line.entry().time().isBefore(sample.sample().time())) {
                out.write(event(line));
                line = lines.hasNext() ? lines.next() : null;
            }
            out.write(event(sample));
        }
        while (line != null) {
            out.write(event(line));
            line = lines.hasNext() ? lines.next() : null;
        }
    }

    private byte[] event(Judged judged) {
        ObjectNode json = status.sample(judged);
        return EventStreams.event("sample", Json.text(json), Optional.of(judged.sample().time().toEpochMilli()));
    }

    private static byte[] event(Line line) {
        return EventStreams.event("entry", line.toString(), Optional.empty());
    }

    private byte[] statusEvent() {
        return EventStreams.event("status", Json.text(status.status(config.get())), Optional.empty());
    }

    private Optional<Shown> shownNow() {
        List<Decision> decisions = board.decisions();
        return board.latest().map(tick -> shown(tick, decisions.isEmpty() ? null : decisions.get(decisions.size() - 1)));
    }

    private Shown shown(Tick tick, Decision last) {
        return new Shown(config.get(), tick.stateName() + " " + tick.decision().state() + " " + tick.decision().believed()
                + tick.decision().harm().map(harm -> " " + harm.finding().cause()).orElse(""), last,
                tick.state().manualReason(), board.manualUntil(), tick.sampled().managed().settings(tick.decision().current()), tick.sampled().problems(),
                tick.actionsInLastHour(), tick.epoch());
    }
}

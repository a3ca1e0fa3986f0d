// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.Csv;
import org.ic2.training.report.Words;

/** What the files of the run that is being made have said so far, phase by phase. */
final class RunWatch {
    /** The agent's own line, not an address that a line of it or of another happens to name. */
    private static final Pattern PAGE = Pattern.compile("\\bmanaging .+ in mode [a-z-]+, (http://127\\.0\\.0\\.1:\\d+), ");

    private final Tail client;
    private final Tail journal;
    private final Tail agentLog;
    private final Instant start;
    private final Duration interval;
    private List<String> columns = List.of();
    private Optional<State> state = Optional.empty();
    private Optional<Settings> baseline = Optional.empty();
    private Optional<Settings> running = Optional.empty();
    private final Deque<String> news = new ArrayDeque<>();
    private double normal = Double.NaN;
    private PhaseFigures phase;
    private boolean announced;

    /**
     * @param run      its folder
     * @param agent    the folder of its agent's journal
     * @param interval of the load's lines
     */
    RunWatch(Path run, Path agent, Instant start, Duration interval) {
        client = new Tail(run.resolve(Recording.CLIENT));
        journal = new Tail(agent.resolve(Event.FILE));
        agentLog = new Tail(run.resolve("agent.log"));
        this.start = start;
        this.interval = interval;
        phase = new PhaseFigures("", start);
    }

    PhaseFigures phase() {
        return phase;
    }

    /** What comes from now on is the next phase's, whose begin may have passed. */
    void next(PhaseFigures next) {
        phase = next;
    }

    /**
     * Reads on.
     *
     * @param until the end of the phase; what is later is the next one's, and waits for it
     * @param usual whether the response time of this phase is the normal one
     */
    void look(Instant until, boolean usual) {
        client.lines(this::time, until).forEach(this::interval);
        journal.lines(line -> Event.parse(line).map(Event::time), until).forEach(line -> Event.parse(line)
                .filter(event -> event.time().isAfter(start)).ifPresent(this::event));
        normal = usual ? phase.responseTime() : normal;
    }

    private Map<String, String> cells(String line) {
        List<String> cells = Csv.cells(line);
        columns = columns.isEmpty() ? cells : columns;
        Map<String, String> row = new HashMap<>();
        for (int i = 0; cells.size() == columns.size() && i < cells.size(); i++) {
            row.put(columns.get(i), cells.get(i));
        }
        return row;
    }

    /** The end of a line's interval. */
    private Optional<Instant> time(String line) {
        double seconds = number(cells(line), "time");
        return Double.isNaN(seconds) ? Optional.empty() : Optional.of(Instant.ofEpochMilli(Math.round(seconds * 1000)));
    }

    private void interval(String line) {
        Map<String, String> row = cells(line);
        // one that began before the phase is of both
        if (row.getOrDefault("phase", "").startsWith("steady")
                && time(line).filter(end -> !end.minus(interval).isBefore(phase.begin())).isPresent()) {
            phase.add(number(row, "response_time"), number(row, "throughput"));
        }
    }

    private static double number(Map<String, String> row, String column) {
        try {
            return Double.parseDouble(row.getOrDefault(column, ""));
        } catch (NumberFormatException e) {
            return Double.NaN;      // empty, or the head of the table
        }
    }

    private void event(Event event) {
        state = event.state().or(() -> state);
        baseline = baseline.or(event::configuration);
        if (event.reconfigured()) {
            running = event.configuration();
            news.add("IC\u00b2 sets " + running.map(this::words).orElse("unknown values"));
        } else if (List.of("failed", "refused").contains(event.kind())) {
            news.add("a change of IC\u00b2 " + (event.kind().equals("failed") ? "failed: " : "was refused: ") + event.problem());
        }
    }

    private String words(Settings values) {
        return Event.words(values, baseline.orElse(values));
    }

    /** What IC² did since the last call. */
    List<String> news() {
        List<String> all = List.copyOf(news);
        news.clear();
        return all;
    }

    /** The address of the agent's page, when it says it for the first time in this run. */
    Optional<URI> page() {
        Optional<URI> page = announced ? Optional.empty() : agentLog.lines().stream().map(PAGE::matcher).filter(Matcher::find)
                .map(found -> URI.create(found.group(1) + "/")).findFirst();
        announced |= page.isPresent();
        return page;
    }

    /** The last seconds, beside what is normal. */
    String now(Arm arm) {
        return time(phase.responseTimeNow()) + (arm.on() ? " | " + agent() : "");
    }

    /** The phase as a whole. */
    String whole() {
        return phase.name() + ": " + Words.number("%.1f", phase.throughput()) + " pages/s, " + time(phase.responseTime());
    }

    private String time(double seconds) {
        return Words.number("%.3f s", seconds) + " a page, normally " + Words.number("%.3f s", normal);
    }

    private static String brief(State state) {
        return switch (state) {
            case NI1, NI2 -> "calm";
            case T -> "unsure";
            case I1, I2 -> "alarm";
        };
    }

    private String agent() {
        boolean away = running.isPresent() && !running.equals(baseline);
        return away ? Event.brief(running.get(), baseline.orElseThrow()) : state.map(RunWatch::brief).orElse("starting");
    }
}

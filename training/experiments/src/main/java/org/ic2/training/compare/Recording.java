// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.learn.MedianWindow;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.Switch;
import org.ic2.training.run.Intervals;
import org.ic2.training.run.MachineUse;
import org.ic2.training.run.WindowFigures;

/**
 * All that a run has left behind.
 *
 * @param slot   its place in the comparison
 * @param run    what is known about it
 * @param from   begin of the measured time
 * @param to     its end
 * @param client what the client saw
 * @param usage  what tier and agent used
 * @param events the agent's journal, from the begin on
 * @param before what the agent had believed last when it began; empty if it had not said anything
 * @param hosted what the host's agent had in force, by guest and knob; empty if none ran
 * @param machine what the machine's CPUs did; empty if it was not recorded
 */
record Recording(PlannedRun slot, Run run, Instant from, Instant to, List<Intervals> client, List<Usage> usage,
        List<Event> events, Optional<State> before, Map<String, List<Turns.Value>> hosted, List<MachineUse> machine) {
    static final String CLIENT = "load/intervals.csv";
    /** The share that the shipped rules call never normal. */
    private static final double MAX_NORMAL_STEAL = 0.1;

    /** A time in which the neighbour ran, or did not. */
    record Phase(boolean interference, Instant from, Instant to) {
        Duration length() {
            return Duration.between(from, to);
        }
    }

    /**
     * True if the tier waited for a CPU before the first neighbour came: too few samples, at most {@code MAX_NORMAL_STEAL} of the time
     * in steal, to learn what is normal from. It asks the samples, so an agent that learns nothing is not excused by its own words.
     */
    boolean couldNotLearn() {
        Instant first = run.switches().stream().filter(Switch::on).map(Switch::time).findFirst().orElse(to);
        return !run.samples().isEmpty() && run.samples().stream().filter(one -> one.member().equals(Sample.WEB) && one.time().isBefore(first)
                && !(one.get(Metric.STEAL) > MAX_NORMAL_STEAL)).count() < MedianWindow.MIN_VALUES;
    }

    /** A time that is measured. */
    record Window(Instant from, Instant to) {
        double seconds() {
            return Duration.between(from, to).toMillis() / 1000.0;
        }
    }

    /** The recording of a place, empty if there is none. */
    static Optional<Recording> read(Path folder, PlannedRun slot) throws IOException {
        return readAt(folder.resolve(slot.id()), slot);
    }

    /** The same of another folder than the place's own. */
    static Optional<Recording> readAt(Path place, PlannedRun slot) throws IOException {
        if (!RunFolder.complete(place)) {
            return Optional.empty();
        }
        Run run = RunFolder.read(place);
        Path file = place.resolve(CLIENT);
        List<Intervals> client = Files.exists(file) ? Intervals.onTime(Intervals.read(file)) : List.of();
        Instant from = Instant.ofEpochMilli(Long.parseLong(run.fact(Run.FROM)));
        Instant to = from.plusSeconds(Long.parseLong(run.fact("seconds")));
        if (!run.fact(Run.BROKEN).isEmpty()) {
            Instant last = client.isEmpty() ? from : time(client.get(client.size() - 1));
            to = last.isBefore(from) ? from : last.isBefore(to) ? last : to;
        }
        List<Event> all = Event.read(place.resolve(Event.FILE));
        List<Event> events = all.stream().filter(event -> !event.time().isBefore(from)).toList();
        Optional<State> before = all.stream().filter(event -> event.time().isBefore(from)).flatMap(event -> event.state().stream())
                .reduce((earlier, later) -> later);
        return Optional.of(new Recording(slot, run, from, to, client, Usage.read(place.resolve(Usage.FILE)), events, before,
                HostKnobs.read(place), MachineUse.read(place.resolve(MachineUse.FILE))));
    }

    static Instant time(Intervals line) {
        return Instant.ofEpochMilli(Math.round(1000 * line.time()));
    }

    /** Why it ended too early; empty if it did not. */
    String broken() {
        return run.fact(Run.BROKEN);
    }

    /** Seconds since the begin. */
    double seconds(Instant time) {
        return Duration.between(from, time).toMillis() / 1000.0;
    }

    /** Without and under interference in turn, from the begin to the end, as the neighbour's log says. */
    List<Phase> phases() {
        List<Phase> phases = new ArrayList<>();
        boolean interference = false;
        Instant begin = from;
        for (Switch one : run.switches()) {
            if (one.on() != interference && one.time().isAfter(begin) && one.time().isBefore(to)) {
                phases.add(new Phase(interference, begin, one.time()));
                begin = one.time();
                interference = one.on();
            }
        }
        if (to.isAfter(begin)) {
            phases.add(new Phase(interference, begin, to));
        }
        return phases;
    }

    /** What client and tier did in a window; NaN where it is not known. */
    Map<String, Double> figures(Instant begin, Instant end) {
        Map<String, Double> figures = new LinkedHashMap<>(WindowFigures.client(client, begin, end));
        figures.put("cpu_per_operation", Usage.tierShare(used(begin, end)) / figures.get("throughput"));
        return figures;
    }

    /** The same of several windows as if they were one; users waiting at the end, and errors, are means of the windows. */
    Map<String, Double> figures(List<Window> windows) {
        List<Map<String, Double>> each = windows.stream().map(one -> figures(one.from(), one.to())).toList();
        Map<String, Double> figures = new LinkedHashMap<>(WindowFigures.client(client.stream().filter(line -> windows.stream()
                .anyMatch(one -> line.within(one.from().toEpochMilli() / 1000.0, one.to().toEpochMilli() / 1000.0))).toList()));
        Stream.concat(Stream.of("pending_users", "errors"), Intervals.ERROR_KINDS.stream()).forEach(name -> figures.put(name,
                each.stream().mapToDouble(one -> one.get(name)).filter(Double::isFinite).average().orElse(Double.NaN)));
        double used = windows.stream().mapToDouble(one -> Usage.tierShare(used(one.from(), one.to())) * one.seconds()).sum();
        double seconds = windows.stream().mapToDouble(Window::seconds).sum();
        figures.put("cpu_per_operation", used / seconds / figures.get("throughput"));
        return figures;
    }

    /** The time this many seconds after the begin. */
    Instant at(double seconds) {
        return from.plusMillis(Math.round(1000 * seconds));
    }

    List<Usage> used(Instant begin, Instant end) {
        return usage.stream().filter(line -> !line.time().isBefore(begin) && !line.time().isAfter(end)).toList();
    }

    /** The most resident memory that the agent had in a window, MiB; NaN without an agent. */
    double agentMemory(Instant begin, Instant end) {
        return used(begin, end).stream().mapToDouble(Usage::memory).filter(Double::isFinite).max().orElse(Double.NaN);
    }

    List<Event> events(Instant begin, Instant end) {
        return events.stream().filter(event -> event.time().isAfter(begin) && !event.time().isAfter(end)).toList();
    }

    /** The reconfigurations in a window. */
    List<Event> reconfigurations(Instant begin, Instant end) {
        return events(begin, end).stream().filter(Event::reconfigured).toList();
    }

    /** What was in force at a time. */
    Settings configuration(Instant time) {
        Settings now = baseline();
        for (Event event : events) {
            boolean known = event.configuration().isPresent() && !event.kind().equals("refused");
            if (known && !event.time().isAfter(time)) {
                now = event.configuration().get();
            }
        }
        return now;
    }

    Settings baseline() {
        return run.baseline().orElseThrow();
    }

    /** True if the agent believed in interference at a time, by what it had confirmed last. */
    boolean alarmed(Instant time) {
        State last = State.NI2;
        for (Event event : events) {
            boolean confirms = event.state().filter(state -> state == State.I2 || state == State.NI2).isPresent();
            if (confirms && !event.time().isAfter(time)) {
                last = event.state().get();
            }
        }
        return last == State.I2;
    }

    /** Seconds in a window until the agent confirmed a state; empty if it did not. */
    Optional<Double> until(State state, Instant begin, Instant end) {
        return events(begin, end).stream().filter(event -> event.state().equals(Optional.of(state))).findFirst()
                .map(event -> Duration.between(begin, event.time()).toMillis() / 1000.0);
    }

    /** The share of a window in which something else than the baseline was in force. */
    double away(Instant begin, Instant end) {
        double away = 0;
        Instant since = begin;
        Settings now = configuration(begin);
        for (Event event : events(begin, end)) {
            away += now.equals(baseline()) ? 0 : Duration.between(since, event.time()).toMillis();
            since = event.time();
            now = configuration(since);
        }
        away += now.equals(baseline()) ? 0 : Duration.between(since, end).toMillis();
        return away / Duration.between(begin, end).toMillis();
    }
}

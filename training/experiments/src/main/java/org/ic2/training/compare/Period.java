// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Settings;
import org.ic2.training.evaluate.Detection.Latency;

/**
 * A period of interference in one run.
 *
 * @param slot             the run
 * @param number           of the period in its run, from 1
 * @param begin            seconds from the run's begin
 * @param seconds          how long it lasted
 * @param first            figures of the first half; empty if it was cut short
 * @param second           figures of the second half; empty if it was cut short
 * @param onset            until the agent confirmed the interference; empty if that could not be measured
 * @param end              until it confirmed, after the neighbour's stop, that there is none; likewise
 * @param reconfigured     seconds until the first reconfiguration
 * @param highest          seconds until the highest rung of the period was in force; empty without one, or if it was so from before
 * @param baseline         seconds after the stop until the baseline was in force again; likewise
 * @param reconfigurations from its begin to its end
 * @param actions          from its begin to the next one's, with the way home
 * @param agentCpu         CPU seconds of the agent for each second; NaN without one
 * @param agentMemory      MiB; NaN without one
 */
record Period(PlannedRun slot, int number, double begin, double seconds, Map<String, Double> first, Map<String, Double> second,
        Optional<Latency> onset, Optional<Latency> end, Optional<Double> reconfigured, Optional<Double> highest,
        Optional<Latency> baseline, int reconfigurations, int actions, double agentCpu, double agentMemory) {
    /** A switch of the neighbour may come a little late, and an interval of the client may end a little later. */
    private static final Duration TOLERANCE = Duration.ofMillis(1500);

    /** The two halves of a period. */
    enum Half {
        FIRST, SECOND;

        Map<String, Double> of(Period period) {
            return this == FIRST ? period.first() : period.second();
        }
    }

    /** All periods of a run, without one that began in the very last moment of it. */
    static List<Period> of(Recording recording, ComparePlan plan) {
        List<Period> periods = new ArrayList<>();
        List<Recording.Stretch> stretches = recording.stretches();
        for (int i = 0; i < stretches.size(); i++) {
            if (stretches.get(i).loud() && stretches.get(i).length().compareTo(plan.agents().interval()) >= 0) {
                Optional<Recording.Stretch> next = i + 1 < stretches.size() ? Optional.of(stretches.get(i + 1))
                        : Optional.empty();
                periods.add(one(recording, plan, periods.size() + 1, stretches.get(i), next));
            }
        }
        return periods;
    }

    private static Period one(Recording recording, ComparePlan plan, int number, Recording.Stretch loud,
            Optional<Recording.Stretch> quiet) {
        Instant middle = loud.from().plus(plan.firstHalf());
        boolean whole = !longer(plan.on(recording.slot().neighbour()), loud.length());
        boolean halved = plan.on(recording.slot().neighbour()).compareTo(plan.firstHalf()) > 0;
        List<Usage> used = recording.used(loud.from(), loud.to());
        List<Event> changes = recording.reconfigurations(loud.from(), loud.to());
        return new Period(recording.slot(), number, recording.seconds(loud.from()), loud.length().toMillis() / 1000.0,
                longer(plan.firstHalf(), loud.length()) ? Map.of()
                        : recording.figures(loud.from(), middle.isBefore(loud.to()) ? middle : loud.to()),
                whole && halved ? recording.figures(middle, loud.to()) : Map.of(),
                onset(recording, loud, whole), end(recording, plan, loud, quiet),
                changes.stream().findFirst().map(event -> since(loud, event)), highest(recording, loud, changes),
                quiet.flatMap(stretch -> home(recording, plan, stretch)), changes.size(),
                recording.reconfigurations(loud.from(), quiet.map(Recording.Stretch::to).orElse(loud.to())).size(), Usage.agentShare(used),
                recording.agentMemory(loud.from(), loud.to()));
    }

    /** When a half was, by its run's figures. */
    Recording.Window window(Half half, RunFigures figures, Duration firstHalf) {
        double middle = Math.min(seconds, firstHalf.toMillis() / 1000.0);
        return half == Half.FIRST ? figures.window(slot, begin, middle) : figures.window(slot, begin + middle, seconds - middle);
    }

    private static boolean longer(Duration wanted, Duration got) {
        return wanted.compareTo(got.plus(TOLERANCE)) > 0;
    }

    /** Only an agent that saw no interference before can notice its begin. */
    private static Optional<Latency> onset(Recording recording, Recording.Stretch loud, boolean whole) {
        Optional<Double> seconds = recording.until(State.I2, loud.from(), loud.to());
        boolean measurable = recording.slot().arm().on() && !recording.alarmed(loud.from()) && (whole || seconds.isPresent());
        return measurable ? Optional.of(new Latency(true, seconds)) : Optional.empty();
    }

    /** Only an agent that had noticed the interference can notice its end. */
    private static Optional<Latency> end(Recording recording, ComparePlan plan, Recording.Stretch loud,
            Optional<Recording.Stretch> quiet) {
        if (quiet.isEmpty() || !recording.alarmed(loud.to())) {
            return Optional.empty();
        }
        Optional<Double> seconds = recording.until(State.NI2, quiet.get().from(), quiet.get().to());
        return seconds.isPresent() || !longer(plan.off(recording.slot().neighbour()), quiet.get().length()) ? Optional.of(new Latency(false, seconds))
                : Optional.empty();
    }

    private static double since(Recording.Stretch stretch, Event event) {
        return Duration.between(stretch.from(), event.time()).toMillis() / 1000.0;
    }

    private static int rung(Recording recording, Instant time) {
        Settings now = recording.configuration(time);
        return now.has(Lever.MITIGATION) ? now.get(Lever.MITIGATION) : 0;
    }

    private static Optional<Double> highest(Recording recording, Recording.Stretch loud, List<Event> changes) {
        int most = changes.stream().mapToInt(event -> rung(recording, event.time())).max().orElse(0);
        return most <= rung(recording, loud.from()) ? Optional.empty() : changes.stream()
                .filter(event -> rung(recording, event.time()) == most).findFirst().map(event -> since(loud, event));
    }

    /** Only an agent that is away from the baseline can come home. */
    private static Optional<Latency> home(Recording recording, ComparePlan plan, Recording.Stretch quiet) {
        if (recording.configuration(quiet.from()).equals(recording.baseline())) {
            return Optional.empty();
        }
        Optional<Double> seconds = recording.reconfigurations(quiet.from(), quiet.to()).stream()
                .filter(event -> recording.configuration(event.time()).equals(recording.baseline())).findFirst()
                .map(event -> since(quiet, event));
        return seconds.isPresent() || !longer(plan.off(recording.slot().neighbour()), quiet.length()) ? Optional.of(new Latency(false, seconds)) : Optional.empty();
    }

    /** True if something of it is missing. */
    boolean cut(ComparePlan plan) {
        return first.isEmpty() || second.isEmpty() && plan.on(slot.neighbour()).compareTo(plan.firstHalf()) > 0;
    }

    /** True if both are the same period of the same round beside the same neighbour. */
    boolean pairs(Period other) {
        return slot.round() == other.slot().round() && slot.neighbour().equals(other.slot().neighbour())
                && number == other.number();
    }
}

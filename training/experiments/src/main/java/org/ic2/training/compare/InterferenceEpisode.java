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
import org.ic2.training.report.Words;

/**
 * An interference episode of one run.
 *
 * @param slot             the run
 * @param number           of the episode in its run, from 1
 * @param begin            seconds from the run's begin
 * @param seconds          how long it lasted
 * @param first            figures of its first part; empty if it was cut short
 * @param rest             figures of the rest of it; empty if it was cut short
 * @param onset            until the agent confirmed the interference; empty if that could not be measured
 * @param end              until it confirmed, after the neighbour's stop, that there is none; likewise
 * @param reconfigured     seconds until the first reconfiguration
 * @param highest          seconds until the highest level of the episode was in force; empty without one, or if it was so from before
 * @param baseline         seconds after the stop until the baseline was in force again; likewise
 * @param reconfigurations from its begin to its end
 * @param actions          from its begin to the next one's, with the restore
 * @param agentCpu         CPU seconds of the agent for each second; NaN without one
 * @param agentMemory      MiB; NaN without one
 */
record InterferenceEpisode(PlannedRun slot, int number, double begin, double seconds, Map<String, Double> first, Map<String, Double> rest,
        Optional<Latency> onset, Optional<Latency> end, Optional<Double> reconfigured, Optional<Double> highest,
        Optional<Latency> baseline, int reconfigurations, int actions, double agentCpu, double agentMemory) {
    /** A switch of the neighbour may come a little late, and an interval of the client may end a little later. */
    private static final Duration TOLERANCE = Duration.ofMillis(1500);

    /** The two parts of an episode: the first minute, as long as the plan says, and the rest. The paper calls them halves. */
    enum EpisodePart {
        FIRST("first"), REST("second");

        private final String key;

        EpisodePart(String key) {
            this.key = key;
        }

        /** Its name for people, where the first part is so long. */
        String text(Duration first) {
            return this == REST ? "rest" : "first " + (first.equals(Duration.ofMinutes(1)) ? "minute" : Words.seconds(first));
        }

        /** The begin of its names in files. */
        String key() {
            return key;
        }

        Map<String, Double> of(InterferenceEpisode episode) {
            return this == FIRST ? episode.first() : episode.rest();
        }
    }

    /** All episodes of a run, without one that began in the very last moment of it. */
    static List<InterferenceEpisode> of(Recording recording, ComparePlan plan) {
        List<InterferenceEpisode> episodes = new ArrayList<>();
        List<Recording.Phase> phases = recording.phases();
        for (int i = 0; i < phases.size(); i++) {
            if (phases.get(i).interference() && phases.get(i).length().compareTo(plan.agents().interval()) >= 0) {
                Optional<Recording.Phase> next = i + 1 < phases.size() ? Optional.of(phases.get(i + 1))
                        : Optional.empty();
                episodes.add(one(recording, plan, episodes.size() + 1, phases.get(i), next));
            }
        }
        return episodes;
    }

    private static InterferenceEpisode one(Recording recording, ComparePlan plan, int number, Recording.Phase present,
            Optional<Recording.Phase> after) {
        Instant middle = present.from().plus(plan.firstHalf());
        boolean whole = !longer(plan.on(recording.slot().neighbour()), present.length());
        boolean halved = plan.on(recording.slot().neighbour()).compareTo(plan.firstHalf()) > 0;
        List<Usage> used = recording.used(present.from(), present.to());
        List<Event> changes = recording.reconfigurations(present.from(), present.to());
        return new InterferenceEpisode(recording.slot(), number, recording.seconds(present.from()), present.length().toMillis() / 1000.0,
                longer(plan.firstHalf(), present.length()) ? Map.of()
                        : recording.figures(present.from(), middle.isBefore(present.to()) ? middle : present.to()),
                whole && halved ? recording.figures(middle, present.to()) : Map.of(),
                onset(recording, present, whole), end(recording, plan, present, after),
                changes.stream().findFirst().map(event -> since(present, event)), highest(recording, present, changes),
                after.flatMap(phase -> baseline(recording, plan, phase)), changes.size(),
                recording.reconfigurations(present.from(), after.map(Recording.Phase::to).orElse(present.to())).size(), Usage.agentShare(used),
                recording.agentMemory(present.from(), present.to()));
    }

    /** When a part was, by its run's figures. */
    Recording.Window window(EpisodePart part, RunFigures figures, Duration firstHalf) {
        double middle = Math.min(seconds, firstHalf.toMillis() / 1000.0);
        return part == EpisodePart.FIRST ? figures.window(slot, begin, middle) : figures.window(slot, begin + middle, seconds - middle);
    }

    private static boolean longer(Duration wanted, Duration got) {
        return wanted.compareTo(got.plus(TOLERANCE)) > 0;
    }

    /** Only an agent that saw no interference before can notice its begin. */
    private static Optional<Latency> onset(Recording recording, Recording.Phase present, boolean whole) {
        Optional<Double> seconds = recording.until(State.I2, present.from(), present.to());
        boolean measurable = recording.slot().arm().on() && !recording.alarmed(present.from()) && (whole || seconds.isPresent());
        return measurable ? Optional.of(new Latency(true, seconds)) : Optional.empty();
    }

    /** Only an agent that had noticed the interference can notice its end. */
    private static Optional<Latency> end(Recording recording, ComparePlan plan, Recording.Phase present,
            Optional<Recording.Phase> after) {
        if (after.isEmpty() || !recording.alarmed(present.to())) {
            return Optional.empty();
        }
        Optional<Double> seconds = recording.until(State.NI2, after.get().from(), after.get().to());
        return seconds.isPresent() || !longer(plan.off(recording.slot().neighbour()), after.get().length()) ? Optional.of(new Latency(false, seconds))
                : Optional.empty();
    }

    private static double since(Recording.Phase phase, Event event) {
        return Duration.between(phase.from(), event.time()).toMillis() / 1000.0;
    }

    private static int level(Recording recording, Instant time) {
        Settings now = recording.configuration(time);
        return now.has(Lever.MITIGATION) ? now.get(Lever.MITIGATION) : 0;
    }

    private static Optional<Double> highest(Recording recording, Recording.Phase present, List<Event> changes) {
        int most = changes.stream().mapToInt(event -> level(recording, event.time())).max().orElse(0);
        return most <= level(recording, present.from()) ? Optional.empty() : changes.stream()
                .filter(event -> level(recording, event.time()) == most).findFirst().map(event -> since(present, event));
    }

    /** Only an agent that is away from the baseline can restore it. */
    private static Optional<Latency> baseline(Recording recording, ComparePlan plan, Recording.Phase after) {
        if (recording.configuration(after.from()).equals(recording.baseline())) {
            return Optional.empty();
        }
        Optional<Double> seconds = recording.reconfigurations(after.from(), after.to()).stream()
                .filter(event -> recording.configuration(event.time()).equals(recording.baseline())).findFirst()
                .map(event -> since(after, event));
        return seconds.isPresent() || !longer(plan.off(recording.slot().neighbour()), after.length()) ? Optional.of(new Latency(false, seconds)) : Optional.empty();
    }

    /** True if something of it is missing. */
    boolean cut(ComparePlan plan) {
        return first.isEmpty() || rest.isEmpty() && plan.on(slot.neighbour()).compareTo(plan.firstHalf()) > 0;
    }

    /** True if both are the same episode of the same round beside the same neighbour. */
    boolean pairs(InterferenceEpisode other) {
        return slot.round() == other.slot().round() && slot.neighbour().equals(other.slot().neighbour())
                && number == other.number();
    }
}

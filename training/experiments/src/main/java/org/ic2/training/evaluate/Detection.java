// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.detect.FiveStates;
import org.ic2.knowledge.control.detect.Transition;
import org.ic2.knowledge.control.detect.Transition.Trigger;
import org.ic2.training.data.Run;
import org.ic2.training.data.Switch;

/**
 * What the answers of one run would have made the agent do: the labels drive the five states (paper, figure 8), and
 * each entry into I2 or NI2 is a reconfiguration.
 *
 * @param latencies   one for each start and stop of the neighbour
 * @param mitigations entries into I2
 * @param restorations entries into NI2 after an I2
 * @param wrong       reconfigurations that a wrong label caused: a mitigation while there was no interference, a
 *                    restoration while there was
 * @param judged      time that was judged
 */
public record Detection(List<Latency> latencies, int mitigations, int restorations, int wrong, Duration judged) {
    /**
     * How long one switch took to be noticed (paper, section 5.1.2).
     *
     * @param onset   true: a start, noticed in I2; false: a stop, noticed in NI2
     * @param seconds from the switch to the end of the interval that led into the state; empty: not before the next
     *                switch (or the end of the run)
     */
    public record Latency(boolean onset, Optional<Double> seconds) {
    }

    private record Step(Instant time, State state, Trigger trigger, Optional<Label> truth) {
    }

    /** The detection of one run. */
    public static Detection of(Run run, List<Answer> answers) {
        List<Step> steps = steps(answers);
        int mitigations = 0;
        int restorations = 0;
        int wrong = 0;
        boolean mitigated = false;
        for (Step step : steps) {
            if (step.trigger() == Trigger.MITIGATE && !mitigated) {
                mitigations++;
                mitigated = true;
                wrong += step.truth().equals(Optional.of(Label.NO_INTERFERENCE)) ? 1 : 0;
            } else if (step.trigger() == Trigger.RESTORE && mitigated) {
                restorations++;
                mitigated = false;
                wrong += step.truth().equals(Optional.of(Label.INTERFERENCE)) ? 1 : 0;
            }
        }
        return new Detection(latencies(run, steps), mitigations, restorations, wrong,
                run.interval().multipliedBy(steps.size()));
    }

    private static List<Step> steps(List<Answer> answers) {
        List<Step> steps = new ArrayList<>();
        State state = State.T;
        for (Answer answer : answers) {
            if (answer.label().isPresent()) {
                Transition next = FiveStates.step(state, answer.label().get());
                state = next.to();
                steps.add(new Step(answer.row().sample().time(), state, next.trigger(), answer.row().truth()));
            }
        }
        return steps;
    }

    /** A stop counts only if the interference before it was noticed; a start only if there was none before. */
    private static List<Latency> latencies(Run run, List<Step> steps) {
        List<Latency> latencies = new ArrayList<>();
        for (int i = 0; i < run.switches().size(); i++) {
            Switch one = run.switches().get(i);
            Instant end = i + 1 < run.switches().size() ? run.switches().get(i + 1).time() : Instant.MAX;
            State wanted = one.on() ? State.I2 : State.NI2;
            State before = confirmed(steps, one.time());
            boolean measurable = !steps.isEmpty() && steps.get(0).time().isBefore(one.time())
                    && steps.get(steps.size() - 1).time().isAfter(one.time());
            if (before == (one.on() ? State.NI2 : State.I2) && measurable && !Harm.harmless(run, one)) {
                latencies.add(new Latency(one.on(), steps.stream()
                        .filter(step -> step.time().isAfter(one.time()) && !step.time().isAfter(end)
                                && step.state() == wanted)
                        .findFirst().map(step -> Duration.between(one.time(), step.time()).toMillis() / 1000.0)));
            }
        }
        return latencies;
    }

    /** The last confirmed state until then. */
    private static State confirmed(List<Step> steps, Instant until) {
        State last = State.T;
        for (Step step : steps) {
            if (step.time().isAfter(until)) {
                break;
            }
            last = step.state() == State.I2 || step.state() == State.NI2 ? step.state() : last;
        }
        return last;
    }

    /**
     * The latencies of one side over many runs.
     *
     * @param detected noticed in time
     * @param missed   not noticed before the next switch
     * @param median   seconds; NaN if none was noticed
     * @param low      10th percentile
     * @param high     90th percentile
     */
    public record Spread(int detected, int missed, double median, double low, double high) {
        private static final double TAIL = 0.1;

        /** The spread of starts (true) or stops (false). */
        public static Spread of(List<Latency> latencies, boolean onset) {
            List<Latency> side = latencies.stream().filter(latency -> latency.onset() == onset).toList();
            double[] sorted = side.stream().flatMap(latency -> latency.seconds().stream())
                    .mapToDouble(Double::doubleValue).sorted().toArray();
            return new Spread(sorted.length, side.size() - sorted.length, Quantiles.of(sorted, 0.5),
                    Quantiles.of(sorted, TAIL), Quantiles.of(sorted, 1 - TAIL));
        }

        /** All starts and stops. */
        public int count() {
            return detected + missed;
        }
    }

    /** The seconds of one side, sorted. */
    public static double[] seconds(List<Latency> latencies, boolean onset) {
        return Arrays.stream(latencies.stream().filter(latency -> latency.onset() == onset)
                .flatMap(latency -> latency.seconds().stream()).mapToDouble(Double::doubleValue).toArray()).sorted()
                .toArray();
    }
}

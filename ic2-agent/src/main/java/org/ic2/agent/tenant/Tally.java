// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.worth.EndedEpisode;
import org.ic2.knowledge.control.worth.EpisodeWorth;
import org.ic2.runtime.executor.Result;

/**
 * What has added up since the agent started, of the managed tier: who looks now and then misses nothing of it, however much
 * happened in between.
 *
 * @param requests        completed requests
 * @param timed           those of them whose response time is known
 * @param responseSeconds the response times of these, added
 * @param failures        failed requests
 * @param turnedAway      requests that were asked to come later
 * @param stateSeconds    time in each state, by its name, {@link AgentStatus#MANUAL} among them
 * @param levelSeconds     time at each level that was in force
 * @param episodes        how often interference was confirmed after none was
 * @param scenarios       decisions by situation
 * @param actions         actions that were carried out by the loop, by outcome
 * @param applied         how many of them are in force, or were
 * @param applySeconds    from the first command of each of these to the last value read back, added
 * @param over            times away from the baseline that are over
 * @param worth           of all of these
 */
public record Tally(double requests, double timed, double responseSeconds, double failures, double turnedAway, Map<String, Double> stateSeconds,
        Map<Integer, Double> levelSeconds, long episodes, Map<Scenario, Long> scenarios, Map<Outcome, Long> actions, long applied,
        double applySeconds, long over, EpisodeWorth worth) {

    private static final double MILLIS = 1e3;
    private static final double NANOS = 1e9;

    /**
     * What was done, and how it went.
     *
     * @param result in one word: applied, refused or failed
     */
    public record Outcome(Action action, String result) {
    }

    /** Adds turn upon turn. Not for use by more than one thread. */
    static final class Builder {
        private double requests;
        private double timed;
        private double responseSeconds;
        private double failures;
        private double turnedAway;
        private final Map<String, Double> stateSeconds = new TreeMap<>();
        private final Map<Integer, Double> levelSeconds = new TreeMap<>();
        private final Map<Scenario, Long> scenarios = new EnumMap<>(Scenario.class);
        private final Map<Outcome, Long> actions = new HashMap<>();
        private long episodes;
        private boolean confirmed;
        private long applied;
        private double applySeconds;
        private long over;
        private EpisodeWorth worth = EpisodeWorth.none();

        /**
         * Adds a turn.
         *
         * @param before  the turn before it, if there was one: what it left was in force since then
         * @param elapsed since then
         */
        void add(Optional<Tick> before, Duration elapsed, Tick tick) {
            double seconds = elapsed.toNanos() / NANOS;
            before.ifPresent(earlier -> {
                stateSeconds.merge(earlier.stateName(), seconds, Double::sum);
                levelSeconds.merge(tick.level(), seconds, Double::sum);
            });
            add(tick.sampled().managed(), seconds);
            scenarios.merge(tick.decision().scenario(), 1L, Long::sum);
            State state = tick.decision().state();
            if (state == State.I2 && !confirmed) {
                episodes++;
            }
            confirmed = state == State.I2 || confirmed && state != State.NI2;
            tick.result().ifPresent(result -> {
                actions.merge(new Outcome(tick.decision().action(), result.word()), 1L, Long::sum);
                if (result instanceof Result.Applied done) {
                    applied++;
                    applySeconds += done.millis() / MILLIS;
                }
            });
        }

        /** Adds a time away from the baseline that is over. */
        void add(EndedEpisode episode) {
            over++;
            worth = worth.plus(episode.worth());
        }

        private void add(Sample sample, double seconds) {
            turnedAway += sample.get(Metric.TURNED_AWAY) > 0 ? sample.get(Metric.TURNED_AWAY) * seconds : 0;
            double completed = sample.get(Metric.REQUESTS);
            if (completed > 0) {
                requests += completed;
                if (sample.has(Metric.RESPONSE_TIME)) {
                    timed += completed;
                    responseSeconds += completed * sample.get(Metric.RESPONSE_TIME);
                }
            }
            // of an interval in which all failed the rate is all there is
            double lasted = completed > 0 && sample.get(Metric.THROUGHPUT) > 0 ? completed / sample.get(Metric.THROUGHPUT) : seconds;
            if (sample.has(Metric.ERROR_RATE)) {
                failures += sample.get(Metric.ERROR_RATE) * lasted;
            }
        }

        Tally build() {
            return new Tally(requests, timed, responseSeconds, failures, turnedAway, Collections.unmodifiableMap(new TreeMap<>(stateSeconds)),
                    Collections.unmodifiableMap(new TreeMap<>(levelSeconds)), episodes, Map.copyOf(scenarios), Map.copyOf(actions), applied,
                    applySeconds, over, worth);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.data;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Settings;

/**
 * One recording: samples of one web tier under one load, and what is known about it.
 *
 * @param id       unique within a data set; the unit of cross-validation and of the bootstrap
 * @param interval time between two samples
 * @param baseline the configuration that counts as normal, if known
 * @param switches when the neighbour was started and stopped, in order; empty for recordings from production
 * @param facts    provenance in words: kind, load, neighbour, versions, machine, seed
 * @param samples  in order of time, with the truth as their label where it is known
 */
public record Run(String id, Duration interval, Optional<Settings> baseline, List<Switch> switches,
        Map<String, String> facts, List<Sample> samples) {
    /** The fact that says what the run was made for: {@code phase-1}, {@code evaluation}, ... */
    public static final String KIND = "kind";
    /** The fact that says why a run ended too early; absent in a whole run. */
    public static final String BROKEN = "broken";
    /**
     * The fact that says what the client saw of each episode of a neighbour at the baseline: its response time in times the usual
     * one, in order and with blanks between, or {@link #UNKNOWN_HARM}.
     */
    public static final String HARM = "harm";
    /** Its value for an episode that cannot be judged. */
    public static final String UNKNOWN_HARM = "unknown";
    /** The fact that says when the measured time began, epoch milliseconds. */
    public static final String FROM = "from";

    public Run {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("run " + id + ": expected an interval of more than 0 s, got " + interval);
        }
        switches = List.copyOf(switches);
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        samples = List.copyOf(samples);
    }

    /** The same with other samples. */
    public Run with(List<Sample> others) {
        return new Run(id, interval, baseline, switches, facts, others);
    }

    /** The same with one more fact. */
    public Run with(String fact, String value) {
        Map<String, String> more = new LinkedHashMap<>(facts);
        more.put(fact, value);
        return new Run(id, interval, baseline, switches, more, samples);
    }

    /** What the run was made for, empty if unknown. */
    public String kind() {
        return facts.getOrDefault(KIND, "");
    }

    /** The same under another name. */
    public Run named(String name) {
        return new Run(name, interval, baseline, switches, facts, samples);
    }

    /** The fact, empty if unknown. */
    public String fact(String name) {
        return facts.getOrDefault(name, "");
    }

    /** Measured time, from the first interval's begin to the last one's end. */
    public Duration length() {
        return samples.isEmpty() ? Duration.ZERO
                : Duration.between(samples.get(0).time(), samples.get(samples.size() - 1).time()).plus(interval);
    }

    /** The usual distance of two samples, of which there are at least two, in tenths of a second. */
    public static Duration usualInterval(List<Sample> samples) {
        long[] distances = new long[samples.size() - 1];
        for (int i = 0; i < distances.length; i++) {
            distances[i] = Duration.between(samples.get(i).time(), samples.get(i + 1).time()).toMillis();
        }
        Arrays.sort(distances);
        long usual = Math.round(distances[distances.length / 2] / 100.0) * 100;
        return Duration.ofMillis(Math.max(100, usual));
    }

    /** These runs in the order of their first samples. */
    public static List<Run> inOrderOfTime(List<Run> runs) {
        List<Run> sorted = new ArrayList<>(runs);
        sorted.removeIf(run -> run.samples().isEmpty());
        sorted.sort((a, b) -> a.samples().get(0).time().compareTo(b.samples().get(0).time()));
        return sorted;
    }
}

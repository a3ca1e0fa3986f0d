// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;

/**
 * Hardware counters as {@code perf stat} prints them (CSV with {@code -x,} or JSON with {@code -j}, with or without the
 * time column of {@code -I}), {@code ic2-counters}, which prints the same, or {@code ocount --brief-format}:
 * {@code event,count,percent}. What is not supported or not counted is absent.
 */
final class CounterLines {

    /** What a counter is for, and the names it goes by; the first name is what we ask perf for. */
    enum Event {
        CYCLES("cycles", "cpu_clk_unhalted", "cpu-cycles"),
        INSTRUCTIONS("instructions", "inst_retired", "inst_retired_any"),
        REFERENCES("cache-references", "llc_refs", "llc-loads"),
        MISSES("cache-misses", "llc_misses", "llc-load-misses");

        private final List<String> names;

        Event(String... names) {
            this.names = List.of(names);
        }
    }

    private static final int MOST_NAMED = 8;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_.-]{0,40}");
    private static final Pattern CSV =
            Pattern.compile("\\s*(?:\\d+\\.\\d+,)?([^,]*),[^,]*,([^,]+),\\d+,[\\d.]+(?:,.*)?");
    private static final Pattern JSON_VALUE = Pattern.compile("\"counter-value\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern JSON_EVENT = Pattern.compile("\"event\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern BRIEF = Pattern.compile("\\s*(?:\\d+,)?([A-Za-z_][\\w.:-]*),(\\d+),[\\d.]+\\s*");

    private final Map<Event, Double> sums = new HashMap<>();
    private final Set<String> unsupported = new LinkedHashSet<>();
    private final Set<String> uncounted = new LinkedHashSet<>();
    private int lines;

    void add(String line) {
        Optional<String[]> counter = split(line);
        if (counter.isEmpty()) {
            return;
        }
        lines++;
        String value = counter.get()[1];
        String name = counter.get()[0].toLowerCase(Locale.ROOT).replaceFirst(":.*$", "");
        if (!value.matches("\\d{1,18}(\\.\\d{1,9})?")) {
            Set<String> without = value.equals("<not counted>") ? uncounted : unsupported;
            if (without.size() < MOST_NAMED) {
                without.add(NAME.matcher(name).matches() ? name : "a counter");
            }
            return;
        }
        for (Event event : Event.values()) {
            if (event.names.contains(name)) {
                sums.merge(event, Double.parseDouble(value), Double::sum);
            }
        }
    }

    /** Event and value of a line of any of the three forms. */
    private static Optional<String[]> split(String line) {
        Matcher jsonEvent = JSON_EVENT.matcher(line);
        if (jsonEvent.find()) {
            Matcher value = JSON_VALUE.matcher(line);
            return value.find() ? Optional.of(new String[] {jsonEvent.group(1), value.group(1)}) : Optional.empty();
        }
        Matcher brief = BRIEF.matcher(line);
        if (brief.matches()) {
            return Optional.of(new String[] {brief.group(1), brief.group(2)});
        }
        Matcher csv = CSV.matcher(line);
        return csv.matches() ? Optional.of(new String[] {csv.group(2), csv.group(1)}) : Optional.empty();
    }

    /** CMR and CPI of what arrived. */
    Reading reading() {
        double misses = sums.getOrDefault(Event.MISSES, Double.NaN);
        double references = sums.getOrDefault(Event.REFERENCES, Double.NaN);
        double cycles = sums.getOrDefault(Event.CYCLES, Double.NaN);
        double instructions = sums.getOrDefault(Event.INSTRUCTIONS, Double.NaN);
        Reading.Builder reading = Reading.builder();
        if (references > 0 && misses <= references) {
            reading.put(Metric.CMR, misses / references);
        }
        if (instructions > 0) {
            reading.put(Metric.CPI, cycles / instructions);
        }
        if (lines == 0) {
            reading.problem("no counts in this interval");
        } else {
            problem().ifPresent(reading::problem);
        }
        return reading.build();
    }

    private Optional<String> problem() {
        if (!unsupported.isEmpty()) {
            boolean none = sums.isEmpty();
            return Optional.of((none ? "this machine shows no hardware counters (PMU): " : "") + String.join(", ", unsupported)
                    + (none ? " not supported, so there is no cmr and no cpi; " : " not supported here; ")
                    + "count on the hypervisor (host:), or do without: steal, run delay, load per operation and memory latency"
                    + " need no counters");
        }
        return uncounted.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", uncounted)
                + " not counted in this interval: nothing of the target ran, or others had the counters");
    }
}

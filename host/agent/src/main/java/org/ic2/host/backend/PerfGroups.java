// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.Decimals;

/**
 * One event, counted on all CPUs for each of some control groups by a {@code perf stat} that keeps running and tells each second.
 * Other groups are counted by another perf. What perf says instead of counts is said once, and it is started again a minute later.
 */
public final class PerfGroups implements AutoCloseable {
    private static final String SEPARATOR = ";";
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final int COLUMNS = 7;
    private static final int COUNT = 1;
    private static final int GROUP = 4;
    private static final long REST_NANOS = 60_000_000_000L;
    private static final String INTERVAL_MILLIS = "1000";

    /**
     * What was counted since the last time.
     *
     * @param count   how often it happened
     * @param seconds the intervals that it was counted in; 0 when none has ended
     */
    public record Count(double count, double seconds) {
        static final Count NONE = new Count(0, 0);

        Count plus(double more, double length) {
            return new Count(count + more, seconds + length);
        }
    }

    private final Host host;
    private final List<String> event;
    private final LongSupplier nanos;
    private List<String> groups = List.of();
    private LineSource perf;
    private String said = "";
    private long failed;
    private double last;
    private double before;

    /** @param event perf's options that name it, such as {@code -e cycles} */
    public PerfGroups(Host host, List<String> event, LongSupplier nanos) {
        this.host = host;
        this.event = List.copyOf(event);
        this.nanos = nanos;
    }

    /** True if perf can be told of this group. */
    public static boolean canName(String group) {
        return !group.contains(",") && !group.contains(SEPARATOR);
    }

    /**
     * The counts since the last call, by group.
     *
     * @param wanted the groups below the hierarchy's root
     * @throws IOException when perf does not count, with what it said
     */
    public Map<String, Count> counts(Collection<String> wanted) throws IOException, InterruptedException {
        List<String> names = List.copyOf(new TreeSet<>(wanted));
        Map<String, Count> counts = new LinkedHashMap<>();
        names.forEach(name -> counts.put(name, Count.NONE));
        if (names.isEmpty()) {
            return counts;
        }
        if (!said.isEmpty() && names.equals(groups) && nanos.getAsLong() - failed < REST_NANOS) {
            throw new IOException(said);
        }
        if (perf == null || !names.equals(groups)) {
            start(names);
        }
        try {
            for (List<String> lines = perf.drain(AT_ONCE); !lines.isEmpty(); lines = perf.drain(AT_ONCE)) {
                for (String line : lines) {
                    take(line, counts);
                }
            }
        } catch (IOException e) {
            throw gaveUp(e.getMessage());
        }
        return counts;
    }

    private void start(List<String> names) throws IOException {
        close();
        groups = names;
        said = "";
        last = 0;
        before = 0;
        List<String> command = new ArrayList<>(List.of("perf", "stat", "-x", SEPARATOR, "-I", INTERVAL_MILLIS, "-a"));
        command.addAll(event);
        command.addAll(List.of("--for-each-cgroup", String.join(",", names)));
        try {
            perf = host.follow(command);
        } catch (IOException e) {
            throw gaveUp(e.getMessage());
        }
    }

    private void take(String line, Map<String, Count> counts) throws IOException {
        String[] columns = line.strip().split(SEPARATOR, -1);
        if (columns.length < COLUMNS || !columns[0].matches("\\d{1,9}\\.\\d{1,9}")) {
            if (!line.isBlank() && !line.startsWith("#")) {
                throw new IOException("perf: " + line.strip());
            }
            return;
        }
        double at = Double.parseDouble(columns[0]);
        if (at > last) {
            before = last;
            last = at;
        }
        Count count = counts.get(columns[GROUP]);
        if (count == null) {
            throw new IOException("perf: expected counts of " + counts.keySet() + ", got \"" + line.strip() + "\"");
        }
        counts.put(columns[GROUP], count.plus(number(columns[COUNT], line), at - before));
    }

    /** What never ran was not counted, so it is 0. */
    private static double number(String word, String line) throws IOException {
        if (word.equals("<not counted>")) {
            return 0;
        }
        if (word.equals("<not supported>")) {
            throw new IOException("perf: this machine has no such event: " + line.strip());
        }
        if (!Decimals.are(word, 18)) {
            throw new IOException("perf: expected a count, got \"" + line.strip() + "\"");
        }
        return Double.parseDouble(word);
    }

    private IOException gaveUp(String why) {
        close();
        said = why;
        failed = nanos.getAsLong();
        return new IOException(why);
    }

    @Override
    public void close() {
        if (perf != null) {
            perf.close();
            perf = null;
        }
    }
}

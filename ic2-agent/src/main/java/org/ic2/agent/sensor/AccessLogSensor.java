// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Response times of single requests from the access log, and so their percentiles. Requests with status 5xx are
 * failures: they are in neither response time nor throughput. Those whom mod_standby asked to come later are none, and counted
 * apart. The mean and the percentile know nothing of the accept
 * queue; see {@link AcceptQueueSensor}. {@link Visitors} count who asks, all requests included. What a {@link RequestFilter} leaves out is in {@link #ALL_REQUESTS} and in the
 * {@linkplain RequestClasses mix} alone.
 */
public final class AccessLogSensor implements Sensor {

    /** The extra that has the completed requests per second, those included that do not count. */
    public static final String ALL_REQUESTS = "all_requests_per_second";

    private static final double PERCENTILE = 0.95;
    private static final int FIRST_FAILURE = 500;
    private static final int RECENT_LINES = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final LineSource lines;
    private final String source;
    private final LogFormat format;
    private final RequestFilter filter;
    private final Host host;
    private final LongSupplier nanoClock;
    private final Visitors visitors;
    private long readNanos;
    private boolean readBefore;
    private double[] seconds = new double[256];

    /**
     * @param format one that has the path, unless the filter counts everything
     */
    AccessLogSensor(Host host, String source, LogFormat format, RequestFilter filter, LongSupplier nanoClock)
            throws IOException {
        this.lines = host.tail(source);
        this.host = host;
        this.source = source;
        this.format = format;
        this.visitors = new Visitors(format);
        this.filter = filter;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "access log " + source;
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        List<String> arrived = lines.drain(Duration.ZERO);
        long now = nanoClock.getAsLong();
        double interval = (now - readNanos) / 1e9;
        boolean first = !readBefore;
        readBefore = true;
        readNanos = now;
        if (first || interval <= 0) {
            return Reading.missing("first reading: rates need a second one");
        }
        visitors.pass(interval);
        return combine(arrived, interval);
    }

    private Reading combine(List<String> arrived, double interval) {
        int answered = 0;
        int failed = 0;
        int strange = 0;
        int left = 0;
        int away = 0;
        double sum = 0;
        RequestClasses classes = new RequestClasses();
        for (String line : arrived) {
            Optional<LogFormat.Entry> entry = format.match(line);
            entry.ifPresent(one -> count(one, classes));
            if (entry.isEmpty()) {
                strange++;
            } else if (entry.get().away()) {
                away++;
            } else if (!filter.isEverything() && !filter.counts(entry.get().path())) {
                left++;
            } else if (entry.get().status() >= FIRST_FAILURE) {
                failed++;
            } else {
                if (answered == seconds.length) {
                    seconds = Arrays.copyOf(seconds, 2 * answered);
                }
                seconds[answered++] = entry.get().seconds();
                sum += entry.get().seconds();
            }
        }
        if (strange > 0 && answered + failed + left + away == 0) {
            return Reading.missing("no line fits the format; is it the LogFormat of this file? Got: "
                    + BoundedText.brief(arrived.get(0)));
        }
        Reading.Builder reading = counted(answers(answered, sum, interval).put(Metric.ERROR_RATE, failed / interval), classes, away, interval);
        if (!filter.isEverything()) {
            reading.extra(ALL_REQUESTS, (answered + left) / interval);
        }
        if (strange > 0) {
            reading.problem(strange + " of " + arrived.size() + " lines have another form");
        }
        return reading.build();
    }

    private void count(LogFormat.Entry entry, RequestClasses classes) {
        if (!entry.away()) {
            classes.add(entry);
        }
        visitors.add(entry);
    }

    private Reading.Builder counted(Reading.Builder reading, RequestClasses classes, int away, double interval) {
        if (format.has(LogField.CACHE)) {
            reading.put(Metric.TURNED_AWAY, away / interval);
        }
        if (format.hasPath()) {
            classes.put(reading, interval, format.hasMember());
        }
        visitors.put(reading);
        return reading;
    }

    /** @param sum of the first {@code answered} of the seconds */
    private Reading.Builder answers(int answered, double sum, double interval) {
        Reading.Builder reading = Reading.builder()
                .put(Metric.REQUESTS, answered)
                .put(Metric.THROUGHPUT, answered / interval);
        if (answered > 0) {
            reading.put(Metric.RESPONSE_TIME, sum / answered);
            Arrays.sort(seconds, 0, answered);
            reading.put(Metric.RESPONSE_TIME_P95, seconds[(int) Math.ceil(PERCENTILE * answered) - 1]);
        }
        return reading;
    }

    @Override
    public Optional<String> caveat() throws IOException, InterruptedException {
        if (!filter.isEverything() || !format.hasPath()) {
            return Optional.empty();
        }
        CommandResult recent = host.run(List.of("tail", "-n", Integer.toString(RECENT_LINES), source), PATIENCE);
        return recent.succeeded() ? LogMix.of(recent.all().lines().toList(), format).caveat() : Optional.empty();
    }

    @Override
    public void close() {
        lines.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.LineSource;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Response time and throughput as the load driver's users see them: the runtime-statistics lines that Faban writes to
 * driver.log, log.xml or its console while it runs (paper, section 4, implementation).
 *
 * <p>A line speaks for the time since the previous one, so the agent's interval must be that of the lines. Between two
 * lines the reading has no values: to repeat the last line would count one observation twice.
 */
public final class FabanSensor implements Sensor {

    private static final Duration PATIENCE = Duration.ofMillis(300);

    private final LineSource lines;
    private final String source;
    private final double unitSeconds;
    private final Optional<String> driver;
    /** By driver, when its last line was written, seconds since the start of the ramp-up. */
    private final Map<String, Double> written = new HashMap<>();

    /**
     * @param unitSeconds length of the driver's response-time unit in seconds: 1, Faban's default, or 0.001
     * @param driver      only this driver's lines; empty: all drivers of the run, added up
     */
    public FabanSensor(LineSource lines, String source, double unitSeconds, Optional<String> driver) {
        this.lines = lines;
        this.source = source;
        this.unitSeconds = unitSeconds;
        this.driver = driver;
    }

    @Override
    public String name() {
        return "faban log " + source;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        return combine(lines.drain(PATIENCE), unitSeconds, driver, written);
    }

    @Override
    public boolean seesWholeResponseTime() {
        return true;
    }

    /**
     * The reading that these lines make together; drivers add up, several lines of one driver are averaged.
     *
     * @param written by driver, when the line before these was written; these take its place
     */
    static Reading combine(List<String> lines, double unitSeconds, Optional<String> onlyDriver,
            Map<String, Double> written) {
        Map<String, Totals> drivers = new LinkedHashMap<>();
        for (String line : lines) {
            FabanLine.parse(line)
                    .filter(statistics -> onlyDriver.isEmpty() || onlyDriver.get().equals(statistics.driver()))
                    .ifPresent(statistics ->
                            drivers.computeIfAbsent(statistics.driver(), name -> new Totals())
                                    .add(statistics, written.put(statistics.driver(), statistics.elapsed())));
        }
        if (drivers.isEmpty()) {
            return Reading.missing("no statistics line in this interval"
                    + onlyDriver.map(name -> " from driver " + name).orElse("")
                    + "; the interval must be that of fd:runtimeStats");
        }
        double throughput = 0;
        double errors = 0;
        double weighted = 0;
        double weight = 0;
        double requests = 0;
        for (Totals totals : drivers.values()) {
            if (totals.lines == 0) {
                return Reading.missing("the driver's current columns are \"-\": Faban's master runs alone; start a"
                        + " registry and an agent, so that it measures each interval");
            }
            throughput += totals.throughput / totals.lines;
            errors += totals.errors / totals.lines;
            weighted += totals.weighted / totals.lines;
            weight += totals.weight / totals.lines;
            requests += totals.requests;
        }
        return Reading.builder()
                .put(Metric.THROUGHPUT, throughput)
                .put(Metric.REQUESTS, requests)
                .put(Metric.ERROR_RATE, errors)
                .put(Metric.RESPONSE_TIME, weight > 0 ? weighted / weight * unitSeconds : Double.NaN)
                .build();
    }

    @Override
    public void close() {
        lines.close();
    }

    private static final class Totals {
        private int lines;
        private double throughput;
        private double errors;
        private double weighted;
        private double weight;
        private double requests;

        /** @param before when the line before it was written; null if nobody knows since when this one speaks */
        void add(FabanLine line, Double before) {
            if (Double.isNaN(line.throughput())) {
                return;
            }
            lines++;
            boolean begun = before != null && before > line.elapsed();      // another run, of which it is the first line
            requests += before == null ? Double.NaN : line.throughput() * (line.elapsed() - (begun ? 0 : before));
            throughput += line.throughput();
            errors += line.errorRate();
            if (!Double.isNaN(line.responseTime())) {
                weighted += line.throughput() * line.responseTime();
                weight += line.throughput();
            }
        }
    }
}

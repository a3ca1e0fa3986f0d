// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Response time and throughput from the growth of mod_status' {@code Total Duration} and {@code Total Accesses}
 * between two readings, busy and idle workers, and the running values of httpd-online; of another httpd the ladder's
 * level, where the answer has the header for it.
 *
 * <p>A duration begins when httpd has read the request. The time before that, in the accept queue, is measured by
 * {@link AcceptQueueSensor} and added by the sampler. The reading's own request is not counted, nor are those that mod_standby
 * turned away.
 */
public final class ModStatusSensor implements Sensor {

    private static final double MILLIS = 1000.0;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HttpGet page;
    private final String mitigationVariable;
    private final LongSupplier nanoClock;
    private double accesses = Double.NaN;
    private double durationMillis;
    private double uptime;
    private double turnedAway;
    private double turnedAwayMillis;
    private long readNanos;

    /**
     * @param mitigationVariable name of httpd-online's variable that holds the mitigation level
     */
    public ModStatusSensor(HttpGet page, String mitigationVariable, LongSupplier nanoClock) {
        this.page = page;
        this.mitigationVariable = mitigationVariable;
        this.nanoClock = nanoClock;
    }

    /** The page. */
    public URI uri() {
        return page.uri();
    }

    @Override
    public String name() {
        return "mod-status of " + page.uri();
    }

    /** With every thread busy the request waits in the accept queue: too long for an interval just when it matters. */
    @Override
    public Duration patience() {
        return PATIENCE;
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        ServerStatus status = ServerStatus.of(page);
        long now = nanoClock.getAsLong();
        Reading.Builder reading = Reading.builder();
        status.number("BusyWorkers").ifPresent(busy -> {
            // one of them serves this very page
            reading.put(Metric.BUSY_WORKERS, Math.max(0, busy - 1));
            reading.put(Metric.CONNECTED_USERS, Math.max(0, busy - 1));
        });
        status.number("IdleWorkers").ifPresent(idle -> reading.put(Metric.IDLE_WORKERS, idle));
        addRunningValues(status, reading);
        addRates(status, now, reading);
        return reading.build();
    }

    private void addRunningValues(ServerStatus status, Reading.Builder reading) {
        status.integer("MaxRequestWorkers").ifPresent(threads -> reading.put(Metric.MXC, threads));
        status.integer("KeepAliveTimeoutMs").ifPresent(millis ->
                reading.put(Metric.KAT, millis / (double) Lever.KEEP_ALIVE_TIMEOUT.unitsPerColumn()));
        status.level(mitigationVariable).ifPresent(level -> reading.put(Metric.MITIGATION, level));
        status.wall("MITIGATION_WALL").ifPresent(flag -> reading.put(Wall.FLAG, flag));
        status.integer("Reconfigurations").ifPresent(count -> reading.extra("reconfigurations", count));
        status.integer("ReconfigurePending").ifPresent(count -> reading.extra("reconfigure_pending", count));
        status.integer("WithheldWorkers").ifPresent(count -> reading.extra("withheld_workers", count));
        status.integer("OwedWorkers").ifPresent(count -> reading.extra("owed_workers", count));
    }

    private void addRates(ServerStatus status, long now, Reading.Builder reading) {
        if (status.number("Total Accesses").isEmpty() || status.number("Total Duration").isEmpty()) {
            accesses = Double.NaN;
            reading.problem(page.uri() + " has no \"Total Accesses\" and \"Total Duration\": set ExtendedStatus On");
            return;
        }
        double accessesNow = status.number("Total Accesses").getAsDouble();
        double durationNow = status.number("Total Duration").getAsDouble();
        double uptimeNow = status.number("ServerUptimeSeconds").orElse(0);
        double seconds = (now - readNanos) / 1e9;
        double awayNow = status.number("StandbyTurnedAway").orElse(0);
        double awayMillisNow = status.number("StandbyTurnedAwayDuration").orElse(0);
        if (Double.isNaN(accesses)) {
            reading.problem("first reading: rates need a second one");
        } else if (accessesNow < accesses || durationNow < durationMillis || uptimeNow < uptime) {
            reading.problem("the counters went back: httpd was restarted");
        } else if (seconds > 0) {
            // The previous reading of this page is the one access of ours in the growth. Who was turned away has waited for nothing.
            double away = awayNow < turnedAway ? 0 : awayNow - turnedAway;
            double requests = Math.max(0, accessesNow - accesses - 1 - away);
            if (status.number("StandbyTurnedAway").isPresent()) {
                reading.put(Metric.TURNED_AWAY, away / seconds);
            }
            reading.put(Metric.REQUESTS, requests);
            reading.put(Metric.THROUGHPUT, requests / seconds);
            if (requests > 0) {
                double awayMillis = away > 0 ? Math.max(0, awayMillisNow - turnedAwayMillis) : 0;
                reading.put(Metric.RESPONSE_TIME, Math.max(0, durationNow - durationMillis - awayMillis) / MILLIS / requests);
                addThinkTime(status, requests / seconds, reading);
            }
        }
        accesses = accessesNow;
        durationMillis = durationNow;
        uptime = uptimeNow;
        turnedAway = awayNow;
        turnedAwayMillis = awayMillisNow;
        readNanos = now;
    }

    /**
     * The think time from the threads that wait for a next request: by Little's law a request waits K/X for its
     * successor, which for exponential think times of mean Z and a timeout KAT is Z(1 - exp(-KAT/Z)).
     */
    private static void addThinkTime(ServerStatus status, double throughput, Reading.Builder reading) {
        if (status.integer("KeepAliveTimeoutMs").isEmpty()) {
            return;
        }
        double timeout = status.integer("KeepAliveTimeoutMs").getAsInt() / MILLIS;
        double held = status.keepAliveWorkers() / throughput;
        reading.put(Metric.THINK_TIME, thinkTime(held, timeout));
    }

    /** Solves Z(1 - exp(-timeout/Z)) = held for Z; NaN when nothing is held or the timeout cuts nearly all. */
    static double thinkTime(double held, double timeout) {
        if (held <= 0 || held > 0.9 * timeout) {
            return Double.NaN;
        }
        double low = held;
        double high = 100 * timeout;
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            if (-middle * Math.expm1(-timeout / middle) < held) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.agent.sensor.AccessLogSensor;
import org.ic2.agent.sensor.HostNoticeSensor;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.loop.TurnInterval;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.SensorContext;

/**
 * Reads all sensors of all members side by side, once per interval, and makes one sample of each member. In the middle of
 * an interval it reads those that can, and takes of each what came from it in the last whole one: another sensor's figures
 * for the same thing would be a difference between sensors.
 */
public final class Sampler implements AutoCloseable {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
    private static final double SHARE_OF_INTERVAL = 0.8;
    /** A host that acts all the time must not keep the tenant from judging: after so many intervals in a row one counts. */
    private static final int MOST_ACTED = 2;

    private final List<Member> members = new ArrayList<>();
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final String managed;
    private final Duration deadline;
    private final Duration deadlineBetween;
    private final LongSupplier nanoClock;
    private long hostActs;
    private int actedInARow;

    private static final class Member {
        private final String name;
        private final Set<String> strangers;
        private final List<DeadlineSensor> sensors = new ArrayList<>();
        private final Map<DeadlineSensor, Long> begunIn = new HashMap<>();
        private final Map<String, DeadlineSensor> sources = new HashMap<>();
        private double lastQueue = Double.NaN;

        Member(MemberConfig config) {
            name = config.name();
            strangers = config.strangers();
        }

        /** The epoch in which the oldest of the readings that came in this interval was begun. */
        long firstEpoch(long intervalsFirst, boolean between) {
            long first = intervalsFirst;
            for (DeadlineSensor sensor : sensors) {
                begunIn.putIfAbsent(sensor, intervalsFirst);
                if (!sensor.owesReading() && reads(sensor, between)) {
                    first = Math.min(first, begunIn.remove(sensor));
                }
            }
            return first;
        }

        /** What counts of a reading, as long as no sensor before it says the same. */
        Map<Quantity, Double> ownOf(DeadlineSensor sensor, Reading reading, boolean between) {
            Map<Quantity, Double> counted = strangers.contains(sensor.label())
                    ? MemberConfig.withoutRequests(reading.values()) : reading.values();
            if (!between) {
                return counted;
            }
            Map<Quantity, Double> own = new LinkedHashMap<>(counted);
            own.keySet().removeIf(quantity -> sources.getOrDefault(quantity.column(), sensor) != sensor);
            return own;
        }
    }

    /** Opens the sensors of all members. */
    public Sampler(AgentConfig config, HostPool hosts, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        managed = config.managed().name();
        deadline = deadline(config.interval());
        deadlineBetween = deadline(config.policy().pace().close());
        for (MemberConfig memberConfig : config.members()) {
            Member member = new Member(memberConfig);
            for (MemberConfig.SensorConfig sensor : memberConfig.sensors()) {
                open(config, hosts, sensor).ifPresent(member.sensors::add);
            }
            members.add(member);
        }
    }

    private static Duration deadline(Duration interval) {
        Duration share = Duration.ofMillis((long) (interval.toMillis() * SHARE_OF_INTERVAL));
        return share.compareTo(LONGEST_WAIT) < 0 ? share : LONGEST_WAIT;
    }

    private static boolean reads(DeadlineSensor sensor, boolean between) {
        return !between || sensor.readsBetween();
    }

    private Optional<DeadlineSensor> open(AgentConfig config, HostPool hosts, MemberConfig.SensorConfig sensor) {
        try {
            SensorContext context = new SensorContext(hosts.at(sensor.host()), config.interval(), nanoClock);
            return Optional.of(new DeadlineSensor(sensor.label(), sensor.plan().open(context)));
        } catch (IOException e) {
            failures.put(sensor.label(), e.getMessage());
            return Optional.empty();
        }
    }

    /** Measures one interval. Bounded in time, whatever a sensor does. */
    public TenantMeasurement measure(TurnInterval interval) throws InterruptedException {
        boolean between = interval.between();
        long end = System.nanoTime() + (between ? deadlineBetween : deadline).toNanos();
        Map<DeadlineSensor, Reading> readings = readAll(end, between);
        long actsBefore = hostActs;
        countActs(readings);
        Map<String, String> problems = new LinkedHashMap<>(failures);
        Map<String, Double> extras = new LinkedHashMap<>();
        List<Sample> others = new ArrayList<>();
        Sample result = null;
        for (Member member : members) {
            boolean own = member.name.equals(managed);
            Sample.Builder builder = Sample.at(interval.time()).member(member.name)
                    .epochs(member.firstEpoch(interval.firstEpoch() + actsBefore, between), interval.lastEpoch() + hostActs);
            if (own) {
                builder.settings(interval.believed());
            }
            Sample sample = merge(member, builder, readings, between, problems, extras);
            if (own) {
                result = sample;
            } else {
                others.add(sample);
            }
        }
        return new TenantMeasurement(result, others, problems, extras);
    }

    /** What the host does to its guest ends an epoch, as what we do ourselves: nothing is learned from such an interval. */
    private void countActs(Map<DeadlineSensor, Reading> readings) {
        boolean acted = readings.values().stream().anyMatch(reading -> reading.extras().getOrDefault(HostNoticeSensor.ACTED, 0.0) > 0);
        actedInARow = acted ? actedInARow + 1 : 0;
        if (acted && actedInARow <= MOST_ACTED) {
            hostActs++;
        } else {
            actedInARow = 0;
        }
    }

    /** First those that our own requests would disturb, then all others side by side. */
    private Map<DeadlineSensor, Reading> readAll(long end, boolean between) throws InterruptedException {
        Map<DeadlineSensor, Reading> readings = new HashMap<>();
        for (boolean first : new boolean[] {true, false}) {
            for (Member member : members) {
                member.sensors.stream().filter(sensor -> sensor.readsFirst() == first && reads(sensor, between))
                        .forEach(DeadlineSensor::begin);
            }
            for (Member member : members) {
                for (DeadlineSensor sensor : member.sensors) {
                    if (sensor.readsFirst() == first && reads(sensor, between)) {
                        readings.put(sensor, sensor.end(end));
                    }
                }
            }
        }
        return readings;
    }

    private static Sample merge(Member member, Sample.Builder builder, Map<DeadlineSensor, Reading> readings,
            boolean between, Map<String, String> problems, Map<String, Double> extras) {
        Map<Quantity, Double> values = new LinkedHashMap<>();
        if (!between) {
            member.sources.clear();
        }
        boolean whole = true;
        Double allRequests = null;
        for (DeadlineSensor sensor : member.sensors) {
            Reading reading = readings.get(sensor);
            if (reading == null) {
                continue;
            }
            Map<Quantity, Double> measured = member.ownOf(sensor, reading, between);
            if (measured.containsKey(Metric.RESPONSE_TIME) && !values.containsKey(Metric.RESPONSE_TIME)) {
                whole = sensor.seesWholeResponseTime();
            }
            if (measured.containsKey(Metric.THROUGHPUT) && !values.containsKey(Metric.THROUGHPUT)) {
                allRequests = reading.extras().getOrDefault(AccessLogSensor.ALL_REQUESTS, reading.get(Metric.THROUGHPUT));
            }
            boolean none = Double.valueOf(0).equals(values.get(Metric.REQUESTS));   // of those that the first one counts
            measured.forEach((quantity, value) -> {
                if ((!none || quantity != Metric.RESPONSE_TIME) && values.putIfAbsent(quantity, value) == null) {
                    member.sources.put(quantity.column(), sensor);
                }
            });
            reading.problem().ifPresent(problem -> problems.put(sensor.label(), problem));
            reading.extras().forEach((name, value) -> extras.put(sensor.label() + "." + name, value));
        }
        addQueue(member, values, allRequests, whole);
        values.forEach(builder::set);
        return builder.build();
    }

    /**
     * Connections in the accept queue have not met httpd yet, so its durations do not hold their wait. With L waiting on
     * average and X requests per second, each request's share is L/X (Little's law). X are all requests, also where the
     * response time is of some of them.
     */
    private static void addQueue(Member member, Map<Quantity, Double> values, Double throughput, boolean whole) {
        Double queue = values.get(Metric.ACCEPT_QUEUE);
        if (queue == null) {
            member.lastQueue = Double.NaN;
            return;
        }
        double mean = Double.isNaN(member.lastQueue) ? queue : (member.lastQueue + queue) / 2;
        member.lastQueue = queue;
        values.computeIfPresent(Metric.CONNECTED_USERS, (metric, users) -> users + queue);
        if (throughput == null || !(throughput > 0)) {
            return;
        }
        double wait = mean / throughput;
        values.put(Metric.ACCEPT_QUEUE_WAIT, wait);
        if (!whole) {
            values.computeIfPresent(Metric.RESPONSE_TIME, (metric, seconds) -> seconds + wait);
            values.computeIfPresent(Metric.RESPONSE_TIME_P95, (metric, seconds) -> seconds + wait);
        }
    }

    @Override
    public void close() {
        members.forEach(member -> member.sensors.forEach(DeadlineSensor::close));
    }
}

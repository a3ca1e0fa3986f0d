// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.agent.daemon.Agent;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.control.Detector;
import org.ic2.knowledge.control.Shipped;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.SensorContext;

/** Asks every sensor and actuator of a configuration and finds what the mode lacks. Changes nothing. */
final class Checkup {

    private final AgentConfig config;
    private final Duration deadline;
    private final List<Finding> findings = new ArrayList<>();
    private final Set<Quantity> measured = new HashSet<>();

    /**
     * One line of the report.
     *
     * @param needed true when the mode cannot do without it
     */
    record Finding(boolean ok, boolean needed, String what, String text) {
    }

    /**
     * @param deadline for each sensor; more patient than the loop, so that one which is too slow for it is told from
     *                 one which is broken
     */
    Checkup(AgentConfig config, Duration deadline) {
        this.config = config;
        this.deadline = deadline;
    }

    List<Finding> findings() throws IOException, InterruptedException {
        findings.add(new Finding(true, true, "configuration", config.source() + " is valid; mode " + config.mode()));
        Path controlDir = Files.createTempDirectory("ic2");
        try (HostPool hosts = config.hosts(controlDir)) {
            for (MemberConfig member : config.members()) {
                checkSensors(member, hosts);
            }
            checkMetrics();
            checkActuators(hosts);
        } finally {
            Files.deleteIfExists(controlDir);
        }
        checkJournal();
        return findings;
    }

    private void checkSensors(MemberConfig member, HostPool hosts) throws InterruptedException {
        List<DeadlineSensor> sensors = new ArrayList<>();
        for (MemberConfig.SensorConfig sensor : member.sensors()) {
            try {
                sensors.add(new DeadlineSensor(sensor.label(), sensor.plan().open(new SensorContext(
                        hosts.at(sensor.host()), config.interval(), System::nanoTime))));
            } catch (IOException e) {
                findings.add(new Finding(false, false, sensor.label(), e.getMessage()));
            }
        }
        boolean own = member == config.managed();
        readAll(sensors);
        // Rates need two readings, and a collector needs a moment for its first report.
        TimeUnit.MILLISECONDS.sleep(config.interval().toMillis() + config.interval().toMillis() / 4);
        List<Reading> readings = readAll(sensors);
        for (int i = 0; i < sensors.size(); i++) {
            Reading reading = againIfSilent(sensors.get(i), readings.get(i));
            String problem = reading.problem().orElse("");
            boolean ok = problem.isEmpty();
            String sees = describe(reading);
            String name = problem.startsWith(sensors.get(i).name()) ? "" : sensors.get(i).name() + ": ";
            findings.add(new Finding(ok, false, sensors.get(i).label(), name + (ok ? sees
                    : problem + (sees.isEmpty() ? "" : "; sees " + sees))));
            if (own) {
                measured.addAll(reading.values().keySet());
            }
            sensors.get(i).close();
        }
    }

    /** A collector that has said nothing yet may say in a moment why. */
    private Reading againIfSilent(DeadlineSensor sensor, Reading reading) throws InterruptedException {
        boolean silent = reading.values().isEmpty() && reading.extras().isEmpty()
                && reading.problem().filter(problem -> problem.endsWith(DeadlineSensor.NO_ANSWER)).isEmpty();
        if (!silent) {
            return reading;
        }
        TimeUnit.MILLISECONDS.sleep(config.interval().toMillis());
        return sensor.readWithin(deadline);
    }

    private List<Reading> readAll(List<DeadlineSensor> sensors) throws InterruptedException {
        long end = System.nanoTime() + deadline.toNanos();
        sensors.forEach(DeadlineSensor::begin);
        List<Reading> readings = new ArrayList<>();
        for (DeadlineSensor sensor : sensors) {
            readings.add(sensor.end(end));
        }
        return readings;
    }

    private static String describe(Reading reading) {
        StringJoiner text = new StringJoiner(", ");
        reading.values().entrySet().stream().sorted(Comparator.comparingInt(Checkup::place)).forEach(value ->
                text.add(value.getKey().column() + " " + Rounded.four(value.getValue())));
        reading.extras().forEach((name, value) -> text.add(name + " " + Rounded.four(value)));
        return text.toString();
    }

    /** Ours in their order, then those that a sensor brings. */
    private static int place(Map.Entry<Quantity, Double> value) {
        return value.getKey() instanceof Metric metric ? metric.ordinal() : Integer.MAX_VALUE;
    }

    /** What the detector judges by must come from some sensor of the managed tier. */
    private void checkMetrics() {
        need(Metric.THROUGHPUT, "add a sensor: mod-status, faban-log or access-log");
        boolean idle = measured.contains(Metric.THROUGHPUT) && !measured.contains(Metric.RESPONSE_TIME);
        if (idle) {
            findings.add(new Finding(true, false, "response_time", "none while no request is answered; check again"
                    + " under load"));
        } else {
            need(Metric.RESPONSE_TIME, "add a sensor: mod-status, faban-log or access-log");
        }
        need(Metric.CPU_UTIL, "add a sensor: sysstat, or cgroup for a tier in a container");
        if (config.policy().detector() instanceof Detector.MissRate) {
            need(Metric.CMR, "the detector cmr needs hardware counters: a sensor perf or ocount that counts");
        }
        if (config.policy().detector() instanceof Detector.Tree tree) {
            checkTested(tree);
        }
        List<Quantity> witnesses = config.policy().knowledge().witnesses().stream()
                .map(condition -> condition.attribute().quantity()).distinct().toList();
        boolean witness = witnesses.stream().anyMatch(measured::contains);
        findings.add(new Finding(witness, false, "witnesses", witness
                ? "there is evidence that mitigation cannot hide"
                : "none of " + witnesses.stream().map(Quantity::column).collect(Collectors.joining(", "))
                        + ": once mitigated, the agent can only try whether the neighbour is gone"));
    }

    /** A test on what nobody measures leaves the tree unsure, and the agent blind. */
    private void checkTested(Detector.Tree tree) {
        Set<Quantity> known = new HashSet<>(Set.of(Metric.THROUGHPUT, Metric.RESPONSE_TIME, Metric.CPU_UTIL,
                Metric.LOAD_PER_OPERATION, Metric.WORK_DONE));
        config.vocabulary().knobs().forEach(knob -> known.add(knob.quantity()));
        String unknown = tree.model().tree().attributes().stream().map(Attribute::quantity).distinct()
                .filter(quantity -> !known.contains(quantity) && !measured.contains(quantity))
                .map(Quantity::column).collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            findings.add(new Finding(false, true, "classifier", "it tests " + unknown + ", which no sensor of "
                    + config.managed().name() + " measures, so it will hardly ever be sure; add a sensor, or take"
                    + " detector: {type: tree, model: " + Shipped.WITHOUT_STEAL + "}, which needs none"));
        }
    }

    private void need(Metric metric, String remedy) {
        if (!measured.contains(metric)) {
            findings.add(new Finding(false, true, metric.column(), "no sensor of " + config.managed().name()
                    + " measures it; " + remedy));
        }
    }

    private void checkActuators(HostPool hosts) throws InterruptedException {
        boolean acting = config.mode() == Mode.ACT;
        Set<Knob> movable = Knob.set(Set.of());
        for (Map.Entry<String, Actuator> entry : Agent.actuators(config, hosts).entrySet()) {
            Actuator actuator = entry.getValue();
            movable.addAll(actuator.levers());
            try {
                Settings running = actuator.running();
                actuator.checkMeans();
                report(entry.getKey(), actuator, running, acting);
            } catch (IOException e) {
                findings.add(new Finding(false, acting, entry.getKey(), actuator.name() + ": " + e.getMessage()));
            }
            actuator.close();
        }
        if (acting && config.policy().levers().isEmpty()) {
            findings.add(new Finding(false, true, "levers", "mode act has nothing to move: add an actuator to "
                    + config.managed().name()));
        }
        for (Knob lever : config.policy().levers()) {
            if (!movable.contains(lever)) {
                findings.add(new Finding(false, acting, lever.key(), "no actuator moves this lever"));
            }
        }
    }

    private void report(String label, Actuator actuator, Settings running, boolean acting) {
        StringJoiner text = new StringJoiner(", ");
        StringJoiner missing = new StringJoiner(", ");
        for (Knob lever : actuator.levers()) {
            boolean wanted = config.policy().levers().contains(lever);
            if (!running.has(lever)) {
                if (wanted) {
                    missing.add(lever.key());
                }
                continue;
            }
            int value = running.get(lever);
            int base = config.policy().baseline().get(lever);
            text.add(lever.key() + " " + lever.format(value)
                    + (wanted && value != base ? " (the baseline is " + lever.format(base) + ")" : ""));
        }
        boolean ok = missing.length() == 0;
        findings.add(new Finding(ok, acting, label, actuator.name() + ": running " + text + (ok ? ""
                : "; the server does not tell " + missing + ": declare it (ReconfigureVariable), or take it out of levers")));
    }

    private void checkJournal() {
        Path directory = config.journal().getParent();
        boolean running = new AgentClient(config).runs();
        Path nearest = directory;
        while (nearest != null && !Files.exists(nearest)) {
            nearest = nearest.getParent();
        }
        boolean writable = nearest != null && Files.isWritable(nearest);
        findings.add(new Finding(writable, true, "journal", writable
                ? config.journal() + (running ? "; an agent is running" : " can be written")
                : directory + " cannot be written by " + System.getProperty("user.name")));
    }
}

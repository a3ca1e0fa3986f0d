// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.HttpConfig;
import org.ic2.agent.config.MemberConfig;
import org.ic2.agent.daemon.Agent;
import org.ic2.agent.sensor.ModStatusSensor;
import org.ic2.agent.tenant.GuardCheck;
import org.ic2.agent.tenant.LadderCheck;
import org.ic2.agent.tenant.QuietCheck;
import org.ic2.agent.tenant.TargetCheck;
import org.ic2.agent.tenant.TenantBrain;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.SecretFile;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorContext;
import org.ic2.runtime.serve.TlsFiles;

/** Asks every sensor and actuator of a configuration and finds what the mode lacks. Changes nothing. */
final class Checkup {

    private final AgentConfig config;
    private final Duration deadline;
    private final List<Finding> findings = new ArrayList<>();
    private final MeasuredCheck measured;
    private final Map<URI, List<Finding>> standby = new LinkedHashMap<>();

    /**
     * One line of the report.
     *
     * @param needed true when the mode cannot do without it
     */
    record Finding(boolean ok, boolean needed, String what, String text) {

        /** "ok", "MISSING" for what the mode cannot do without, "note" for what it can. */
        String word() {
            return ok ? "ok" : needed ? "MISSING" : "note";
        }
    }

    /**
     * @param deadline for each sensor; more patient than the loop, so that one which is too slow for it is told from
     *                 one which is broken
     */
    Checkup(AgentConfig config, Duration deadline) {
        this.config = config;
        this.deadline = deadline;
        this.measured = new MeasuredCheck(config);
    }

    List<Finding> findings() throws IOException, InterruptedException {
        findings.add(new Finding(true, true, "configuration", config.source() + " is valid; mode " + config.mode()));
        config.profile().ifPresent(profile -> findings.add(new Finding(true, false, "profile", profile.describe())));
        Path controlDir = Files.createTempDirectory("ic2");
        try (HostPool hosts = config.hosts(controlDir)) {
            for (MemberConfig member : config.members()) {
                checkSensors(member, hosts);
            }
            findings.addAll(measured.findings());
            checkActuators(hosts);
            standby.values().forEach(findings::addAll);
        } finally {
            Files.deleteIfExists(controlDir);
        }
        checkJournal();
        checkLearned();
        findings.add(new Finding(true, false, "restore", String.join("; ", RestoreText.lines(config.policy()))));
        GuardCheck.problem(config.policy()).ifPresent(problem -> findings.add(new Finding(false, false, GuardCheck.KEY, problem)));
        LadderCheck.problem(config.policy()).ifPresent(problem -> findings.add(new Finding(false, false, "ladder", problem)));
        config.http().ifPresent(this::checkHttp);
        return findings;
    }

    private void checkSensors(MemberConfig member, HostPool hosts) throws InterruptedException {
        List<DeadlineSensor> sensors = new ArrayList<>();
        Map<String, HttpGet> pages = new HashMap<>();
        for (MemberConfig.SensorConfig sensor : member.sensors()) {
            try {
                Sensor opened = sensor.plan().open(new SensorContext(
                        hosts.at(sensor.host()), config.interval(), System::nanoTime));
                checkCaveat(sensor.label(), opened);
                if (opened instanceof ModStatusSensor status) {
                    pages.put(sensor.label(), new HttpGet(hosts.at(sensor.host()), status.uri().toString()));
                }
                sensors.add(new DeadlineSensor(sensor.label(), opened));
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
                measured.add(sensors.get(i).label(), reading);
            }
            if (!reading.values().isEmpty() && pages.containsKey(sensors.get(i).label())) {
                checkStandby(pages.get(sensors.get(i).label()));
            }
            sensors.get(i).close();
        }
    }

    private void checkCaveat(String label, Sensor sensor) throws InterruptedException {
        try {
            sensor.caveat().ifPresent(caveat -> findings.add(new Finding(false, false, label, caveat)));
        } catch (IOException e) {
            // its reading says what is wrong
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
                checkBounds(actuator, acting);
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

    /** What mod_standby says where a sensor mod-status looks, if it is there. */
    private void checkStandby(HttpGet page) throws InterruptedException {
        if (!standby.containsKey(page.uri())) {
            standby.put(page.uri(), new StandbyCheck(config.mode() == Mode.ACT, config.policy().levers().contains(Wall.FLAG)).look(page, deadline));
        }
    }

    /** What a bound allows and the server does not is refused in the middle of an interference. */
    private void checkBounds(Actuator actuator, boolean acting) throws IOException, InterruptedException {
        Bounds allowed = actuator.allowed();
        Bounds bounds = config.policy().bounds();
        for (Knob lever : allowed.lowest().knobs()) {
            boolean wanted = config.policy().levers().contains(lever);
            if (wanted && !(allowed.contains(bounds.lowest().only(Set.of(lever)))
                    && allowed.contains(bounds.highest().only(Set.of(lever))))) {
                findings.add(new Finding(false, acting, "bounds." + lever.key(), "[" + lever.format(bounds.lowest().get(lever))
                        + ", " + lever.format(bounds.highest().get(lever)) + "] leaves what the server takes, "
                        + lever.format(allowed.lowest().get(lever)) + " to " + lever.format(allowed.highest().get(lever))
                        + "; narrow the bounds, or change the server's limits (and reconfigure.conf, behind the root helper)"));
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

    /** What earlier runs have learned, where any have: whether the target can be met, and the host is ever quiet. */
    private void checkLearned() {
        Path state = StateStore.beside(config.journal());
        if (!Files.exists(state)) {
            return;
        }
        try {
            TenantBrain brain = new TenantBrain(config.policy(), config.vocabulary());
            brain.read(state.toString(), BoundedText.file(state, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8));
            TargetCheck.problem(config.policy(), brain.state().learning()).ifPresent(problem ->
                    findings.add(new Finding(false, false, TargetCheck.KEY, problem)));
            QuietCheck.problem(config.policy(), brain.state().learning()).ifPresent(problem ->
                    findings.add(new Finding(false, false, QuietCheck.KEY, problem)));
        } catch (IOException e) {
            findings.add(new Finding(false, false, "state", "what was learned cannot be read: " + e.getMessage()));
        }
    }

    private void checkHttp(HttpConfig http) {
        if (http.insecureReadOnly()) {
            findings.add(new Finding(true, false, "http", http.reach()));
        }
        http.tokenFile().ifPresent(file -> checkFile("http.token-file", () -> {
            SecretFile.read(file);
            return file + " is there, and private";
        }));
        http.tls().ifPresent(files -> checkFile("http.tls", () -> {
            TlsFiles.Identity identity = files.read();
            Instant end = identity.own().getNotAfter().toInstant();
            if (end.isBefore(Instant.now())) {
                throw new IOException("the certificate in " + files.certificate() + " is no longer valid since " + end);
            }
            return "the certificate in " + files.certificate() + " is valid until " + end + ", for "
                    + (identity.names().isEmpty() ? "no name" : String.join(", ", identity.names()));
        }));
    }

    /** Reads a file, and says what it found. */
    private interface FileCheck {
        String read() throws IOException;
    }

    private void checkFile(String what, FileCheck check) {
        try {
            findings.add(new Finding(true, false, what, check.read()));
        } catch (IOException e) {
            findings.add(new Finding(false, true, what, e.getMessage()));
        }
    }

    private void checkJournal() {
        Path directory = config.journal().getParent();
        boolean running = new AgentClient(config.journal()).runs();
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

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.agent.actuator.ActuatorRegistry;
import org.ic2.agent.config.MemberConfig.ActuatorConfig;
import org.ic2.agent.config.MemberConfig.SensorConfig;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.Terms;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.SshAddress;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Vocabulary;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import org.ic2.runtime.yaml.YamlMap;

/** Reads the configuration file, strictly: whatever is unknown, misspelt or out of range is an error with its line. */
public final class ConfigLoader {

    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);
    private static final String DEFAULT_JOURNAL = "/var/lib/ic2/journal.jsonl";
    private static final String NAME = "[A-Za-z][A-Za-z0-9_-]{0,40}";

    private final SensorRegistry sensors;
    private final ActuatorRegistry actuators;

    public ConfigLoader(SensorRegistry sensors, ActuatorRegistry actuators) {
        this.sensors = sensors;
        this.actuators = actuators;
    }

    /** Reads a file. */
    public AgentConfig load(Path file) throws ConfigException {
        String text;
        try {
            text = BoundedText.file(file, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ConfigException("cannot read the configuration: " + e.getMessage(), e);
        }
        return parse(file, text);
    }

    /** Reads a file's text; relative paths in it are relative to the file. */
    public AgentConfig parse(Path file, String text) throws ConfigException {
        YamlMap root = YamlMap.parse(file.toString(), text);
        Optional<ConfigProfile> profile = ConfigProfile.apply(root);
        String application = root.parsed("application", ConfigLoader::name);
        Duration interval = root.duration("interval", DEFAULT_INTERVAL);
        if (interval.compareTo(PolicyReader.LEAST_INTERVAL) < 0) {
            throw root.error("interval", "expected at least " + Durations.format(PolicyReader.LEAST_INTERVAL) + ", got "
                    + Durations.format(interval));
        }
        Mode mode = root.parsed("mode", Mode::parse, Mode.ADVISE);
        List<MemberConfig> members = members(root);
        YamlMap safety = root.mapOrEmpty("safety");
        Vocabulary vocabulary = vocabulary(file, members);
        Policy policy = new PolicyReader(file.toAbsolutePath().getParent(), root, safety, vocabulary)
                .read(members, interval);
        boolean restore = safety.oneOf("on-exit", "restore", "restore", "keep").equals("restore");
        safety.done();
        YamlMap ssh = root.mapOrEmpty("ssh");
        Optional<Path> identity = ssh.optionalParsed("identity", Path::of);
        Optional<Path> knownHosts = ssh.optionalParsed("known-hosts", Path::of);
        ssh.done();
        Optional<HttpConfig> http = root.has("http") ? Optional.of(HttpConfig.read(root.map("http"))) : Optional.empty();
        Optional<TellHost> tellHost = root.has("tell-host") ? Optional.of(TellHost.read(root.map("tell-host"))) : Optional.empty();
        Optional<Path> overloadFile = root.optionalParsed("overload-file", ConfigLoader::absolute);
        Path journal = root.parsed("journal", Path::of, Path.of(DEFAULT_JOURNAL));
        root.done();
        AgentConfig config = new AgentConfig(file, application, interval, mode, members, vocabulary, profile, policy,
                restore, journal.toAbsolutePath(), http, tellHost, overloadFile, identity, knownHosts);
        for (ActuatorConfig actuator : config.managed().actuators()) {
            actuator.plan().fit(policy.baseline(), policy.bounds(), policy.levers());
        }
        return config;
    }

    /** What IC2 ships, and what the sensors and the managed tier's actuators bring. */
    private static Vocabulary vocabulary(Path file, List<MemberConfig> members) throws ConfigException {
        List<Knob> knobs = new ArrayList<>();
        List<Quantity> quantities = new ArrayList<>();
        members.forEach(member -> member.sensors().forEach(sensor -> quantities.addAll(sensor.plan().quantities())));
        MemberConfig.managed(members).actuators().forEach(actuator -> knobs.addAll(actuator.plan().levers()));
        try {
            Vocabulary vocabulary = Terms.shipped().with(knobs, quantities);
            SamplesCsv.own(vocabulary);
            return vocabulary;
        } catch (IllegalArgumentException e) {
            throw new ConfigException(file + ": what the sensors and actuators bring does not fit together: "
                    + e.getMessage(), e);
        }
    }

    private List<MemberConfig> members(YamlMap root) throws ConfigException {
        YamlMap map = root.map("members");
        List<MemberConfig> members = new ArrayList<>();
        for (String name : map.names()) {
            if (!name.matches(NAME)) {
                throw map.error(name, "expected a name of letters, digits, - and _");
            }
            MemberConfig member = member(name, map.map(name));
            boolean managed = member.role().equals(MemberConfig.WEB) && members.stream().noneMatch(ConfigLoader::isWeb);
            if (!managed && !member.actuators().isEmpty()) {
                throw map.map(name).error("actuators", "only the managed member has actuators, the first with \"role: web\"; nothing"
                        + " would move these: leave them out, or give this machine an agent of its own");
            }
            members.add(member);
        }
        map.done();
        if (members.stream().noneMatch(ConfigLoader::isWeb)) {
            throw root.error("members", "expected a member with \"role: web\", the tier to manage");
        }
        return members;
    }

    private static boolean isWeb(MemberConfig member) {
        return member.role().equals(MemberConfig.WEB);
    }

    private MemberConfig member(String name, YamlMap settings) throws ConfigException {
        String role = settings.parsed("role", ConfigLoader::name);
        Optional<SshAddress> host = host(settings);
        List<SensorConfig> measured = new ArrayList<>();
        Optional<String> statusUrl = Optional.empty();
        YamlMap sensorMaps = settings.mapOrEmpty("sensors");
        for (String key : sensorMaps.names()) {
            YamlMap sensor = sensorMaps.map(key);
            Optional<SshAddress> elsewhere = sensor.has("host") ? host(sensor) : host;
            measured.add(new SensorConfig(name + "." + key, elsewhere, sensors.parse(sensor)));
            if (sensor.text("type").equals("mod-status")) {
                statusUrl = statusUrl.isPresent() ? statusUrl : sensor.optionalText("url");
            }
        }
        List<ActuatorConfig> moved = new ArrayList<>();
        YamlMap actuatorMaps = settings.mapOrEmpty("actuators");
        for (String key : actuatorMaps.names()) {
            YamlMap actuator = actuatorMaps.map(key);
            ActuatorPlan plan = actuators.parse(actuator, statusUrl);
            Map<String, List<String>> contents = actuator.contents();
            statusUrl.ifPresent(url -> contents.putIfAbsent("status-url", List.of(url)));
            moved.add(new ActuatorConfig(name + "." + key, contents, plan));
        }
        settings.done();
        sensorMaps.done();
        actuatorMaps.done();
        return new MemberConfig(name, role, host, measured, moved);
    }

    private static Optional<SshAddress> host(YamlMap settings) throws ConfigException {
        Optional<String> text = settings.optionalText("host");
        if (text.isEmpty() || text.get().equals("localhost")) {
            return Optional.empty();
        }
        return Optional.of(settings.parsed("host", SshAddress::parse));
    }

    private static Path absolute(String text) {
        Path path = Path.of(text);
        if (!path.isAbsolute() || path.getFileName() == null) {
            throw new IllegalArgumentException("expected a file by its whole path, such as /var/lib/ic2/overload, got \"" + text + "\"");
        }
        return path.normalize();
    }

    private static String name(String text) {
        if (!text.matches(NAME)) {
            throw new IllegalArgumentException("expected a name of letters, digits, - and _, got \"" + text + "\"");
        }
        return text;
    }
}

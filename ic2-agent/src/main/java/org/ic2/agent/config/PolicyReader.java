// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import org.ic2.runtime.yaml.YamlMap;
import org.ic2.knowledge.Bounds;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.control.Detector;
import org.ic2.knowledge.control.Policy;
import org.ic2.knowledge.control.Shipped;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.knowledge.tree.ClassifierJson;

/** The part of the configuration file that says what may be decided: baseline, bounds, levers, detector, safety. */
final class PolicyReader {

    private static final Duration DEFAULT_TARGET = Duration.ofMillis(500);
    private static final Duration DEFAULT_STALE_AFTER = Duration.ofSeconds(15);

    private final Path directory;
    private final YamlMap root;
    private final YamlMap safety;

    /**
     * @param directory what relative paths in the file are relative to
     */
    PolicyReader(Path directory, YamlMap root, YamlMap safety) {
        this.directory = directory;
        this.root = root;
        this.safety = safety;
    }

    Policy read(List<MemberConfig> members, Duration interval) throws ConfigException {
        Set<Lever> movable = movable(members);
        Set<Lever> levers = levers(movable);
        YamlMap baselineMap = root.map("baseline");
        YamlMap boundsMap = root.map("bounds");
        Map<Lever, Integer> baseline = new EnumMap<>(Lever.class);
        Map<Lever, Integer> lowest = new EnumMap<>(Lever.class);
        Map<Lever, Integer> highest = new EnumMap<>(Lever.class);
        for (Lever lever : Lever.values()) {
            readLever(lever, levers.contains(lever), baselineMap, boundsMap, baseline, lowest, highest);
        }
        baselineMap.done();
        boundsMap.done();
        Bounds bounds = new Bounds(configuration(lowest), configuration(highest));
        Policy.Builder policy = Policy.builder(configuration(baseline), bounds, detector(), knowledge())
                .levers(levers)
                .targetResponseTime(root.duration("target-response-time", DEFAULT_TARGET).toMillis() / 1000.0)
                .acting(true);
        readSafety(policy);
        policy.staleAfter(staleAfter(interval));
        try {
            return policy.build();
        } catch (IllegalArgumentException e) {
            throw new ConfigException(root.file() + ": " + e.getMessage(), e);
        }
    }

    private void readSafety(Policy.Builder policy) throws ConfigException {
        if (safety.has("cool-down")) {
            policy.coolDown(safety.duration("cool-down"));
        }
        if (safety.has("actions-per-hour")) {
            policy.actionsPerHour(natural("actions-per-hour", 0));
        }
        if (safety.has("min-requests")) {
            policy.minRequests(natural("min-requests", 1));
        }
        if (safety.has("warm-up")) {
            policy.warmUp(natural("warm-up", 0));
        }
    }

    /** One late sample must not take a mitigation back; without a word from the file three make it stale. */
    private Duration staleAfter(Duration interval) throws ConfigException {
        Duration three = interval.multipliedBy(3);
        Duration given = safety.duration("stale-after",
                three.compareTo(DEFAULT_STALE_AFTER) > 0 ? three : DEFAULT_STALE_AFTER);
        Duration least = interval.multipliedBy(2);
        if (given.compareTo(least) < 0) {
            throw safety.error("stale-after", "expected at least two intervals, " + Durations.format(least) + ", got "
                    + Durations.format(given));
        }
        return given;
    }

    private int natural(String key, int least) throws ConfigException {
        int value = safety.integer(key);
        if (value < least) {
            throw safety.error(key, "expected " + least + " or more, got " + value);
        }
        return value;
    }

    private static Set<Lever> movable(List<MemberConfig> members) {
        Set<Lever> movable = EnumSet.noneOf(Lever.class);
        members.stream().filter(member -> member.role().equals(MemberConfig.WEB)).findFirst().ifPresent(web ->
                web.actuators().forEach(actuator -> movable.addAll(actuator.plan().levers())));
        return movable;
    }

    /** The levers of the file; without them, what the actuators can move except PHP, which gains nothing above the knee. */
    private Set<Lever> levers(Set<Lever> movable) throws ConfigException {
        EnumSet<Lever> levers = EnumSet.noneOf(Lever.class);
        if (!root.has("levers")) {
            levers.addAll(movable);
            levers.remove(Lever.PHP_MAX_CHILDREN);
            return levers;
        }
        for (String key : root.texts("levers")) {
            Lever lever = Lever.ofKey(key).orElseThrow(() -> root.error("levers", "expected keep-alive-timeout,"
                    + " max-request-workers, php-max-children or mitigation, got \"" + key + "\""));
            if (!movable.isEmpty() && !movable.contains(lever)) {
                throw root.error("levers", "no actuator of the web member can move " + key
                        + "; add one, or leave the lever out");
            }
            levers.add(lever);
        }
        return levers;
    }

    private void readLever(Lever lever, boolean required, YamlMap baselineMap, YamlMap boundsMap,
            Map<Lever, Integer> baseline, Map<Lever, Integer> lowest, Map<Lever, Integer> highest)
            throws ConfigException {
        String key = lever.key();
        if (!required && !baselineMap.has(key) && !boundsMap.has(key)) {
            int idle = lever == Lever.MITIGATION ? 0 : 1;
            baseline.put(lever, idle);
            lowest.put(lever, idle);
            highest.put(lever, idle);
            return;
        }
        int base = baselineMap.parsed(key, text -> value(lever, text));
        baseline.put(lever, base);
        if (!required && !boundsMap.has(key)) {
            lowest.put(lever, base);
            highest.put(lever, base);
            return;
        }
        List<String> pair = boundsMap.texts(key);
        if (pair.size() != 2) {
            throw boundsMap.error(key, "expected [lowest, highest], got " + pair);
        }
        try {
            lowest.put(lever, value(lever, pair.get(0)));
            highest.put(lever, value(lever, pair.get(1)));
        } catch (IllegalArgumentException e) {
            throw boundsMap.error(key, e.getMessage());
        }
        if (lowest.get(lever) > highest.get(lever)) {
            throw boundsMap.error(key, "expected [lowest, highest], got " + pair);
        }
        if (base < lowest.get(lever) || base > highest.get(lever)) {
            throw boundsMap.error(key, "the bounds " + pair + " exclude the baseline " + lever.format(base)
                    + "; widen them, or change baseline." + key);
        }
    }

    /** A lever's integer from the file's text; a timeout needs its unit, the others must have none. */
    static int value(Lever lever, String text) {
        int least = lever == Lever.MITIGATION ? 0 : 1;
        int value;
        if (lever == Lever.KEEP_ALIVE_TIMEOUT) {
            long millis = Durations.parse(text).toMillis();
            if (millis > Duration.ofHours(1).toMillis()) {
                throw new IllegalArgumentException("expected at most 1h, got \"" + text + "\"");
            }
            value = (int) millis;
        } else if (text.matches("\\d{1,7}")) {
            value = Integer.parseInt(text);
        } else {
            throw new IllegalArgumentException("expected a whole number without a unit, got \"" + text + "\"");
        }
        if (value < least) {
            throw new IllegalArgumentException("expected at least " + lever.format(least) + ", got \"" + text + "\"");
        }
        return value;
    }

    private static Configuration configuration(Map<Lever, Integer> values) {
        return new Configuration(values.get(Lever.MAX_REQUEST_WORKERS), values.get(Lever.KEEP_ALIVE_TIMEOUT),
                values.get(Lever.PHP_MAX_CHILDREN), values.get(Lever.MITIGATION));
    }

    private Detector detector() throws ConfigException {
        YamlMap map = root.mapOrEmpty("detector");
        Detector detector;
        if (map.oneOf("type", "tree", "tree", "cmr").equals("tree")) {
            Text model = text(map, "model", Shipped.CLASSIFIER, Shipped.WITHOUT_STEAL);
            try {
                detector = new Detector.Tree(ClassifierJson.read(model.name(), model.content()));
            } catch (FormatException e) {
                throw map.error("model", e.getMessage());
            }
        } else {
            double threshold = map.number("threshold");
            if (threshold < 0 || threshold > 1) {
                throw map.error("threshold", "expected a miss rate between 0 and 1, got " + threshold);
            }
            detector = new Detector.MissRate(threshold, map.duration("response-time").toMillis() / 1000.0);
        }
        map.done();
        return detector;
    }

    private KnowledgeBase knowledge() throws ConfigException {
        Text rules = text(root, "knowledge-base", Shipped.RULES);
        try {
            return RulesYaml.read(rules.name(), rules.content());
        } catch (FormatException e) {
            throw root.error("knowledge-base", e.getMessage());
        }
    }

    /** A file's name, for messages, and what it holds. */
    private record Text(String name, String content) {
    }

    /** The file that the key names, looked up beside the configuration; the first shipped one is the default. */
    private Text text(YamlMap map, String key, String... shipped) throws ConfigException {
        String name = map.has(key) ? map.text(key) : shipped[0];
        Path path = directory.resolve(name);
        try {
            if (Files.exists(path)) {
                return new Text(path.toString(), Files.readString(path));
            }
        } catch (IOException e) {
            throw map.error(key, "cannot read " + path + ": " + e.getMessage());
        }
        if (!List.of(shipped).contains(name)) {
            throw map.error(key, "no file " + path + "; leave the key out for the one that IC2 ships");
        }
        return new Text("shipped " + name, Shipped.text(name));
    }
}

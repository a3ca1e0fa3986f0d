// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.FormatException;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.LadderStep;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.KnowledgeBase;
import org.ic2.knowledge.rules.RulesYaml;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.knob.Vocabulary;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import org.ic2.runtime.yaml.YamlMap;

/** The part of the configuration file that says what may be decided: baseline, bounds, levers, ladder, detector, safety. */
final class PolicyReader {

    private static final Duration DEFAULT_TARGET = Duration.ofMillis(500);
    static final Duration LEAST_INTERVAL = Duration.ofMillis(200);
    /** Of suspicious intervals, so many make a usual one. */
    private static final int QUICKER = 5;
    private static final Duration DEFAULT_STALE_AFTER = Duration.ofSeconds(15);
    private static final Duration DEFAULT_COOL_DOWN = Duration.ofSeconds(10);

    private static final String HEADROOM = "share-headroom";

    private final Path directory;
    private final YamlMap root;
    private final YamlMap safety;
    private final Vocabulary vocabulary;

    /**
     * @param directory  what relative paths in the file are relative to
     * @param vocabulary the knobs and quantities that the file may name
     */
    PolicyReader(Path directory, YamlMap root, YamlMap safety, Vocabulary vocabulary) {
        this.directory = directory;
        this.root = root;
        this.safety = safety;
        this.vocabulary = vocabulary;
    }

    Policy read(List<MemberConfig> members, Duration interval) throws ConfigException {
        Set<Knob> movable = Knob.set(Set.of());
        MemberConfig.managed(members).actuators().forEach(actuator -> movable.addAll(actuator.plan().levers()));
        Set<Knob> levers = levers(movable);
        YamlMap baselineMap = root.map("baseline");
        YamlMap boundsMap = root.map("bounds");
        Map<Knob, Integer> baseline = new HashMap<>();
        Map<Knob, Integer> lowest = new HashMap<>();
        Map<Knob, Integer> highest = new HashMap<>();
        for (Knob lever : vocabulary.knobs()) {
            readLever(lever, levers.contains(lever), baselineMap, boundsMap, baseline, lowest, highest);
        }
        baselineMap.done();
        boundsMap.done();
        Bounds bounds = new Bounds(Settings.of(lowest), Settings.of(highest));
        Settings baselineSettings = Settings.of(baseline);
        Ladder ladder = ladder(baselineSettings, bounds, levers);
        KnowledgeBase rules = knowledge(levers.contains(Wall.FLAG) ? ladder.lastMitigation() : Integer.MAX_VALUE);
        Policy.Builder policy = Policy.builder(baselineSettings, bounds, detector(), rules)
                .levers(levers)
                .acts(ActKey.read(root, rules))
                .ladder(ladder)
                .ladderStep(root.oneOf("ladder-step", "computed", "computed", "one").equals("one") ? LadderStep.ONE
                        : LadderStep.COMPUTED)
                .targetResponseTime(root.duration("target-response-time", DEFAULT_TARGET).toMillis() / 1000.0)
                .felt(root.oneOf("target-response-time-of", "mean", "mean", "p95").equals("mean")
                        ? Metric.RESPONSE_TIME : Metric.RESPONSE_TIME_P95)
                .acting(true).safeguards(ConfigProfile.safeguards(root));
        sharing(levers).ifPresent(policy::sharing);
        readSafety(policy, interval);
        policy.staleAfter(staleAfter(interval)).pace(pace(interval))
                .requests(MemberConfig.managed(members).requests().orElse(""));
        try {
            return policy.build();
        } catch (IllegalArgumentException e) {
            throw new ConfigException(root.file() + ": " + e.getMessage(), e);
        }
    }

    /** Who moves the share of a cluster's requests: people and levels, or what is left of the capacity. */
    private Optional<Sharing> sharing(Set<Knob> levers) throws ConfigException {
        if (root.oneOf("share", "by-hand", "by-hand", "computed").equals("by-hand")) {
            if (root.has(HEADROOM)) {
                throw root.error(HEADROOM, "only with share: computed");
            }
            return Optional.empty();
        }
        Knob share = levers.stream().filter(knob -> knob.key().equals("share")).findFirst().orElseThrow(() ->
                root.error("share", "computed needs the lever share and an actuator that moves it, such as haproxy-agent"));
        double headroom = root.has(HEADROOM) ? root.number(HEADROOM) : Sharing.HEADROOM;
        if (headroom < 1) {
            throw root.error(HEADROOM, "expected how many times its usual requests a server can serve, 1 or more, got " + headroom);
        }
        if (root.has(HEADROOM) && !vocabulary.quantity(Sharing.WHOLE.column()).isPresent()) {
            throw root.error(HEADROOM, "needs a sensor that tells the others' shares, such as haproxy");
        }
        return Optional.of(new Sharing(share, headroom));
    }

    private void readSafety(Policy.Builder policy, Duration interval) throws ConfigException {
        Duration coolDown = safety.duration("cool-down", DEFAULT_COOL_DOWN);
        policy.coolDown(coolDown).probing(ProbeKeys.read(safety, coolDown, interval));
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

    /** A fifth of the interval: three labels in a row take one and two fifths, each with requests of its own. */
    private SamplingInterval pace(Duration interval) throws ConfigException {
        long fifth = Math.max(LEAST_INTERVAL.toMillis(), interval.toMillis() / QUICKER);
        Duration close = root.parsed("suspicious-interval", text -> text.equals("off") ? interval : Durations.parse(text),
                Duration.ofMillis(Math.min(interval.toMillis(), fifth)));
        if (close.compareTo(LEAST_INTERVAL) < 0 || close.compareTo(interval) > 0) {
            throw root.error("suspicious-interval", "expected " + Durations.format(LEAST_INTERVAL) + " to the interval of "
                    + Durations.format(interval) + ", or off, got " + Durations.format(close));
        }
        return new SamplingInterval(interval, close);
    }

    private int natural(String key, int least) throws ConfigException {
        int value = safety.integer(key);
        if (value < least) {
            throw safety.error(key, "expected " + least + " or more, got " + value);
        }
        return value;
    }

    /** The levers of the file; without them, what the actuators can move except what is none unless it is named. */
    private Set<Knob> levers(Set<Knob> movable) throws ConfigException {
        Set<Knob> levers = Knob.set(Set.of());
        if (!root.has("levers")) {
            movable.stream().filter(Knob::leverByDefault).forEach(levers::add);
            return levers;
        }
        for (String key : root.texts("levers")) {
            Knob lever = vocabulary.knob(key).orElseThrow(() -> root.error("levers", "expected "
                    + String.join(", ", vocabulary.keys()) + ", got \"" + key + "\""));
            if (!movable.isEmpty() && !movable.contains(lever)) {
                throw root.error("levers", "no actuator of the web member can move " + key
                        + "; add one, or leave the lever out");
            }
            levers.add(lever);
        }
        return levers;
    }

    /** The levels of the file; without them, those of the mitigation. */
    private Ladder ladder(Settings baseline, Bounds bounds, Set<Knob> levers) throws ConfigException {
        if (!root.has("ladder")) {
            return Ladder.ofMitigation(baseline, bounds, levers);
        }
        Ladder ladder = Ladder.empty(baseline, bounds, levers);
        for (YamlMap map : root.maps("ladder")) {
            Settings level = Settings.none();
            for (String key : map.names()) {
                Knob knob = vocabulary.knob(key).orElseThrow(() -> map.error(key, "unknown knob; expected one of "
                        + String.join(", ", vocabulary.keys())));
                Ladder below = ladder;
                level = level.with(knob, map.parsed(key, text -> {
                    int value = knob.parse(text);
                    below.check(knob, value);
                    return value;
                }));
            }
            try {
                ladder = ladder.plus(level);
            } catch (IllegalArgumentException e) {
                throw root.error("ladder", "level " + (ladder.highest() + 1) + ": " + e.getMessage());
            }
        }
        return ladder;
    }

    private void readLever(Knob lever, boolean required, YamlMap baselineMap, YamlMap boundsMap,
            Map<Knob, Integer> baseline, Map<Knob, Integer> lowest, Map<Knob, Integer> highest)
            throws ConfigException {
        String key = lever.key();
        if (!baselineMap.has(key) && !boundsMap.has(key) && (!required || lever.most().isPresent())) {
            baseline.put(lever, lever.neutral());
            lowest.put(lever, lever.neutral());
            highest.put(lever, required ? lever.most().getAsInt() : lever.neutral());
            return;
        }
        int base = baselineMap.parsed(key, lever::parse);
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
            lowest.put(lever, lever.parse(pair.get(0)));
            highest.put(lever, lever.parse(pair.get(1)));
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

    private Detector detector() throws ConfigException {
        YamlMap map = root.mapOrEmpty("detector");
        Detector detector;
        if (map.oneOf("type", "tree", "tree", "cmr").equals("tree")) {
            Text model = text(map, "model", Shipped.CLASSIFIER, Shipped.WITHOUT_STEAL, Shipped.PAPER);
            try {
                detector = new Detector.Tree(ClassifierJson.read(model.name(), model.content(), vocabulary));
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

    /** The rules; with those that are shipped a level that the ladder does not have is passed over. */
    private KnowledgeBase knowledge(int last) throws ConfigException {
        Text rules = text(root, "knowledge-base", Shipped.RULES, Shipped.PAPER_RULES);
        try {
            return NeverNormalKey.read(root, RulesYaml.read(rules.name(), rules.content(), vocabulary,
                    rules.shipped() ? Integer.MAX_VALUE : last));
        } catch (FormatException e) {
            throw root.error("knowledge-base", e.getMessage());
        }
    }

    /** A file's name, for messages, what it holds, and whether it is ours. */
    private record Text(String name, String content, boolean shipped) {
    }

    /** The file that the key names, looked up beside the configuration; the first shipped one is the default. */
    private Text text(YamlMap map, String key, String... shipped) throws ConfigException {
        String name = map.has(key) ? map.text(key) : shipped[0];
        Path path = directory.resolve(name);
        try {
            if (Files.exists(path)) {
                return new Text(path.toString(),
                        BoundedText.file(path, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8), false);
            }
        } catch (IOException e) {
            throw map.error(key, "cannot be read: " + e.getMessage());
        }
        if (!List.of(shipped).contains(name)) {
            throw map.error(key, "no file " + path + "; leave the key out for the one that IC2 ships");
        }
        return new Text("shipped " + name, Shipped.text(name), true);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import org.ic2.host.backend.BackendProvider;
import org.ic2.host.backend.BackendProviders;
import org.ic2.host.config.GuestRule.CpuTime;
import org.ic2.host.config.GuestRule.MemoryRange;
import org.ic2.host.model.GroupName;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestWaits;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import org.ic2.runtime.yaml.Sizes;
import org.ic2.runtime.yaml.YamlMap;

/** Reads the file, strictly: whatever is unknown, misspelt or out of range is an error with its line. */
public final class HostConfigReader {

    private static final String DEFAULT_JOURNAL = "/var/lib/ic2-host/journal.jsonl";
    private static final String OTHERS = "*";
    private static final int MOST_ACTIONS = 1_000_000;
    private static final Duration LEAST_PERIOD = Duration.ofSeconds(1);

    private final Path directory;
    private final YamlMap root;
    private final Map<String, String> places = new HashMap<>();

    private HostConfigReader(Path file, String text) throws ConfigException {
        directory = file.toAbsolutePath().getParent();
        root = YamlMap.parse(file.toString(), text);
    }

    /** Reads a file. */
    public static HostConfig load(Path file) throws ConfigException {
        String text;
        try {
            text = BoundedText.file(file, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ConfigException("cannot read the configuration: " + e.getMessage(), e);
        }
        return parse(file, text);
    }

    /** Reads a file's text; relative paths in it are relative to the file. */
    public static HostConfig parse(Path file, String text) throws ConfigException {
        return new HostConfigReader(file, text).read(file);
    }

    private HostConfig read(Path file) throws ConfigException {
        BackendChoice backend = backend(root.map("backend"));
        Mode mode = root.parsed("mode", Mode::parse, Mode.ADVISE);
        YamlMap reserve = root.mapOrEmpty("reserve");
        long memory = reserve.has("memory") ? reserve.size("memory") : 0;
        double cpus = reserve.has("cpus") ? atLeastZero(reserve, "cpus") : 0;
        places.putAll(Map.of("reserve.memory", at(reserve, "memory"), "reserve.cpus", at(reserve, "cpus"), "journal", at(root, "journal")));
        reserve.done();
        Map<String, GuestRule> guests = guests(root.mapOrEmpty("guests"));
        GuestRule others = Optional.ofNullable(guests.remove(OTHERS)).orElse(
                new GuestRule(GuestClass.NLS, Optional.empty(), Optional.empty(), Optional.empty(), OptionalDouble.empty(),
                        Optional.empty()));
        YamlMap controllers = root.mapOrEmpty("controllers");
        Optional<JointConfig> joint = controllers.has("joint") ? Optional.of(joint(controllers.map("joint"), guests)) : Optional.empty();
        Optional<ScheduleConfig> schedule = controllers.has("schedule") ? Optional.of(schedule(controllers.map("schedule"), backend))
                : Optional.empty();
        Optional<PlacementConfig> placement = controllers.has("placement")
                ? Optional.of(PlacementReader.read(controllers.map("placement"), directory, schedule, backend)) : Optional.empty();
        controllers.only(List.of("joint", "schedule", "placement"));
        Map<KnobKind, Map<GuestClass, Integer>> byClass = ByClassReader.read(root, places, placement);
        YamlMap safety = root.mapOrEmpty("safety");
        int actions = within(safety, "actions-per-hour", HostConfig.changesOfAllTurns(joint, schedule, placement, byClass), 1, MOST_ACTIONS);
        if (!safety.oneOf("on-exit", "restore", "restore").equals("restore")) {
            throw safety.error("on-exit", "expected restore");
        }
        safety.done();
        Path journal = root.parsed("journal", Path::of, Path.of(DEFAULT_JOURNAL));
        Optional<ContractChoice> contract = root.has("contract")
                ? Optional.of(ContractReader.read(root.map("contract"), directory, backend, guests)) : Optional.empty();
        Optional<InetSocketAddress> listen = root.has("http") ? Optional.of(ListenReader.read(root.map("http"))) : Optional.empty();
        root.done();
        return new HostConfig(file, backend, mode, memory, cpus, guests, others, joint, schedule, placement, byClass, actions,
                directory.resolve(journal), contract, listen, places);
    }

    private BackendChoice backend(YamlMap map) throws ConfigException {
        String type = map.has("type") ? map.text("type") : "cgroup";
        BackendChoice choice = switch (type) {
            case "xen" -> new BackendChoice.Xen();
            case "cgroup" -> new BackendChoice.Cgroup(map.parsed("groups", GroupName::plain),
                    map.<Path>optionalParsed("qmp", Path::of).map(path -> directory.resolve(path).toString()));
            case "libvirt" -> new BackendChoice.Libvirt();
            case "replay" -> new BackendChoice.Replay(directory.resolve(map.<Path>parsed("file", Path::of)));
            default -> added(map, type);
        };
        map.done();
        places.putAll(Map.of("backend.groups", at(map, "groups"), "backend.qmp", at(map, "qmp")));
        return choice;
    }

    private BackendChoice added(YamlMap map, String type) throws ConfigException {
        BackendProvider provider = BackendProviders.all().get(type);
        if (provider == null) {
            throw map.error("type", BackendJson.expected() + ", got \"" + type + "\"");
        }
        return new BackendChoice.Added(type, provider.key(), directory.resolve(map.<Path>parsed(provider.key(), Path::of)));
    }

    private Map<String, GuestRule> guests(YamlMap map) throws ConfigException {
        Map<String, GuestRule> rules = new LinkedHashMap<>();
        for (String name : map.names()) {
            YamlMap rule = map.map(name);
            places.put("guests." + name, at(map, name));
            places.put("guests." + name + ".memory", at(rule, "memory"));
            GuestClass guestClass = rule.parsed("class", HostConfigReader::guestClass, GuestClass.NLS);
            Optional<MemoryRange> memory = rule.has("memory") ? Optional.of(memory(rule)) : Optional.empty();
            Optional<CpuTime> cpu = rule.has("cpu") ? Optional.of(cpu(rule)) : Optional.empty();
            Optional<Duration> time = rule.has("response-time") ? Optional.of(rule.duration("response-time")) : Optional.empty();
            if (time.isPresent() && time.get().isZero()) {
                throw rule.error("response-time", "expected more than nothing");
            }
            OptionalDouble intensity = rule.has("intensity") ? OptionalDouble.of(intensity(rule)) : OptionalDouble.empty();
            Optional<GuestWaits> waits = rule.has("waits") ? Optional.of(rule.parsed("waits", GuestWaits::of)) : Optional.empty();
            rule.done();
            if (name.equals(OTHERS) && (memory.isPresent() || cpu.isPresent() || time.isPresent())) {
                throw map.error(name, "expected a class alone, or an intensity: guests that are not named are neither capped nor ballooned");
            }
            rules.put(name, new GuestRule(guestClass, memory, cpu, time, intensity, waits));
        }
        return rules;
    }

    private static double intensity(YamlMap rule) throws ConfigException {
        double value = rule.number("intensity");
        if (!(value >= 0 && value <= 1)) {
            throw rule.error("intensity", "expected a share from 0 to 1, got " + value);
        }
        return value;
    }

    private static GuestClass guestClass(String text) {
        try {
            return GuestClass.valueOf(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("expected HOST, LS1, LS2, LS3 or NLS, got \"" + text + "\"", e);
        }
    }

    private static MemoryRange memory(YamlMap rule) throws ConfigException {
        List<Long> range = range(rule, "memory", Sizes::parse);
        return new MemoryRange(range.get(0), range.get(1));
    }

    private static CpuTime cpu(YamlMap rule) throws ConfigException {
        List<Double> range = range(rule, "cpu", HostConfigReader::positive);
        return new CpuTime(range.get(0), range.get(1));
    }

    static <T extends Comparable<T>> List<T> range(YamlMap map, String key, Function<String, T> parser)
            throws ConfigException {
        List<T> values = new ArrayList<>();
        for (String text : map.texts(key)) {
            try {
                values.add(parser.apply(text));
            } catch (IllegalArgumentException e) {
                throw map.error(key, e.getMessage());
            }
        }
        if (values.size() != 2 || values.get(0).compareTo(values.get(1)) > 0) {
            throw map.error(key, "expected [least, most], got " + map.texts(key));
        }
        return values;
    }

    static double positive(String text) {
        if (!text.matches("\\d{1,6}(\\.\\d{1,6})?") || Double.parseDouble(text) <= 0) {
            throw new IllegalArgumentException("expected a number above 0, got \"" + text + "\"");
        }
        return Double.parseDouble(text);
    }

    static double atLeastZero(YamlMap map, String key) throws ConfigException {
        double value = map.number(key);
        if (value < 0) {
            throw map.error(key, "expected 0 or more, got " + value);
        }
        return value;
    }

    static int within(YamlMap map, String key, int otherwise, int least, int most) throws ConfigException {
        int value = map.integer(key, otherwise);
        if (value < least || value > most) {
            throw map.error(key, "expected " + least + " to " + most + ", got " + value);
        }
        return value;
    }

    private JointConfig joint(YamlMap map, Map<String, GuestRule> guests) throws ConfigException {
        List<String> names = map.texts("guests");
        Set<KnobKind> knobs = knobs(map, EnumSet.of(KnobKind.CAP, KnobKind.MEMORY));
        for (String name : names) {
            GuestRule rule = guests.get(name);
            if (rule == null || rule.memory().isEmpty() && knobs.contains(KnobKind.MEMORY)
                    || rule.cpu().isEmpty() && knobs.contains(KnobKind.CAP)) {
                throw map.error("guests", "expected guests whose cpu and memory are said under \"guests\", as far as they are to"
                        + " move; got \"" + name + "\"");
            }
            if (rule.guestClass() == GuestClass.HOST) {
                throw map.error("guests", "\"" + name + "\" is the host's own: it is never capped or ballooned");
            }
        }
        boolean paperLaw = map.oneOf("law", "asymmetric", "asymmetric", "paper").equals("paper");
        boolean paperArbiter = map.oneOf("arbiter", "minima", "minima", "paper").equals("paper");
        boolean always = map.oneOf("take", "lacking", "lacking", "always").equals("always");
        double target = share(map, "memory-target", 0.9);
        Duration period = period(map, Duration.ofSeconds(3));
        YamlMap outer = map.mapOrEmpty("response-time");
        double gain = outer.has("gain") ? outer.number("gain") : 0.1;
        if (!(gain > 0)) {
            throw outer.error("gain", "expected a number above 0, got " + gain);
        }
        List<Double> range = outer.has("range") ? range(outer, "range", HostConfigReader::positive) : List.of(0.5, 0.95);
        if (range.get(1) > 1) {
            throw outer.error("range", "expected shares up to 1, got " + range);
        }
        Duration outerPeriod = period(outer, Duration.ofSeconds(12));
        outer.done();
        map.done();
        return new JointConfig(names, knobs, paperLaw, paperArbiter, target, period, gain, range.get(0), range.get(1), outerPeriod,
                always, at(map, "knobs"));
    }

    private static double share(YamlMap map, String key, double otherwise) throws ConfigException {
        double value = map.has(key) ? map.number(key) : otherwise;
        if (!(value > 0 && value <= 1)) {
            throw map.error(key, "expected a share above 0, up to 1, got " + value);
        }
        return value;
    }

    static Duration period(YamlMap map, Duration otherwise) throws ConfigException {
        Duration period = map.duration("period", otherwise);
        if (period.compareTo(LEAST_PERIOD) < 0) {
            throw map.error("period", "expected at least " + Durations.format(LEAST_PERIOD) + ", got " + Durations.format(period));
        }
        return period;
    }

    private ScheduleConfig schedule(YamlMap map, BackendChoice backend) throws ConfigException {
        Set<KnobKind> knobs = knobs(map, backend instanceof BackendChoice.Cgroup || backend instanceof BackendChoice.Libvirt ? EnumSet.of(KnobKind.WEIGHT)
                : EnumSet.of(KnobKind.WEIGHT, KnobKind.TSLICE, KnobKind.RATELIMIT));
        Path library = directory.resolve(map.<Path>parsed("library", Path::of));
        Duration period = period(map, Duration.ofSeconds(15));
        int confirm = within(map, "confirm", 5, 1, 1000);
        map.done();
        return new ScheduleConfig(knobs, library, period, confirm, at(map, "knobs"));
    }

    /** Where a key is, or should be. */
    static String at(YamlMap map, String key) {
        return map.error(key, "").getMessage().replaceFirst(": $", "");
    }

    private static Set<KnobKind> knobs(YamlMap map, Set<KnobKind> all) throws ConfigException {
        if (!map.has("knobs")) {
            return all;
        }
        Set<KnobKind> knobs = EnumSet.noneOf(KnobKind.class);
        for (String text : map.texts("knobs")) {
            knobs.add(KnobKind.of(text).filter(all::contains).orElseThrow(() -> map.error("knobs", "expected some of "
                    + all.stream().map(KnobKind::key).toList() + ", got \"" + text + "\"")));
        }
        if (knobs.isEmpty()) {
            throw map.error("knobs", "expected at least one of " + all.stream().map(KnobKind::key).toList());
        }
        return knobs;
    }
}

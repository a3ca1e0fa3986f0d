// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.ic2.host.config.IntensityChoice.Source;
import org.ic2.host.config.PlacementConfig.Realise;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.MoveCommand;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads what the file says of placement. */
final class PlacementReader {

    private static final double MICROS = 1e-6;
    private static final Duration DEADLINE = Duration.ofMinutes(15);

    private PlacementReader() {
    }

    static PlacementConfig read(YamlMap map, Path directory, Optional<ScheduleConfig> schedule, BackendChoice backend)
            throws ConfigException {
        if (map.has("knobs") && !map.texts("knobs").equals(List.of(KnobKind.AFFINITY.key()))) {
            throw map.error("knobs", "expected [affinity], got " + map.texts("knobs"));
        }
        Realise realise = map.oneOf("realise", "affinity", "affinity", "cpupool").equals("cpupool") ? Realise.CPUPOOL : Realise.AFFINITY;
        IntensityChoice intensity = intensity(map.mapOrEmpty("intensity"), backend);
        List<Double> thresholds = map.has("memory-intensive")
                ? HostConfigReader.range(map, "memory-intensive", HostConfigReader::positive) : List.of(0.35, 0.5);
        Duration period = HostConfigReader.period(map, Duration.ofSeconds(15));
        Optional<LatencyChoice> latency = map.has("latency") ? Optional.of(latency(map.map("latency"))) : Optional.empty();
        Optional<Path> fleet = map.<Path>optionalParsed("fleet", Path::of).map(directory::resolve);
        if (fleet.isPresent() && latency.isEmpty()) {
            throw map.error("fleet", "expected latency beside it: guests move when their predicted latency is beyond its threshold");
        }
        Optional<MoveCommand> migrate = map.has("migrate") ? Optional.of(migrate(map, fleet)) : Optional.empty();
        Duration deadline = migrate.isPresent() ? map.duration("migrate-deadline", DEADLINE) : DEADLINE;
        if (deadline.isZero()) {
            throw map.error("migrate-deadline", "expected more than nothing");
        }
        Optional<String> onCredit1 = realise == Realise.AFFINITY && schedule.filter(of -> of.knobs().contains(KnobKind.WEIGHT)).isPresent()
                ? Optional.of(map.error(map.has("realise") ? "realise" : "knobs", "this host's scheduler is Credit1, which ignores the"
                        + " weights of guests that are pinned to part of a pool, and controllers.schedule moves weights; expected realise:"
                        + " cpupool here, or schedule's knobs without weight").getMessage()) : Optional.empty();
        map.done();
        return new PlacementConfig(realise, intensity, thresholds.get(0), thresholds.get(1), period, latency, fleet, migrate,
                deadline, onCredit1);
    }

    private static IntensityChoice intensity(YamlMap map, BackendChoice backend) throws ConfigException {
        List<Source> sources = Stream.of(Source.values())
                .filter(source -> source != Source.BACKEND || backend instanceof BackendChoice.Added).toList();
        Source source = map.parsed("type", text -> Source.of(text).filter(sources::contains).orElseThrow(() ->
                new IllegalArgumentException("expected one of " + String.join(", ", sources.stream().map(Source::key).toList()) + ", got \""
                        + text + "\"")), Source.DECLARED);
        if (source.ofShares()) {
            map.done();
            return new IntensityChoice(source, 1);
        }
        double full = source == Source.RESCTRL ? map.size("full") : positive(map, "full");
        if (full <= 0) {
            throw map.error("full", "expected more than nothing");
        }
        map.done();
        return new IntensityChoice(source, full);
    }

    private static double positive(YamlMap map, String key) throws ConfigException {
        double value = map.number(key);
        if (!(value > 0)) {
            throw map.error(key, "expected a number above 0, got " + value);
        }
        return value;
    }

    private static LatencyChoice latency(YamlMap map) throws ConfigException {
        boolean paper = map.oneOf("service", "affine", "affine", "paper").equals("paper");
        double s0 = paper ? 0 : positive(map, "s0-us") * MICROS;
        double c = positive(map, "c-us") * MICROS;
        boolean perCpu = map.oneOf("load", "irq-max", "irq-max", "irq-per-cpu").equals("irq-per-cpu");
        double k = perCpu ? positive(map, "k-us") * MICROS : 0;
        OptionalDouble irqMax = !perCpu && map.has("irq-max") ? OptionalDouble.of(positive(map, "irq-max")) : OptionalDouble.empty();
        Duration learn = perCpu ? Duration.ZERO : map.duration("learn", Duration.ofHours(1));
        Duration threshold = map.duration("threshold");
        if (threshold.isZero()) {
            throw map.error("threshold", "expected more than nothing");
        }
        map.done();
        return new LatencyChoice(paper, s0, c, perCpu, k, irqMax, learn, threshold.toNanos() / 1e9);
    }

    private static MoveCommand migrate(YamlMap map, Optional<Path> fleet) throws ConfigException {
        if (fleet.isEmpty()) {
            throw map.error("migrate", "expected fleet beside it, the file of the hosts");
        }
        try {
            return new MoveCommand(map.texts("migrate"));
        } catch (IllegalArgumentException e) {
            throw map.error("migrate", e.getMessage());
        }
    }
}

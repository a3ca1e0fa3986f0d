// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.BackendChoice;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.PlacementConfig;
import org.ic2.host.fleet.FleetReport;
import org.ic2.host.learn.Region;
import org.ic2.host.loop.Advice;
import org.ic2.host.loop.Adviser;
import org.ic2.host.loop.Backends;
import org.ic2.host.loop.Controllers;
import org.ic2.host.loop.FleetAdviser;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.ProposalJson;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ic2-host advise}: what the controllers would do now, and why. */
@Command(name = "advise", mixinStandardHelpOptions = true,
        description = {"Measures the host for one period of each controller of the file, and says once what they would do now: values"
            + " with formula and numbers, the region of the load with its setting, alarms, what is held and why, and what the host"
            + " has against it; which of Xen's schedulers each pool should have, on what evidence, or what would tell; and, with a"
            + " fleet, which guests should move to which host. Writes nothing, and needs no running agent nor disturbs one.",
            "Exit status 1 if a controller lacks what it decides by, or no other host of the fleet tells anything."})
final class AdviseCommand implements Callable<Integer> {

    private static final double LARGEST_WHOLE = 1e9;

    @Mixin
    private HostFileOption config;

    @Option(names = "--samples", paramLabel = "RECORDING",
            description = "Advise on what \"run --record\" wrote, as of its end, instead of measuring. No host is asked then.")
    private Path samples;

    @Option(names = "--fleet", paramLabel = "FLEET",
            description = "Say also which guests should move between the hosts of this file; by default the configuration's fleet, if it"
                    + " names one.")
    private Path fleet;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        HostConfig loaded = config.load();
        Optional<Path> recording = Optional.ofNullable(samples).or(() -> loaded.backend() instanceof BackendChoice.Replay replay
                ? Optional.of(replay.file()) : Optional.empty());
        Optional<FleetFile> hosts = hosts(loaded, recording);
        Advice advice = recording.isPresent() ? Adviser.ofRecording(loaded, recording.get()) : ofHost(loaded);
        Optional<FleetReport> moves = hosts.isEmpty() ? Optional.empty()
                : Optional.of(FleetAdviser.look(loaded, hosts.get(), advice.own(), Clock.systemUTC().instant()));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ObjectNode all = json(advice);
            moves.ifPresent(report -> all.set("fleet", FleetText.json(report)));
            out.println(all.toPrettyString());
        } else {
            if (advice.opinions().isEmpty()) {
                out.println("no controllers: name some under \"controllers\" in " + loaded.source());
            }
            (text(advice) + PoolAdviceText.text(advice.pools()) + moves.map(FleetText::text).orElse("")).lines()
                    .forEach(line -> out.println(DisplayText.clean(line)));
        }
        out.flush();
        return advice.tells() && moves.map(FleetReport::tells).orElse(true) ? 0 : Ic2Host.FAILED;
    }

    /** What is wrong with the fleet is said before anything is measured. */
    private Optional<FleetFile> hosts(HostConfig config, Optional<Path> recording) throws ConfigException {
        if (recording.isPresent() && fleet != null) {
            throw new ConfigException("--fleet: a recording says nothing of other hosts; leave out one of the two");
        }
        Optional<Path> file = Optional.ofNullable(fleet).or(() -> config.placement().flatMap(PlacementConfig::fleet));
        if (recording.isPresent() || file.isEmpty()) {
            return Optional.empty();
        }
        FleetFile hosts = FleetFile.load(file.get());
        Controllers.planner(config, hosts);
        return Optional.of(hosts);
    }

    private static Advice ofHost(HostConfig config) throws Exception {
        try (Backend backend = Backends.openToLook(config)) {
            return Adviser.ofHost(config, backend, Clock.systemUTC(), time -> TimeUnit.NANOSECONDS.sleep(time.toNanos()));
        }
    }

    private static ObjectNode json(Advice advice) {
        ObjectNode json = Json.object();
        ArrayNode controllers = json.putArray("controllers");
        for (Advice.Opinion opinion : advice.opinions()) {
            ObjectNode one = controllers.addObject().put("controller", opinion.controller()).put("time", opinion.time().toString())
                    .put("tells", opinion.tells());
            ArrayNode proposals = one.putArray("proposals");
            opinion.wanted().forEach(wanted -> proposals.add(put(ProposalJson.write(wanted.proposal()), wanted)));
            opinion.region().ifPresent(region -> put(one.putObject("region"), region));
            opinion.alarms().forEach(one.putArray("alarms")::add);
            opinion.held().forEach(one.putArray("held")::add);
        }
        advice.unread().forEach(json.putArray("unread")::add);
        json.set("pools", PoolAdviceText.json(advice.pools()));
        return json;
    }

    private static ObjectNode put(ObjectNode node, Advice.Wanted wanted) {
        node.put("in_force", wanted.inForce());
        wanted.next().ifPresent(next -> node.put("next", next));
        wanted.objection().ifPresent(why -> node.put("objection", why));
        return node;
    }

    private static void put(ObjectNode node, Advice.InRegion at) {
        Region region = at.place().region();
        node.put("number", region.number()).put("distance", at.place().distance()).put("percentile_99", region.radius())
                .put("known", at.place().known());
        ObjectNode load = node.putObject("load");
        at.load().forEach(load::put);
        region.settings().ifPresent(settings -> node.put("setting", settings.vector().describe()));
        ArrayNode settings = node.putArray("settings");
        at.settings().forEach(wanted -> settings.add(put(ProposalJson.write(wanted.proposal().knob(), wanted.proposal().value()), wanted)));
    }

    private static String text(Advice advice) {
        StringBuilder text = new StringBuilder();
        for (Advice.Opinion opinion : advice.opinions()) {
            text.append(opinion.controller()).append(", at ").append(opinion.time()).append(":\n");
            opinion.wanted().forEach(wanted -> {
                append(text, wanted, "wanted");
                text.append("    ").append(line(wanted.proposal().why().formula())).append(": ")
                        .append(numbers(wanted.proposal().why().numbers())).append('\n');
            });
            opinion.region().ifPresent(at -> append(text, at, opinion.wanted()));
            opinion.alarms().forEach(alarm -> text.append("  alarm: ").append(line(alarm)).append('\n'));
            opinion.held().forEach(why -> text.append("  held: ").append(line(why)).append('\n'));
            if (!opinion.tells()) {
                text.append("  it cannot tell\n");
            } else if (opinion.wanted().stream().allMatch(wanted -> wanted.inForce() == wanted.proposal().value())) {
                text.append("  it would change nothing now\n");
            }
        }
        advice.unread().forEach(why -> text.append(line(why)).append('\n'));
        return text.toString();
    }

    /** Guests' names may hold anything. */
    private static String line(String words) {
        return DisplayText.clean(words);
    }

    private static void append(StringBuilder text, Advice.Wanted wanted, String what) {
        KnobKind kind = wanted.proposal().knob().kind();
        text.append("  ").append(line(wanted.proposal().knob().label())).append(": ").append(value(kind, wanted.inForce()))
                .append(" in force, ");
        if (wanted.inForce() == wanted.proposal().value()) {
            text.append("as ").append(what);
        } else {
            text.append(value(kind, wanted.proposal().value())).append(' ').append(what);
            wanted.next().filter(next -> next != wanted.proposal().value()).ifPresent(next -> text.append(
                    next == wanted.inForce() ? ", and nothing that the host takes is nearer" : ", " + value(kind, next) + " after one change"));
        }
        text.append('\n');
        wanted.objection().ifPresent(why -> text.append("    the host objects: ").append(line(why)).append('\n'));
    }

    /** Values that are wanted already are not said twice. */
    private static void append(StringBuilder text, Advice.InRegion at, List<Advice.Wanted> said) {
        Region region = at.place().region();
        text.append("  load: ").append(numbers(at.load())).append("\n  nearest: ").append(region.describe())
                .append(String.format(Locale.ROOT, ": distance %.2f, 99th percentile %.2f: ", at.place().distance(), region.radius()))
                .append(at.place().known() ? "known\n" : "unknown, so that nothing changes\n");
        text.append("  its setting: ").append(region.settings().map(settings -> settings.vector().describe()
                + String.format(Locale.ROOT, "; held-out gain %.1f %%", 100 * settings.heldOutGain())).orElse("none in the library"))
                .append('\n');
        at.settings().stream().filter(wanted -> said.stream().noneMatch(other -> other.proposal().knob().equals(wanted.proposal().knob())
                && other.proposal().value() == wanted.proposal().value())).forEach(wanted -> append(text, wanted, "in this region"));
    }

    private static String value(KnobKind kind, int value) {
        boolean none = value == 0 && (kind == KnobKind.CAP || kind == KnobKind.MEMORY);
        return none ? "no limit" : kind == KnobKind.WEIGHT ? Integer.toString(value) : value + " " + kind.unit();
    }

    static String numbers(Map<String, Double> values) {
        StringJoiner text = new StringJoiner(", ");
        values.forEach((name, value) -> text.add(name + " " + (value == Math.rint(value) && Math.abs(value) < LARGEST_WHOLE
                ? Long.toString(Math.round(value)) : String.format(Locale.ROOT, "%.4g", value))));
        return text.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.GuestRule;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.JointConfig;
import org.ic2.host.config.PlacementConfig;
import org.ic2.host.config.ScheduleConfig;
import org.ic2.host.control.Arbiter;
import org.ic2.host.control.ControlLaw;
import org.ic2.host.control.CpuBounds;
import org.ic2.host.control.HostController;
import org.ic2.host.control.JointController;
import org.ic2.host.control.JointSettings;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.control.PlacementController;
import org.ic2.host.control.RegionObserver;
import org.ic2.host.control.ResponseTimeController;
import org.ic2.host.control.ValuesByClass;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.yaml.ConfigException;

/** The controllers that a configuration asks for, and what they own. */
public final class Controllers {

    private Controllers() {
    }

    /** The controllers. */
    public static List<HostController<?>> of(HostConfig config) throws ConfigException {
        List<HostController<?>> controllers = new ArrayList<>();
        if (config.joint().isPresent()) {
            controllers.add(joint(config, config.joint().get()));
        }
        for (KnobKind kind : KnobKind.values()) {
            if (config.byClass().containsKey(kind)) {
                controllers.add(new ValuesByClass(kind, config.byClass().get(kind), HostConfig.CLASSES_PERIOD));
            }
        }
        if (config.schedule().isPresent()) {
            ScheduleConfig schedule = config.schedule().get();
            controllers.add(new RegionObserver(library(schedule), schedule.period(), schedule.confirm(), schedule.knobs()));
        }
        if (config.placement().isPresent()) {
            controllers.add(new PlacementController(Placements.settings(config, config.placement().get())));
        }
        return controllers;
    }

    /** The fleet that a configuration names, as its agent needs it. */
    public static Optional<FleetFile> fleet(HostConfig config) throws ConfigException {
        Optional<Path> file = config.placement().flatMap(PlacementConfig::fleet);
        return file.isEmpty() ? Optional.empty() : Optional.of(Placements.fleet(file.get()));
    }

    /** Who moves in a fleet. */
    public static MigrationPlanner planner(HostConfig config, FleetFile fleet) throws ConfigException {
        return Placements.planner(config, fleet, Integer.MAX_VALUE);
    }

    private static JointController joint(HostConfig config, JointConfig joint) throws ConfigException {
        Map<String, CpuBounds> guests = new LinkedHashMap<>();
        try {
            for (String name : joint.guests()) {
                GuestRule.CpuTime cpu = config.rule(name).cpu().orElse(new GuestRule.CpuTime(0.05, 1));
                guests.put(name, new CpuBounds(cpu.least(), cpu.most()));
            }
            JointSettings usual = joint.paperLaw() ? JointSettings.ofPaper(guests) : JointSettings.of(guests);
            ResponseTimeController responseTime = new ResponseTimeController(joint.gain(), joint.leastTarget(), joint.mostTarget(),
                    joint.outerPeriod().toNanos() / 1e9, joint.paperLaw() ? 1 : ResponseTimeController.RISE);
            return new JointController(new JointSettings(guests, joint.knobs(), joint.paperLaw() ? ControlLaw.PAPER : ControlLaw.ASYMMETRIC,
                    joint.memoryTarget(), joint.period(), responseTime,
                    joint.paperArbiter() ? Arbiter.PAPER : Arbiter.WATER_FILLING, usual.deadband(), !joint.always()));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(config.source() + ": controllers.joint: " + e.getMessage(), e);
        }
    }

    /** The regions of a configuration. */
    static Library library(ScheduleConfig schedule) throws ConfigException {
        try {
            return LibraryJson.read(schedule.library().toString(),
                    BoundedText.file(schedule.library(), BoundedText.FILE_BYTES, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ConfigException("cannot read the library: " + e.getMessage(), e);
        }
    }

    /** Who owns what. */
    public static Ownership owners(HostConfig config) throws ConfigException {
        List<Claim> claims = new ArrayList<>();
        config.joint().ifPresent(joint -> claims.add(new Claim(JointConfig.NAME, joint.knobs(), Set.copyOf(joint.guests()))));
        config.byClass().keySet().stream().sorted().forEach(kind -> claims.add(new Claim(kind.byClass(), Set.of(kind), Set.of())));
        config.schedule().ifPresent(schedule -> claims.add(new Claim(ScheduleConfig.NAME, schedule.knobs(), Set.of())));
        config.placement().filter(PlacementConfig::pins).ifPresent(placement -> claims.add(new Claim(PlacementConfig.NAME, Placements.KNOBS, Set.of())));
        try {
            return new Ownership(claims);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(config.source() + ": controllers: " + e.getMessage(), e);
        }
    }

    /** Why a configuration would not work on a host, as far as that is not about a knob that it lacks. */
    public static Optional<String> problem(HostConfig config, Capabilities capabilities, List<Pool> pools) {
        return Placements.problem(config, capabilities, pools);
    }

    /** Which knobs a configuration lists that a host has not, with their lines. */
    public static List<String> lacking(HostConfig config, Capabilities capabilities) {
        List<String> lacking = new ArrayList<>();
        config.joint().ifPresent(joint -> lacking.addAll(lacking(config, capabilities, joint.knobs(), joint.knobsAt())));
        config.schedule().ifPresent(schedule -> lacking.addAll(lacking(config, capabilities, schedule.knobs(), schedule.knobsAt())));
        config.byClass().keySet().forEach(kind -> lacking.addAll(lacking(config, capabilities, Set.of(kind), config.at(kind.byClass()))));
        return lacking;
    }

    private static List<String> lacking(HostConfig config, Capabilities capabilities, Set<KnobKind> wanted, String at) {
        return wanted.stream().filter(kind -> capabilities.range(kind).isEmpty()).sorted().map(kind -> at + ": " + kind.key()
                + " cannot be moved on this host (" + config.backend().type() + "); expected some of what it has, "
                + capabilities.knobs().keySet().stream().sorted().map(KnobKind::key).toList()).toList();
    }

    /** What guests may be given of CPU time, by their names. */
    static Map<String, KnobLimits.CpuRange> cpus(HostConfig config) {
        Map<String, KnobLimits.CpuRange> cpus = new LinkedHashMap<>();
        config.guests().forEach((name, rule) -> rule.cpu().ifPresent(cpu ->
                cpus.put(name, new KnobLimits.CpuRange(cpu.least(), cpu.most()))));
        return cpus;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.ic2.host.control.CpuBounds;
import org.ic2.host.control.JointSettings;
import org.ic2.host.control.ControlLaw;
import org.ic2.host.model.KnobKind;
import org.ic2.host.lab.study.DesktopHost.Watched;

/**
 * Joint control, figures 11 to 13: four guests with desktop traces for five hours; how often the mean response time of 12 s is
 * within 100 and 300 ms, by law and target, and without control.
 */
public final class Desktops implements Simulation {
    private static final int MINUTES = 300;
    private static final List<String> FIRST = List.of("vm1");
    private static final List<String> SECOND = List.of("vm2", "vm3", "vm4");
    private static final List<String> ALL = List.of("vm1", "vm2", "vm3", "vm4");
    private static final Set<KnobKind> CAP = EnumSet.of(KnobKind.CAP);
    private static final Set<KnobKind> MEMORY = EnumSet.of(KnobKind.MEMORY);

    private final int minutes;

    public Desktops() {
        this(MINUTES);
    }

    /** For so many minutes. */
    Desktops(int minutes) {
        this.minutes = minutes;
    }

    @Override
    public String name() {
        return "desktops";
    }

    @Override
    public String about() {
        return "joint control, figures 11 to 13: response times of four guests with desktop traces for five hours";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            add(findings, seed, "no control, a quarter of the memory", new DesktopHost(seed, minutes, 0.1));
            add(findings, seed, "caps alone, a quarter of the memory", caps(new DesktopHost(seed, minutes, 0.1), ControlLaw.PAPER));
            progress.accept("seed " + seed + ": without joint control");
            add(findings, seed, "joint, paper's law, 100 ms", joint(seed, 0.1, ControlLaw.PAPER));
            add(findings, seed, "joint, asymmetric, 100 ms", joint(seed, 0.1, ControlLaw.ASYMMETRIC));
            add(findings, seed, "joint, asymmetric, 80 ms", joint(seed, 0.08, ControlLaw.ASYMMETRIC));
            progress.accept("seed " + seed + ": with it");
        }
        return findings;
    }

    private static JointSettings settings(Collection<String> names, ControlLaw law) {
        Map<String, CpuBounds> bounds = new LinkedHashMap<>();
        names.forEach(name -> bounds.put(name, new CpuBounds(0.1, 0.9)));
        return law == ControlLaw.PAPER ? JointSettings.ofPaper(bounds) : JointSettings.of(bounds).saving();
    }

    private DesktopHost joint(long seed, double target, ControlLaw law) {
        return caps(new DesktopHost(seed, minutes, target), law)
                .controlled(settings(ALL, law).withKnobs(MEMORY), 2);
    }

    /** Each processor's guests share that processor. */
    private static DesktopHost caps(DesktopHost host, ControlLaw law) {
        return host.controlled(settings(FIRST, law).withKnobs(CAP), 1).controlled(settings(SECOND, law).withKnobs(CAP), 1);
    }

    private void add(List<Finding> findings, long seed, String arm, DesktopHost host) {
        Watched watched = host.watch(minutes);
        List<Double> all = watched.responses().stream().flatMap(List::stream).toList();
        add(findings, seed, arm, "12 s within 100 ms", share(all, 0.1), "%");
        add(findings, seed, arm, "12 s within 300 ms", share(all, 0.3), "%");
        add(findings, seed, arm, "12 s within 100 ms, worst guest",
                watched.responses().stream().mapToDouble(one -> share(one, 0.1)).min().orElseThrow(), "%");
        add(findings, seed, arm, "mean of 12 s", 1000 * all.stream().mapToDouble(value -> value).average().orElseThrow(), "ms");
        add(findings, seed, arm, "longest of 12 s", 1000 * all.stream().mapToDouble(value -> value).max().orElseThrow(), "ms");
        add(findings, seed, arm, "CPU used", watched.run(), "CPUs");
        add(findings, seed, arm, "CPU allowed", watched.allowed(), "CPUs");
        add(findings, seed, arm, "memory", watched.memory() / (1 << 20), "MiB");
        add(findings, seed, arm, "major faults", watched.majflt(), "1/s");
    }

    private void add(List<Finding> findings, long seed, String arm, String measure, double value, String unit) {
        findings.add(new Finding(name(), seed, arm, measure, value, unit));
    }

    private static double share(List<Double> values, double most) {
        return 100.0 * values.stream().filter(value -> value <= most).count() / values.size();
    }
}

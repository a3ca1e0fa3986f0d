// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.ic2.training.report.Table;
import org.ic2.training.report.Words;
import org.ic2.training.run.BrokenRuns;
import org.ic2.training.run.Disturbance;
import org.ic2.training.run.MachineUse;
import org.ic2.training.run.QuieterMinute;

/**
 * What the machine did besides a comparison while its runs were made. The rule, fixed beforehand: a run is disturbed if it is in one of
 * its phases, with the neighbour or without, by {@link Disturbance#disturbed}.
 *
 * @param lines of all runs that are there, those that were set aside too
 */
record BusyMachine(List<Line> lines) {
    static final String FILE = "machine.csv";
    private static final String HEADER = "run,set_aside,stretch,begin,seconds,others,steal,elsewhere,runnable,generator_lag,disturbed";
    private static final String BEFORE = "before";
    /** A shorter phase is no window for ticks of 10 ms and lines of a second. */
    private static final Duration MIN_PHASE = Duration.ofSeconds(5);
    private static final double PERCENT = 100;

    /**
     * A phase of a run.
     *
     * @param run     its folder
     * @param aside   whether it does not count
     * @param phase   {@code before}, {@code quiet} or {@code interference}
     * @param begin   seconds from the run's begin
     * @param what    what the machine did
     */
    record Line(String run, boolean aside, String phase, double begin, Disturbance what) {
        boolean measured() {
            return !phase.equals(BEFORE);
        }

        /** True if it is disturbed and part of what was measured. */
        boolean disturbed() {
            return measured() && what.disturbed();
        }

        String csv() {
            return run + "," + aside + "," + phase + "," + cell("%.3f", begin) + "," + cell("%.3f", what.seconds()) + ","
                    + cell("%.4f", what.others()) + "," + cell("%.4f", what.steal()) + "," + cell("%.4f", what.elsewhere()) + ","
                    + cell("%.1f", what.runnable()) + "," + cell("%.3f", what.lag()) + "," + disturbed();
        }

        private static String cell(String format, double value) {
            return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "";
        }
    }

    static BusyMachine read(Path folder, ComparePlan plan) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (PlannedRun slot : plan.slots()) {
            for (Path aside : setAside(folder, slot)) {
                Recording.readAt(aside, slot).ifPresent(one -> lines.addAll(of(aside.getFileName().toString(), true, one)));
            }
            Recording.read(folder, slot).ifPresent(one -> lines.addAll(of(slot.id(), false, one)));
        }
        return new BusyMachine(lines);
    }

    /** The runs of a place that were set aside, in their order. */
    static List<Path> setAside(Path folder, PlannedRun slot) {
        return Stream.iterate(1, number -> number + 1).map(number -> folder.resolve(slot.id() + BrokenRuns.DISTURBED + number))
                .takeWhile(Files::isDirectory).toList();
    }

    /** True if the run that is there was disturbed. */
    static boolean disturbed(Path folder, PlannedRun slot) throws IOException {
        return Recording.read(folder, slot).stream().flatMap(one -> of(slot.id(), false, one).stream()).anyMatch(Line::disturbed);
    }

    private static List<Line> of(String run, boolean aside, Recording recording) {
        List<Line> lines = new ArrayList<>();
        List<MachineUse> before = recording.machine().stream().filter(use -> use.phase().equals(MachineUse.BEFORE)).toList();
        List<MachineUse> during = recording.machine().stream().filter(use -> use.phase().equals(MachineUse.RUN)).toList();
        if (!before.isEmpty()) {
            double last = before.get(before.size() - 1).time();
            lines.add(new Line(run, aside, BEFORE, before.get(0).time() - recording.from().toEpochMilli() / 1000.0, Disturbance.of(before
                    .stream().filter(use -> use.time() >= last - QuieterMinute.LOOK.toSeconds() - 1).toList())));
        }
        for (Recording.Phase one : recording.phases()) {
            if (!during.isEmpty() && one.length().compareTo(MIN_PHASE) >= 0) {
                lines.add(new Line(run, aside, one.interference() ? "interference" : "quiet", recording.seconds(one.from()),
                        Disturbance.of(during, recording.client(), one.from(), one.to())));
            }
        }
        return lines;
    }

    /** True if the run that counts at this place was disturbed. */
    boolean disturbed(PlannedRun slot) {
        return lines.stream().anyMatch(line -> !line.aside() && line.run().equals(slot.id()) && line.disturbed());
    }

    String csv() {
        StringBuilder text = new StringBuilder(HEADER + "\n");
        lines.forEach(line -> text.append(line.csv()).append('\n'));
        return text.toString();
    }

    private List<String> runs(boolean disturbed) {
        return lines.stream().filter(line -> !line.aside() && (!disturbed || line.disturbed())).map(Line::run).distinct().toList();
    }

    private long asides() {
        return lines.stream().filter(Line::aside).map(Line::run).distinct().count();
    }

    /** What a reader of the figures must know: that the machine was busy, or that runs were set aside; empty if neither was so. */
    Optional<String> sentence() {
        List<Line> worse = lines.stream().filter(line -> !line.aside() && line.disturbed()).toList();
        String aside = asides() == 0 ? "" : Words.count(asides(), "disturbed run") + (asides() == 1 ? " was" : " were")
                + " set aside and made again.";
        if (worse.isEmpty()) {
            return Optional.of(aside).filter(text -> !text.isEmpty());
        }
        return Optional.of("This machine was busy: " + together(worse).text() + " in " + runs(true).size() + " of "
                + Words.count(runs(false).size(), "run") + "." + (aside.isEmpty() ? "" : " " + aside));
    }

    /** All these phases as one. */
    static Disturbance together(List<Line> lines) {
        return new Disturbance(lines.stream().mapToDouble(line -> line.what().seconds()).sum(), mean(lines, Disturbance::others),
                mean(lines, Disturbance::steal), mean(lines, Disturbance::runnable), lines.stream().mapToDouble(line -> line.what().lag())
                        .filter(Double::isFinite).max().orElse(Double.NaN));
    }

    private static double mean(List<Line> lines, ToDoubleFunction<Disturbance> figure) {
        return lines.stream().mapToDouble(line -> line.what().seconds() * figure.applyAsDouble(line.what())).sum()
                / lines.stream().mapToDouble(line -> line.what().seconds()).sum();
    }

    /** A row for each run. */
    Table table() {
        List<List<String>> rows = new ArrayList<>();
        for (String run : lines.stream().map(Line::run).distinct().toList()) {
            List<Line> all = lines.stream().filter(line -> line.run().equals(run)).toList();
            List<Line> measured = all.stream().filter(Line::measured).toList();
            Disturbance mean = together(measured);
            boolean disturbed = measured.stream().anyMatch(Line::disturbed);
            rows.add(List.of(run, Words.percent(all.stream().filter(line -> !line.measured()).mapToDouble(line -> line.what().elsewhere())
                    .findFirst().orElse(Double.NaN), 1), Words.percent(mean.others(), 1), Words.percent(mean.steal(), 1), Words.percent(measured.stream()
                    .mapToDouble(line -> line.what().elsewhere()).max().orElse(Double.NaN), 1), Words.number("%.0f", mean.runnable()),
                    Words.number("%.2f", mean.lag()), all.get(0).aside() ? "!set aside" : disturbed ? "!disturbed" : ""));
        }
        return new Table("What else the machine did", String.format(Locale.ROOT, "Shares of the time of all the machine's CPUs. Before: in the %d s "
                + "ahead of the run. Other programs: all but tier, neighbour, database, load, agent and ic2-train. Steal: what the hypervisor gave "
                + "to others. Worst phase: other programs and steal, with the neighbour or without. Runnable: threads that run or wait, "
                + "those of the testbed too. Load late: how late the load began an operation at worst. A run is disturbed if in one of its phases "
                + "more than %.0f %% went elsewhere, or the load was later than %.1f s.", QuieterMinute.LOOK.toSeconds(), PERCENT * Disturbance
                .MOST_ELSEWHERE, Disturbance.MOST_LAG), List.of("run", "before", "other programs", "steal", "worst phase", "runnable",
                "load late, s", ""), rows);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.knob.Knob;
import org.ic2.training.data.Csv;
import org.ic2.training.data.NeighbourLog;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.Switch;
import org.ic2.training.data.TextFiles;
import org.ic2.training.data.Truth;

/** Makes the run's files of what its parts wrote: joins samples and schedule, labels, writes {@code run.json} last. */
final class RunCompletion {
    static final String RECORDING = "recording.csv";
    static final String NEIGHBOUR = "neighbour.csv";
    /** Steal by two sensors, where the agent has the package's beside the control group's. */
    static final String STEAL = "steal.csv";
    private static final String BEGUN = "begun.json";
    private static final String SETTLING = "settling-ms";

    private RunCompletion() {
    }

    /** How many samples the agent has recorded so far. */
    static int recorded(Path folder) throws IOException {
        Path file = folder.resolve(RECORDING);
        return Files.exists(file) ? Math.max(0, TextFiles.lines(file).size() - 1) : 0;
    }

    /** Notes that the measured time has begun; from now on nothing that is measured gets lost. */
    static void begin(Path folder, Run planned, Instant from, Duration settling) throws IOException {
        RunFolder.writeFacts(folder.resolve(BEGUN), planned.with(Run.FROM, Long.toString(from.toEpochMilli()))
                .with(SETTLING, Long.toString(settling.toMillis())));
    }

    /** True if a run began here and was not completed. */
    static boolean unfinished(Path folder) {
        return Files.exists(folder.resolve(BEGUN)) && !RunFolder.complete(folder);
    }

    /** Copies what the agents' journal gained during the run. */
    static void journal(Path folder, Path journal, long before) throws IOException {
        if (Files.exists(journal)) {
            Files.write(folder.resolve("journal.jsonl"), TextFiles.since(journal, before));
        }
    }

    /**
     * Completes a run that has begun, if anything was measured.
     *
     * @param to     end of the measured time; empty: it was broken off, what there is counts
     * @param reason why it was broken off
     */
    static Optional<Run> end(Path folder, Optional<Instant> to, String reason) throws IOException {
        if (!unfinished(folder)) {
            return Optional.empty();
        }
        Run begun = RunFolder.read(folder.resolve(BEGUN), List.of());
        boolean silent = begun.fact("agent").equals(RunPlan.OFF);
        if (!silent && recorded(folder) == 0) {
            return Optional.empty();
        }
        Instant from = Instant.ofEpochMilli(Long.parseLong(begun.fact(Run.FROM)));
        Duration settling = Duration.ofMillis(Long.parseLong(begun.fact(SETTLING)));
        List<Sample> all = samples(folder, begun.interval(), from, to.orElse(Instant.MAX));
        List<Sample> samples = all.stream().filter(sample -> sample.member().equals(Sample.WEB)).toList();
        steal(folder, samples, all.stream().filter(sample -> sample.member().equals(AgentYaml.MACHINE)).toList());
        List<Switch> switches = switches(folder, to.orElse(Instant.MAX));
        Run run = new Run(begun.id(), begun.interval(), begun.baseline(), switches, begun.facts(), withChanges(samples));
        if (!switches.isEmpty()) {
            run = run.with(Run.HARM, ClientHarm.of(clients(folder), switches, settling));
        }
        if (to.isEmpty()) {
            String measured = silent ? "" : "after " + run.length().toSeconds() + " s: ";
            run = run.with(Run.BROKEN, measured + reason);
        }
        RunFolder.write(folder, Truth.ofSwitches(switches, settling).label(run), false);
        return Optional.of(run);
    }

    private static List<Sample> samples(Path folder, Duration interval, Instant from, Instant to) throws IOException {
        Path file = folder.resolve(RECORDING);
        if (!Files.exists(file)) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(TextFiles.lines(file));
        int width = SamplesCsv.columns().size();
        lines.removeIf(line -> Csv.cells(line).size() != width);
        List<Sample> samples = new ArrayList<>(SamplesCsv.read(file.toString(), lines));
        samples.removeIf(sample -> sample.time().minus(interval).isBefore(from) || sample.time().isAfter(to));
        return samples;
    }

    /** Steal of each interval as the tier's control group tells it, and as the package's own sensor does of the machine. */
    private static void steal(Path folder, List<Sample> web, List<Sample> machine) throws IOException {
        if (machine.isEmpty()) {
            return;
        }
        Map<Instant, Sample> other = machine.stream().collect(Collectors.toMap(Sample::time, one -> one, (one, later) -> one));
        List<String> lines = new ArrayList<>(List.of("time,cgroup,sysstat"));
        for (Sample one : web) {
            lines.add(String.format(Locale.ROOT, "%.3f,%s,%s", one.time().toEpochMilli() / 1000.0, cell(Optional.of(one)),
                    cell(Optional.ofNullable(other.get(one.time())))));
        }
        TextFiles.write(folder.resolve(STEAL), TextFiles.joined(lines));
    }

    private static String cell(Optional<Sample> sample) {
        return sample.filter(one -> one.has(Metric.STEAL)).map(one -> SamplesCsv.number(one.get(Metric.STEAL))).orElse("");
    }

    /** What the client saw, in its steady state. */
    private static List<Intervals> clients(Path folder) throws IOException {
        Path file = folder.resolve("load").resolve(Intervals.FILE);
        return Files.exists(file) ? Intervals.onTime(Intervals.read(file)).stream().filter(line -> line.phase().startsWith("steady"))
                .toList() : List.of();
    }

    private static List<Switch> switches(Path folder, Instant to) throws IOException {
        Path file = folder.resolve(NEIGHBOUR);
        return Files.exists(file) ? NeighbourLog.read(file.toString(), TextFiles.lines(file)).stream()
                .filter(one -> one.time().isBefore(to)).toList() : List.of();
    }

    /** A change by hand is no epoch of the agent, but its interval trains nothing all the same. */
    private static List<Sample> withChanges(List<Sample> samples) {
        List<Sample> result = new ArrayList<>();
        Sample before = null;
        for (Sample sample : samples) {
            boolean changed = before != null && !before.straddlesEpochs() && !sample.straddlesEpochs()
                    && before.epochEnd() == sample.epoch() && differ(before, sample);
            result.add(changed ? sample.toBuilder().epochs(sample.epoch(), sample.epoch() + 1).build() : sample);
            before = sample;
        }
        return result;
    }

    private static boolean differ(Sample one, Sample other) {
        return Terms.shipped().knobs().stream().map(Knob::quantity)
                .anyMatch(value -> one.has(value) && other.has(value) && one.get(value) != other.get(value));
    }
}

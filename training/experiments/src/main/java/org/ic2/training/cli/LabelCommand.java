// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.training.data.NeighbourLog;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.Switch;
import org.ic2.training.data.TextFiles;
import org.ic2.training.data.TimeRanges;
import org.ic2.training.data.Truth;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train label}: makes training data of recordings that an agent made in production. */
@Command(name = "label", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Labels a recording (ic2 run --record FILE.csv) and writes it as a run that fit and evaluate read.")
final class LabelCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RECORDING.csv", description = "samples, .csv or .csv.gz")
    private Path recording;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of the run; its name is the run's")
    private Path out;

    @ArgGroup(multiplicity = "1")
    private Source source;

    private static final class Source {
        @Option(names = "--ranges", paramLabel = "FILE.csv",
                description = "time ranges: from,to,label; times as epoch seconds or 2026-05-07T14:00:00Z")
        private Path ranges;

        @Option(names = "--neighbour", paramLabel = "FILE.csv", description = "the log of the program neighbour")
        private Path neighbour;
    }

    @Option(names = "--otherwise", paramLabel = "LABEL", description = "label outside all ranges (default: none)")
    private Label otherwise;

    @Option(names = "--settling", paramLabel = "T", converter = Times.class, defaultValue = "30s",
            description = "with --neighbour: what counts as TRANSIENT after a switch (default: ${DEFAULT-VALUE})")
    private Duration settling;

    @Option(names = "--member", paramLabel = "NAME", defaultValue = Sample.WEB,
            description = "the member of the application group (default: ${DEFAULT-VALUE})")
    private String member;

    @Option(names = "--fact", paramLabel = "NAME=VALUE", description = "provenance, may be repeated: --fact kind=production")
    private Map<String, String> facts = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        if (RunFolder.complete(out)) {
            throw new IllegalArgumentException(out + ": holds a run already; name another folder, or remove it");
        }
        List<Sample> samples = new ArrayList<>(SamplesCsv.read(recording.toString(), TextFiles.lines(recording)));
        samples.removeIf(sample -> !sample.member().equals(member));
        if (samples.size() < 2) {
            throw new IllegalArgumentException(recording + ": expected at least two samples of the member '" + member
                    + "', got " + samples.size());
        }
        List<Switch> switches = source.neighbour == null ? List.of()
                : NeighbourLog.read(source.neighbour.toString(), TextFiles.lines(source.neighbour));
        Truth truth = source.neighbour != null ? Truth.ofSwitches(switches, settling)
                : TimeRanges.read(source.ranges.toString(), TextFiles.lines(source.ranges), Optional.ofNullable(otherwise));
        facts.putIfAbsent(Run.KIND, "labelled");
        Run run = truth.label(new Run(out.toAbsolutePath().normalize().getFileName().toString(), Run.usualInterval(samples),
                Optional.empty(), switches, facts, samples));
        RunFolder.write(out, run, false);
        for (Label label : Label.values()) {
            System.out.println(label + ": " + run.samples().stream().filter(s -> s.label().equals(Optional.of(label))).count());
        }
        System.out.println("no label: " + run.samples().stream().filter(s -> s.label().isEmpty()).count());
        return 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.evaluate.Harm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train pack}: recordings in the form in which they are kept and passed on. */
@Command(name = "pack", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Copies runs without their logs, to be kept or passed on.",
            "A copy has run.json and samples.csv.gz. Samples and facts are the same; columns without any value go."})
final class PackCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RUNS", arity = "1..*", description = "runs, or folders of runs")
    private List<Path> folders;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of the copies, one folder a run")
    private Path out;

    @Option(names = "--least-harm", paramLabel = "F",
            description = {"takes the labels away that `fit --least-harm F` takes no notice of: for other programs that train on the copies",
                "(default: labels stay as they are)"})
    private Double least;

    @Option(names = "--phase-1", paramLabel = "DIR", description = "further runs in which --least-harm measures, as in fit; may be repeated")
    private List<Path> first = List.of();

    @Override
    public Integer call() throws IOException {
        if (least == null && !first.isEmpty()) {
            throw new IllegalArgumentException("--phase-1: expected --least-harm with it");
        }
        List<Run> runs = labelled(DataSet.read(folders));
        for (Run run : runs) {
            Path place = out.resolve(run.id());
            if (Files.exists(place)) {
                throw new IOException(place + ": is there already; nothing of it was changed. Choose another folder");
            }
            RunFolder.write(place, run, true);
        }
        System.out.println(out + ": " + runs.size() + " runs");
        return 0;
    }

    private List<Run> labelled(List<Run> runs) throws IOException {
        if (least == null) {
            return runs;
        }
        List<Run> others = first.isEmpty() ? List.of() : DataSet.read(first);
        return Harm.of(Stream.concat(runs.stream(), others.stream()).toList()).labelled(runs, HarmOptions.checked(least));
    }
}

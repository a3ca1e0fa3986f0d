// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.training.data.Resampling;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.evaluate.Bootstrap;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Figures;
import org.ic2.training.evaluate.Kind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train evaluate}: how good a tree is on labelled runs. */
@Command(name = "evaluate", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Judges a classifier.json on labelled runs that it was not trained on.",
            "With --training it trains trees on some runs and judges them on others, for several sets of attributes and cost"
            + " matrices (figure 11). With --leave-out it leaves out one kind of run after the other."})
final class EvaluateCommand implements Callable<Integer> {
    private final TrainingVerbs verbs;

    @Parameters(paramLabel = "RUNS", arity = "1..*", description = "runs, or folders of runs")
    private List<Path> folders;

    @Option(names = "--classifier", paramLabel = "FILE", description = "the classifier.json to judge")
    private Path classifier;

    @Option(names = "--training", paramLabel = "DIR",
            description = "instead of a classifier: train on these runs, for each set of attributes and list of costs; may be"
                    + " repeated")
    private List<Path> training = List.of();

    @Mixin
    private HarmOptions harm;

    @Option(names = "--leave-out", paramLabel = "KIND",
            description = {"instead of a classifier: each neighbour, placement, application, load, day or recording of RUNS is judged by",
                "a tree that all others have taught"})
    private Kind leftOut;

    @Option(names = "--by", paramLabel = "KIND",
            description = "with --classifier: a line for each neighbour, placement, application, load, day or recording")
    private Kind by;

    @Option(names = "--attributes", paramLabel = "NAMES", split = ";",
            description = "with --training and --leave-out: sets of attributes as in fit, separated by ';', the last one is the result"
                    + " (default: paper;relative;extended)")
    private List<String> attributes = List.of();

    @Option(names = "--costs", paramLabel = "a:b:c", split = ",",
            description = {"with --training: the cost matrices of figure 11 (default: 1:1:1 to 10:1:10);",
                "with --leave-out: the first counts (default: 5:1:10)"})
    private List<String> costs = List.of();

    @Option(names = "--report", paramLabel = "FILE", description = "with --training: writes the report, as HTML, and figures.csv"
            + " beside it")
    private Path report;

    @Option(names = "--interval", paramLabel = "T", converter = Times.class,
            description = "makes longer intervals of the recorded ones first, such as 5s of 1s")
    private Duration interval;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of the bootstrap (default: ${DEFAULT-VALUE})")
    private long seed;

    EvaluateCommand(TrainingVerbs verbs) {
        this.verbs = verbs;
    }

    @Override
    public Integer call() throws IOException {
        long ways = Stream.of(classifier != null, !training.isEmpty(), leftOut != null).filter(given -> given).count();
        boolean trains = !attributes.isEmpty() || !costs.isEmpty();
        if (ways != 1 || trains && classifier != null || report != null && training.isEmpty() || by != null && classifier == null) {
            throw new IllegalArgumentException("expected one of --classifier FILE (with --by KIND if you like), --training DIR (with"
                    + " --attributes, --costs and --report FILE) and --leave-out KIND (with --attributes and --costs)");
        }
        if (classifier != null) {
            return one();
        }
        TrainingVerbs.StudyRequest request = new TrainingVerbs.StudyRequest(folders, training, harm, attributes, costs,
                Optional.ofNullable(interval), Optional.ofNullable(report), seed);
        if (leftOut != null) {
            verbs.leaveOut(leftOut, request);
        } else {
            verbs.study(request);
        }
        return 0;
    }

    private int one() throws IOException {
        ClassifierModel model = ClassifierJson.read(classifier.toString(), String.join("\n", TextFiles.lines(classifier)));
        List<Run> runs = harm.labelled(DataSet.read(folders), harm.first()).stream()
                .map(run -> interval == null ? run : Resampling.to(interval, run)).toList();
        Evaluation evaluation = Evaluation.of(runs, row -> model.tree().classify(row::get).believed());
        System.out.print(Figures.of(evaluation, new Bootstrap(seed)).text());
        if (by != null) {
            System.out.print("\n" + by.table(evaluation));
        }
        return 0;
    }
}

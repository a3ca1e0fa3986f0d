// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.training.data.Resampling;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.evaluate.Bootstrap;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Figures;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train evaluate}: how good a tree is on labelled runs. */
@Command(name = "evaluate", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Judges a classifier.json on labelled runs that it was not trained on; or trains trees on some runs and",
            "judges them on others, for several sets of attributes and cost matrices (figure 11)."})
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

    @Option(names = "--attributes", paramLabel = "NAMES", split = ";",
            description = "with --training: sets of attributes as in fit, separated by ';', the last one is the result"
                    + " (default: paper;relative;extended)")
    private List<String> attributes = List.of();

    @Option(names = "--costs", paramLabel = "a:b:c", split = ",",
            description = "with --training: the cost matrices of figure 11 (default: 1:1:1 to 10:1:10)")
    private List<String> costs = List.of();

    @Option(names = "--report", paramLabel = "FILE.html", description = "with --training: writes the report, and figures.csv"
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
        boolean onlyWithTraining = report != null || harm.hasFirst() || harm.chooses() || !attributes.isEmpty() || !costs.isEmpty();
        if ((classifier == null) == training.isEmpty() || onlyWithTraining && training.isEmpty()) {
            throw new IllegalArgumentException("expected either --classifier FILE or --training DIR (with --attributes, --costs, "
                    + "--report FILE.html, --least-harm F and --phase-1 DIR if you like)");
        }
        if (classifier != null) {
            return one();
        }
        verbs.study(new TrainingVerbs.StudyRequest(folders, training, harm, attributes, costs, Optional.ofNullable(interval),
                Optional.ofNullable(report), seed));
        return 0;
    }

    private int one() throws IOException {
        ClassifierModel model = ClassifierJson.read(classifier.toString(), String.join("\n", TextFiles.lines(classifier)));
        List<Run> runs = DataSet.read(folders).stream().map(run -> interval == null ? run : Resampling.to(interval, run)).toList();
        Evaluation evaluation = Evaluation.of(runs, row -> model.tree().classify(row::get).believed());
        System.out.print(Figures.of(evaluation, new Bootstrap(seed)).text());
        return 0;
    }
}

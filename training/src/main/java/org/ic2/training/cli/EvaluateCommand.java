// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.ic2.knowledge.tree.ClassifierJson;
import org.ic2.knowledge.tree.ClassifierModel;
import org.ic2.training.data.Coarser;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Run;
import org.ic2.training.data.TextFiles;
import org.ic2.training.evaluate.Bootstrap;
import org.ic2.training.evaluate.Evaluation;
import org.ic2.training.evaluate.Figures;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train evaluate}: how good a tree is on labelled runs. */
@Command(name = "evaluate", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Judges a classifier.json on labelled runs that it was not trained on.")
final class EvaluateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RUNS", arity = "1..*", description = "runs, or folders of runs")
    private List<Path> folders;

    @Option(names = "--classifier", required = true, paramLabel = "FILE", description = "the classifier.json to judge")
    private Path classifier;

    @Option(names = "--interval", paramLabel = "T", converter = Times.class,
            description = "makes longer intervals of the recorded ones first, such as 5s of 1s")
    private Duration interval;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of the bootstrap (default: ${DEFAULT-VALUE})")
    private long seed;

    @Override
    public Integer call() throws IOException {
        ClassifierModel model = ClassifierJson.read(classifier.toString(), String.join("\n", TextFiles.lines(classifier)));
        List<Run> runs = DataSet.read(folders).stream().map(run -> interval == null ? run : Coarser.to(interval, run)).toList();
        Evaluation evaluation = Evaluation.of(runs, row -> model.tree().classify(row::get).label());
        System.out.print(Figures.of(evaluation, new Bootstrap(seed)).text());
        return 0;
    }
}

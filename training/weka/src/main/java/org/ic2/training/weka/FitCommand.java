// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.weka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.ic2.training.cli.HarmOptions;
import org.ic2.training.cli.Times;
import org.ic2.training.data.Attributes;
import org.ic2.training.data.DataSet;
import org.ic2.training.data.Resampling;
import org.ic2.training.data.Row;
import org.ic2.training.data.Rows;
import org.ic2.training.data.Run;
import org.ic2.training.fit.Costs;
import org.ic2.training.fit.Fitted;
import org.ic2.training.fit.Phases;
import org.ic2.training.fit.Product;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-train fit}: a tree of one of the paper's three phases. */
@Command(name = "fit", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Trains a tree: J48 in Weka's CostSensitiveClassifier.",
            "The folder --out gets classifier.json with its provenance, tree.txt, tree.svg and training.arff."})
final class FitCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RUNS", arity = "1..*",
            description = "runs, or folders of runs: of phase 1 (--phase 1), of phase 2, of phase 3")
    private List<Path> folders;

    @Option(names = "--phase", required = true, paramLabel = "1|2|3",
            description = "1: all RUNS; 2: half of RUNS and half of the runs of --phase-1; 3: all RUNS")
    private int phase;

    @Mixin
    private HarmOptions harm;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of the result")
    private Path out;

    @Option(names = "--attributes", paramLabel = "NAMES", defaultValue = Attributes.PAPER,
            description = {"paper: LPO, WorkDone, RT; relative: the same divided by what is normal; extended: relative and",
                "what a mitigation does not change; or names, joined with +: paper+run_delay+mitigation."
                    + " Default: ${DEFAULT-VALUE}"})
    private String attributes;

    @Option(names = "--costs", paramLabel = "a:b:c", defaultValue = Costs.PRODUCTION,
            description = {"a: no interference taken for interference; b: transient taken for anything else;",
                "c: interference taken for none (default: ${DEFAULT-VALUE})"})
    private String costs;

    @Option(names = "--confidence", paramLabel = "C", defaultValue = "0.25",
            description = "of J48's pruning, 0..0.5; smaller prunes more (default: ${DEFAULT-VALUE})")
    private double confidence;

    @Option(names = "--min-leaf", paramLabel = "N", defaultValue = "0",
            description = "least rows of a leaf (default: 1 %% of the rows, at least 5)")
    private int minLeaf;

    @Option(names = "--interval", paramLabel = "T", converter = Times.class,
            description = "makes longer intervals of the recorded ones first, such as 5s of 1s")
    private Duration interval;

    @Option(names = "--folds", paramLabel = "N", defaultValue = "10",
            description = "of the cross-validation by runs; 0: none (default: ${DEFAULT-VALUE})")
    private int folds;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
    private long seed;

    @Override
    public Integer call() throws Exception {
        boolean needsFirst = phase == 2 || harm.chooses();
        if (phase < 1 || phase > 3 || phase == 2 && !harm.hasFirst() || harm.hasFirst() && !needsFirst) {
            throw new IllegalArgumentException("--phase: expected 1, 2 or 3, and --phase-1 DIR with 2 or --least-harm only; got "
                    + "--phase " + phase + (harm.hasFirst() ? " with" : " without") + " --phase-1");
        }
        List<Run> found = DataSet.read(folders);
        List<Run> first = harm.first();
        List<Run> runs = coarser(harm.labelled(found, first));
        List<Row> rows = taught(runs);
        if (phase == 2) {
            DataSet.requireApart(first, found);
            List<Run> before = coarser(harm.labelled(first, found));
            rows = Phases.second(taught(before), rows, seed);
            runs = Stream.concat(before.stream(), runs.stream()).toList();
        }
        Product product = Product.make(new Product.Order("phase " + phase, runs, Rows.of(runs), rows, Attributes.parse(attributes),
                new Fitted.Settings(Costs.parse(costs), confidence, minLeaf), folds, seed));
        product.write(out);
        System.out.print(product.summary());
        System.out.println(out.resolve(Product.CLASSIFIER));
        return 0;
    }

    private static List<Row> taught(List<Run> runs) {
        return Rows.labelled(Rows.of(runs));
    }

    private List<Run> coarser(List<Run> runs) {
        return interval == null ? runs : runs.stream().map(run -> Resampling.to(interval, run)).toList();
    }
}

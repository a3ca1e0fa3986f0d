// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.ic2.fleet.fit.FitOrder;
import org.ic2.fleet.fit.FleetFit;
import org.ic2.fleet.store.Sessions;
import org.ic2.fleet.tree.TreeSettings;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.training.data.Attributes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet fit}: a tree for the fleet. */
@Command(name = "fit", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Trains a tree on the labelled samples of a store.",
            "It is MLlib's decision tree, and rows weigh what it costs to miss them.",
            "Into the folder --out go classifier.json (with its provenance), figures.txt, tree.txt, tree.svg and the counted answers of each"
            + " tenant as Parquet. Some tenants do not teach, they judge. Every row is classified by classifier.json and by Spark's own"
            + " tree. Nothing is written if they disagree on one."})
final class FleetFitCommand implements Callable<Integer> {
    @Parameters(paramLabel = "STORE", description = "samples, as ingest and label write them")
    private String store;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of the result, which is not there yet")
    private String out;

    @Option(names = "--attributes", paramLabel = "NAMES", defaultValue = Attributes.EXTENDED,
            description = "paper, relative, extended, or names joined with +, as in ic2-train fit (default: ${DEFAULT-VALUE})")
    private String attributes;

    @Option(names = "--costs", paramLabel = "a:b:c", defaultValue = CostMatrix.PRODUCTION,
            description = "a: no interference taken for interference; b: transient taken for anything else; c: interference taken for none"
                + " (default: ${DEFAULT-VALUE})")
    private String costs;

    @Option(names = "--depth", paramLabel = "N", defaultValue = "6", description = "tests above a leaf, at most (default: ${DEFAULT-VALUE})")
    private int depth;

    @Option(names = "--leaves", paramLabel = "N", defaultValue = "12", description = "leaves, at most (default: ${DEFAULT-VALUE})")
    private int leaves;

    @Option(names = "--least-leaf", paramLabel = "SHARE", defaultValue = "0.01",
            description = "of all weight, that a leaf has at least (default: ${DEFAULT-VALUE})")
    private double leastLeaf;

    @Option(names = "--saves", paramLabel = "SHARE", defaultValue = "0.001",
            description = "of all weight, that a test saves from a wrong label for each leaf that it adds; else it is pruned (default: ${DEFAULT-VALUE})")
    private double saves;

    @Option(names = "--bins", paramLabel = "N", defaultValue = "128",
            description = "thresholds of an attribute that are tried, and one more (default: ${DEFAULT-VALUE})")
    private int bins;

    @Option(names = "--held-out", paramLabel = "SHARE", defaultValue = "0.25",
            description = "of the tenants, that judge and do not teach; 0: none (default: ${DEFAULT-VALUE})")
    private double heldOut;

    @Option(names = "--clusters", paramLabel = "K", defaultValue = "0",
            description = "also parts the tenants into K clusters by what is normal of each, and keeps a tree of their own for those whose"
                + " held-out tenants it serves better than the fleet's (classifier-N.json; 2 or more; default: none)")
    private int clusters;

    @Option(names = "--member", paramLabel = "NAME", defaultValue = Sample.WEB,
            description = "the member of the application group that is judged (default: ${DEFAULT-VALUE})")
    private String member;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of all that is drawn (default: ${DEFAULT-VALUE})")
    private long seed;

    @Override
    public Integer call() throws IOException {
        FitOrder order = new FitOrder(store, Attributes.parse(attributes),
                new TreeSettings(CostMatrix.parse(costs), depth, leaves, leastLeaf, saves, bins, seed), member, heldOut, clusters);
        System.out.print(new FleetFit(Sessions.open("ic2-fleet fit"), order).into(out));
        return 0;
    }
}

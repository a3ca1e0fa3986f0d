// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.ic2.fleet.fit.FleetEvaluation;
import org.ic2.fleet.judge.AnswerCounts;
import org.ic2.fleet.judge.FleetFigures;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.SampleStore;
import org.ic2.fleet.store.Sessions;
import org.ic2.knowledge.Sample;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet evaluate}: how good a tree is on a fleet. */
@Command(name = "evaluate", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Judges a classifier.json on the labelled samples of a store.",
            "It prints figures with their intervals over tenants, and which tenants the classifier serves badly. Into the folder --out"
            + " go the counted answers of each tenant, host and day as Parquet."})
final class FleetEvaluateCommand implements Callable<Integer> {
    /** By what answers are told apart. */
    enum By { TENANT, HOST, DAY }

    @Parameters(paramLabel = "STORE", description = "samples, as ingest and label write them")
    private String store;

    @Option(names = "--classifier", required = true, paramLabel = "FILE", description = "the classifier.json to judge")
    private String classifier;

    @Option(names = "--beside", paramLabel = "FILE", description = "another one, on the same samples: its figures, and how often both say the same")
    private String beside;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of the counts, which is not there yet")
    private String out;

    @Option(names = "--by", paramLabel = "KIND", description = "a table by tenant, host or day, the worst first")
    private By by;

    @Option(names = "--lines", paramLabel = "N", defaultValue = "20", description = "of the table (default: ${DEFAULT-VALUE})")
    private int lines;

    @Option(names = "--badly", paramLabel = "SHARE", defaultValue = "0.05",
            description = "a tenant is served badly if its miss rate is at least this and twice that of all, on 100 samples or more"
                + " (default: ${DEFAULT-VALUE})")
    private double badly;

    @Option(names = "--member", paramLabel = "NAME", defaultValue = Sample.WEB,
            description = "the member of the application group that is judged (default: ${DEFAULT-VALUE})")
    private String member;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of the bootstrap (default: ${DEFAULT-VALUE})")
    private long seed;

    @Override
    public Integer call() throws IOException {
        SparkSession spark = Sessions.open("ic2-fleet evaluate");
        if (by == By.HOST) {
            requireHosts(spark);
        }
        String text = text(spark, classifier);
        FleetEvaluation evaluation = new FleetEvaluation(spark, store, member);
        Dataset<Row> counts = evaluation.into(out, text, beside == null ? text : text(spark, beside));
        FleetFigures figures = FleetFigures.of(counts, AnswerCounts.ANSWER, seed);
        System.out.print(figures.text());
        if (!evaluation.notUsed().isEmpty()) {
            System.out.println("samples that were not used: " + evaluation.notUsed());
        }
        List<String> bad = figures.badlyServed(badly);
        System.out.println("badly served: " + (bad.isEmpty() ? "no tenant" : bad.size() + " of " + figures.byTenant().size() + " tenants, "
                + String.join(", ", bad.subList(0, Math.min(lines, bad.size())))));
        if (beside != null) {
            System.out.print(besideIt(counts));
        }
        if (by != null) {
            System.out.print(table(counts));
        }
        return 0;
    }

    private static String text(SparkSession spark, String file) throws IOException {
        Path path = new Path(file);
        try (FSDataInputStream in = path.getFileSystem(spark.sparkContext().hadoopConfiguration()).open(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String besideIt(Dataset<Row> counts) {
        Row sums = counts.agg(functions.sum(functions.when(functions.col(AnswerCounts.ANSWER).equalTo(functions.col(AnswerCounts.OTHER)),
                functions.col(AnswerCounts.ROWS)).otherwise(0)), functions.sum(AnswerCounts.ROWS)).first();
        return String.format(Locale.ROOT, "both say the same of %.2f %% of %d samples%n%s: %s%n", 100.0 * sums.getLong(0) / sums.getLong(1),
                sums.getLong(1), beside, FleetFigures.of(counts, AnswerCounts.OTHER, seed).line());
    }

    private String table(Dataset<Row> counts) {
        String column = switch (by) {
            case TENANT -> FleetSchema.TENANT;
            case HOST -> FleetSchema.HOST;
            case DAY -> FleetSchema.DAY;
        };
        return FleetFigures.table(column, FleetFigures.tenantsBy(counts, column, AnswerCounts.ANSWER), lines, seed);
    }

    private void requireHosts(SparkSession spark) throws IOException {
        if (SampleStore.read(spark, store).filter(functions.col(FleetSchema.HOST).isNotNull()).isEmpty()) {
            throw new FleetException(store + ": no sample says its host; ingest recordings that do (column host, fact host, or a folder"
                    + " host=NAME), or say --host to ingest");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.ingest.Ingest;
import org.ic2.fleet.store.Sessions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet ingest}: recordings into a store. */
@Command(name = "ingest", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Takes recordings (ic2 run --record FILE.csv; .csv, .csv.gz) into a store of Parquet files, which the other verbs read.",
            "What the store has already is not read again. A line that is not understood is kept apart with its reason.",
            "Whose a recording is, its own columns tenant, host and application say, else the facts of run.json beside it, else folders"
            + " tenant=NAME, host=NAME and application=NAME above it, else the options."})
final class IngestCommand implements Callable<Integer> {
    private static final int SHOWN = 5;

    @Parameters(paramLabel = "RECORDINGS", arity = "1..*", description = "files, folders or patterns, on any file system that Hadoop knows")
    private List<String> inputs;

    @Option(names = {"-o", "--store"}, required = true, paramLabel = "DIR", description = "the store; made if it is not there")
    private String store;

    @Option(names = "--tenant", paramLabel = "NAME", description = "whose web tier it is, of recordings that do not say")
    private String tenant;

    @Option(names = "--host", paramLabel = "NAME", description = "the physical host, of recordings that do not say")
    private String host;

    @Option(names = "--application", paramLabel = "NAME", description = "the web application, of recordings that do not say (default: unknown)")
    private String application;

    @Override
    public Integer call() throws IOException {
        SparkSession spark = Sessions.open("ic2-fleet ingest");
        Ingest.Taken taken = new Ingest(spark, store).take(inputs, tenant, host, application);
        if (taken.files() == 0) {
            System.out.println("nothing new: the store has all " + taken.known() + " files");
            return 0;
        }
        System.out.println(taken.files() + " files, " + taken.rows() + " samples; " + taken.known() + " files were there already");
        if (taken.broken() > 0) {
            System.out.println(taken.broken() + " lines were not understood and stand in " + taken.batch() + "/broken:");
            for (Row row : Ingest.broken(spark, store).filter(org.apache.spark.sql.functions.input_file_name().contains(
                    taken.batch().substring(taken.batch().lastIndexOf('/')))).limit(SHOWN).collectAsList()) {
                System.out.println("  " + row.getAs("path") + ": line " + row.getAs("line") + ": " + row.getAs("reason"));
            }
        }
        System.out.println(taken.batch());
        return 0;
    }
}

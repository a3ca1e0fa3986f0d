// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.fleet.store.Sessions;
import org.ic2.fleet.synthetic.Blueprint;
import org.ic2.fleet.synthetic.Material;
import org.ic2.fleet.synthetic.SyntheticFleet;
import org.ic2.training.data.DataSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet generate}: a fleet out of real recordings. */
@Command(name = "generate", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Generates a SYNTHETIC fleet out of real recordings, to try things on and to measure what a fleet costs.",
            "Stretches of the recordings are played in another order: those without interference; episodes of neighbours, which all tenants of a host have in the",
            "same seconds; and changes of a tenant's own load or pages, or of all of a host at once, which are no interference. Each tenant has",
            "medians of its own, which drift, noise, a day and a night, and may lack sensors. The label is the truth of the recording.",
            "No figure that comes of it says how good a tree is for real tenants. The same seed gives the same bytes."})
final class GenerateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "RECORDINGS", arity = "1..*", description = "runs, or folders of runs, such as training/data/phase-1")
    private List<Path> recordings;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR",
            description = "with --csv a new folder; otherwise a store, which gets a batch (any Hadoop file system)")
    private String out;

    @Option(names = "--rows", paramLabel = "N", defaultValue = "1000000", description = "samples of all tenants (default: ${DEFAULT-VALUE})")
    private long rows;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "86400",
            description = "samples of a tenant and day, one a second (default: ${DEFAULT-VALUE}, the whole day)")
    private int seconds;

    @Option(names = "--days", paramLabel = "N", defaultValue = "1", description = "for which each tenant is there (default: ${DEFAULT-VALUE})")
    private int days;

    @Option(names = "--from", paramLabel = "DAY", defaultValue = "2026-05-04", description = "the first day (default: ${DEFAULT-VALUE})")
    private LocalDate from;

    @Option(names = "--tenants-per-host", paramLabel = "N", defaultValue = "8", description = "default: ${DEFAULT-VALUE}")
    private int tenantsPerHost;

    @Option(names = "--episodes", paramLabel = "X", defaultValue = "2",
            description = "of neighbours to a host of middling noise, an hour (default: ${DEFAULT-VALUE})")
    private double episodes;

    @Option(names = "--hit", paramLabel = "P", defaultValue = "0.85",
            description = "chance that an episode harms a tenant of the host (default: ${DEFAULT-VALUE})")
    private double hit;

    @Option(names = "--own-changes", paramLabel = "X", defaultValue = "0.3",
            description = "of a tenant's own load or pages, an hour; with 0 no campaigns either (default: ${DEFAULT-VALUE})")
    private double ownChanges;

    @Option(names = "--as-recorded", description = "nothing is scaled, drifts, or is missing, and no noise is added: the recorded samples laid out as hosts")
    private boolean asRecorded;

    @Option(names = "--least-harm", paramLabel = "X", defaultValue = "1.5",
            description = "least response time of an episode, in times that without interference; milder episodes are not used (default: ${DEFAULT-VALUE})")
    private double leastHarm;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(names = "--csv", description = "recordings as agents write them, application=A/host=H/tenant=T/DAY.csv, instead of a store")
    private boolean csv;

    @Option(names = "--gz", description = "with --csv: compressed")
    private boolean zipped;

    @Override
    public Integer call() throws Exception {
        Blueprint fleet = new Blueprint(seed, rows, days, seconds, tenantsPerHost, from, episodes, hit, ownChanges,
                asRecorded ? Blueprint.Shape.AS_RECORDED : Blueprint.Shape.USUAL);
        Material material = Material.of(DataSet.read(recordings), leastHarm);
        SparkSession spark = Sessions.open("ic2-fleet generate");
        var hadoop = spark.sparkContext().hadoopConfiguration();
        String target = csv ? out : SampleStore.next(hadoop, out);
        SyntheticFleet synthetic = new SyntheticFleet(spark, fleet, material);
        try (AtomicOutput output = AtomicOutput.into(hadoop, target)) {
            if (csv) {
                synthetic.recordings(output, zipped);
            } else {
                synthetic.store(output);
            }
            output.commit(synthetic.manifest(csv ? "recordings" : Manifest.SAMPLES, recordings.stream().map(Path::toString).toList()));
        }
        System.out.println("SYNTHETIC: " + rows + " samples of " + fleet.tenants() + " tenants on " + fleet.hosts() + " hosts in " + target);
        return 0;
    }
}

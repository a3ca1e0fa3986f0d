// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.label.AgreementRule;
import org.ic2.fleet.label.HostAgreement;
import org.ic2.fleet.label.HostHours;
import org.ic2.fleet.report.NoisyHosts;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.fleet.store.Sessions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet outliers}: the noisiest hosts and hours, without labels. */
@Command(name = "outliers", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Finds the noisiest hosts and hours of a store without labels.",
            "A host is noisy where tenants are slow while their own load does not rise, and where several of its tenants are so in the"
            + " same seconds. Into the folder --out goes a row for each host and hour, as Parquet. `ic2-fleet report` makes pages of it."})
final class FleetOutliersCommand implements Callable<Integer> {
    /** What the folder holds. */
    static final String KIND = "outliers";
    /** Its rows. */
    static final String HOURS = "host-hours";
    /** The rule, in words, in its manifest. */
    static final String RULE = "rule";

    @Parameters(paramLabel = "STORE", description = "samples, as ingest writes them; each must say its host")
    private String store;

    @Option(names = {"-o", "--out"}, required = true, paramLabel = "DIR", description = "folder of the result, which is not there yet")
    private String out;

    @Option(names = "--lines", paramLabel = "N", defaultValue = "10", description = "hosts that are printed (default: ${DEFAULT-VALUE})")
    private int lines;

    @Mixin
    private AgreementOptions agreement;

    @Override
    public Integer call() throws Exception {
        SparkSession spark = Sessions.open("ic2-fleet outliers");
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        AgreementRule rule = agreement.rule();
        Dataset<Row> samples = SampleStore.read(spark, store);
        NoisyHosts noise;
        try (AtomicOutput output = AtomicOutput.into(hadoop, out)) {
            HostHours.of(new HostAgreement(spark, samples, rule), rule).coalesce(1).write().parquet(output.below(HOURS));
            Dataset<Row> hours = spark.read().parquet(output.below(HOURS));
            noise = NoisyHosts.of(hours);
            Map<String, String> provenance = new LinkedHashMap<>(SampleStore.provenance(spark, store));
            provenance.put(RULE, words(rule));
            output.commit(new Manifest(KIND, Map.of("rows", hours.count(), "hosts", (long) noise.hosts().size()), List.of(store), provenance));
        }
        System.out.println("host,tenants,interference_s,of_s,slow_share");
        noise.hosts().stream().limit(lines).forEach(one -> System.out.printf(Locale.ROOT, "%s,%d,%d,%d,%.4f%n", one.name(), one.tenants(),
                one.agreed(), one.judged(), one.slowShare()));
        return 0;
    }

    private static String words(AgreementRule rule) {
        return String.format(Locale.ROOT, "Here: %d tenants or more, in windows of %d s, for %d windows or more; slow is a response time further"
                + " above the tenant's median of the day than %s times the distance of the lower quartile, and %s times the median.",
                rule.tenants(), rule.window(), rule.least(), rule.factor(), rule.harm());
    }
}

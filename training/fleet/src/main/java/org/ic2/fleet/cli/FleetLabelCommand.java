// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.label.AgreementRule;
import org.ic2.fleet.label.HostAgreement;
import org.ic2.fleet.label.KnownTruth;
import org.ic2.fleet.label.Vouching;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.fleet.store.Sessions;
import org.ic2.knowledge.Label;
import org.ic2.training.cli.Times;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet label}: labels for a store's samples. */
@Command(name = "label", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Labels the samples of a store and writes them as a batch of another one.",
            "With --ranges or --neighbours by what is known. With --agreement without ground truth: tenants of one host that are slow in the",
            "same seconds, while their own load does not rise, vouch for each other. INTERFERENCE: at least K tenants are, and this is one of",
            "them. TRANSIENT: the windows beside such a stretch, and a tenant that is slow alone. NO_INTERFERENCE: fewer than K are, and this is",
            "not, or by its own load. No label, and counted: fewer than K tenants of the host measured; not slow while others are; its own load",
            "rose while others are slow; no response time."})
final class FleetLabelCommand implements Callable<Integer> {
    @Parameters(paramLabel = "STORE", description = "samples, as ingest or generate wrote them")
    private String store;

    @Option(names = {"-o", "--out"}, paramLabel = "STORE", description = "the store that gets the labelled samples as a batch")
    private String out;

    @ArgGroup(multiplicity = "1")
    private Source source;

    private static final class Source {
        @Option(names = "--ranges", paramLabel = "FILE.csv",
                description = "time ranges: tenant,from,to,label or host,from,to,label; times as epoch seconds or 2026-05-07T14:00:00Z")
        private String ranges;

        @Option(names = "--neighbours", paramLabel = "DIR", description = "logs of the program neighbour, one a host: HOST.csv")
        private String neighbours;

        @Option(names = "--agreement", description = "by the agreement of a host's tenants")
        private boolean agreement;
    }

    @Option(names = "--otherwise", paramLabel = "LABEL", description = "with --ranges: the label outside all ranges (default: none)")
    private Label otherwise;

    @Option(names = "--settling", paramLabel = "T", converter = Times.class, defaultValue = "30s",
            description = "with --neighbours: what counts as TRANSIENT after a switch (default: ${DEFAULT-VALUE})")
    private Duration settling;

    @Option(names = "--interval", paramLabel = "T", converter = Times.class, defaultValue = "1s",
            description = "with --ranges and --neighbours: the time of a sample (default: ${DEFAULT-VALUE})")
    private Duration interval;

    @Mixin
    private AgreementOptions agreement;

    @Option(names = "--against-truth", description = "with --agreement: the samples have labels that are true; say how well they are recovered")
    private boolean againstTruth;

    @Override
    public Integer call() throws Exception {
        if (out == null && !againstTruth || againstTruth && !source.agreement) {
            throw new IllegalArgumentException("expected --out STORE, or --agreement --against-truth, or both");
        }
        SparkSession spark = Sessions.open("ic2-fleet label");
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        Dataset<Row> samples = SampleStore.read(spark, store);
        Map<String, Long> counts = new LinkedHashMap<>();
        if (source.agreement) {
            byAgreement(spark, samples, counts);
        } else {
            KnownTruth truth = source.ranges != null ? KnownTruth.ranges(hadoop, source.ranges, otherwise, interval)
                    : KnownTruth.neighbours(hadoop, source.neighbours, settling, interval);
            List<String> unknown = truth.unknown(samples);
            if (!unknown.isEmpty()) {
                throw new FleetException((source.ranges != null ? source.ranges : source.neighbours) + ": names " + unknown.size() + " that "
                        + store + " has no sample of, such as " + truth.column() + " '" + unknown.get(0) + "'; mend the name or leave it out");
            }
            write(spark, truth.labelled(samples), counts, "by what is known: " + (source.ranges != null ? source.ranges : source.neighbours));
        }
        return 0;
    }

    private void byAgreement(SparkSession spark, Dataset<Row> samples, Map<String, Long> counts) throws IOException {
        AgreementRule rule = agreement.rule();
        HostAgreement agreed = new HostAgreement(spark, samples, rule);
        HostAgreement.Said said = agreed.said();
        for (Vouching verdict : Vouching.values()) {
            long count = said.counts().getOrDefault(verdict, 0L);
            counts.put(verdict.name().toLowerCase(java.util.Locale.ROOT), count);
            System.out.println(verdict.label().map(Label::name).orElse("no label") + ": " + count + " (" + verdict.words() + ")");
        }
        if (againstTruth) {
            agreed.against(said).lines().forEach(System.out::println);
        }
        if (out != null) {
            write(spark, agreed.labelled(said), counts, "without ground truth, by the agreement of a host's tenants: " + rule);
        }
    }

    private void write(SparkSession spark, Dataset<Row> labelled, Map<String, Long> counts, String how) throws IOException {
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        String target = SampleStore.next(hadoop, out);
        Map<String, String> provenance = new LinkedHashMap<>(SampleStore.provenance(spark, store));
        provenance.put("labels", how);
        try (AtomicOutput batch = AtomicOutput.into(hadoop, target)) {
            SampleStore.write(labelled, batch);
            long rows = 0;
            for (Row row : SampleStore.written(spark, batch).groupBy(FleetSchema.LABEL).count().collectAsList()) {
                String label = row.isNullAt(0) ? "no label" : row.getString(0);
                counts.put(label, row.getLong(1));
                rows += row.getLong(1);
                if (!source.agreement) {
                    System.out.println(label + ": " + row.getLong(1));
                }
            }
            counts.put("rows", rows);
            batch.commit(new Manifest(Manifest.SAMPLES, counts, List.of(store), provenance));
        }
        System.out.println(target);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Spark;
import org.ic2.fleet.label.AgreementRule;
import org.ic2.fleet.label.HostAgreement;
import org.ic2.fleet.label.Recovery;
import org.ic2.fleet.label.Vouching;
import org.ic2.fleet.store.AtomicOutput;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.SampleStore;
import org.ic2.knowledge.Label;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Labels for a generated fleet: what is known, and what tenants agree on, held against the truth. */
class FleetLabelCommandTest {
    private static final List<String> RECORDINGS = List.of("../data/phase-1", "../data/observed", "../data/apart", "../data/later",
            "../data/evaluation/surge-1");
    private static final int SECONDS = 3600;
    /** Two hosts of eight tenants. */
    private static final int ROWS = 16 * SECONDS;
    private static final AgreementRule RULE = new AgreementRule(3, 5, 2, 5, 1.5, 1.25);

    @TempDir
    private static Path folder;
    private static String store;
    private static SparkSession spark;

    @BeforeAll
    static void generated() {
        spark = Spark.session();
        store = folder.resolve("recorded").toString();
        assertThat(generate(store, SECONDS, "--as-recorded")).isZero();
    }

    private static int generate(String out, int seconds, String... options) {
        List<String> command = new ArrayList<>(List.of("generate"));
        command.addAll(RECORDINGS);
        command.addAll(List.of("--rows", Integer.toString(16 * seconds), "--seconds", Integer.toString(seconds), "--episodes", "3", "--out", out));
        command.addAll(Arrays.asList(options));
        return Ic2Fleet.run(command);
    }

    private static String refused(String... command) {
        StringWriter said = new StringWriter();
        int status = Ic2Fleet.commands().setErr(new PrintWriter(said, true))
                .setExecutionExceptionHandler((e, line, parsed) -> Ic2Fleet.failed(e, line.getErr())).execute(command);
        assertThat(status).isEqualTo(1);
        assertThat(said.toString().strip()).startsWith("ic2-fleet: ").doesNotContain("\n");
        return said.toString();
    }

    private static Map<String, String> bytes(Path root) throws IOException {
        Map<String, String> bytes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes.put(root.relativize(file).toString(), HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256")
                        .digest(Files.readAllBytes(file))));
            }
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        return bytes;
    }

    @Test
    void theSameSeedGivesTheSameFilesWhichSayThatTheyAreSynthetic() throws IOException {
        assertThat(generate(folder.resolve("a").toString(), 300, "--seed", "7")).isZero();
        assertThat(generate(folder.resolve("b").toString(), 300, "--seed", "7")).isZero();
        assertThat(bytes(folder.resolve("a"))).isEqualTo(bytes(folder.resolve("b"))).hasSizeGreaterThan(3);
        assertThat(SampleStore.provenance(spark, folder.resolve("a").toString()).get("synthetic")).startsWith("SYNTHETIC");
        Dataset<Row> samples = SampleStore.read(spark, folder.resolve("a").toString());
        assertThat(samples.count()).isEqualTo(16 * 300);
        assertThat(samples.filter(col(FleetSchema.TENANT).startsWith("synthetic-").and(col(FleetSchema.HOST).startsWith("synthetic-"))
                .and(col(FleetSchema.APPLICATION).startsWith("synthetic-"))).count()).isEqualTo(16 * 300);
    }

    @Test
    void agreementRecoversMostOfTheTruth() throws IOException {
        HostAgreement agreement = new HostAgreement(spark, SampleStore.read(spark, store), RULE);
        HostAgreement.Said said = agreement.said();
        Recovery recovery = agreement.against(said);
        assertThat(recovery.recall()).isGreaterThan(0.7);
        assertThat(recovery.precision()).isGreaterThan(0.85);
        assertThat(said.counts().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(ROWS);
    }

    @Test
    void writtenSamplesHaveTheLabelsThatWereCounted() throws IOException {
        String out = folder.resolve("labelled").toString();
        assertThat(Ic2Fleet.run(List.of("label", store, "--agreement", "--against-truth", "--out", out))).isZero();
        HostAgreement.Said said = new HostAgreement(spark, SampleStore.read(spark, store), RULE).said();
        Dataset<Row> labelled = SampleStore.read(spark, out);
        for (Label label : Label.values()) {
            long expected = said.counts().entrySet().stream().filter(one -> one.getKey().label().orElse(null) == label)
                    .mapToLong(Map.Entry::getValue).sum();
            assertThat(labelled.filter(col(FleetSchema.LABEL).equalTo(label.name())).count()).as(label.name()).isEqualTo(expected);
        }
        assertThat(labelled.count()).isEqualTo(ROWS);
        assertThat(SampleStore.provenance(spark, out)).containsKey("synthetic").containsKey("labels");
    }

    @Test
    void hostsWithTooFewTenantsAreLeftOutAndCounted() throws IOException {
        HostAgreement.Said said = new HostAgreement(spark, SampleStore.read(spark, store), new AgreementRule(9, 5, 2, 5, 1.5, 1.25)).said();
        assertThat(said.counts()).isEqualTo(Map.of(Vouching.UNKNOWN, (long) ROWS));
    }

    @Test
    void aMissingHostIdIsOneLineAndNothingIsWritten() throws IOException {
        String without = folder.resolve("without").toString();
        try (AtomicOutput batch = AtomicOutput.into(spark.sparkContext().hadoopConfiguration(), without)) {
            SampleStore.write(SampleStore.read(spark, store).withColumn(FleetSchema.HOST, lit(null).cast("string")).limit(100), batch);
            batch.commit(new Manifest(Manifest.SAMPLES, Map.of(), List.of(), Map.of()));
        }
        Path out = folder.resolve("never");
        assertThat(refused("label", without, "--agreement", "--out", out.toString())).contains("100 samples of 1 tenants have no host id");
        assertThat(out).doesNotExist();
    }

    @Test
    void rangesAndLogsOfNeighboursLabelAsTheyDoForOneRecording() throws IOException {
        Path ranges = Files.writeString(folder.resolve("ranges.csv"), "host,from,to,label\n"
                + "synthetic-host-00000,2026-05-04T00:10:00Z,2026-05-04T00:20:00Z,INTERFERENCE\n");
        String out = folder.resolve("ranged").toString();
        assertThat(Ic2Fleet.run(List.of("label", store, "--ranges", ranges.toString(), "--otherwise", "NO_INTERFERENCE", "-o", out))).isZero();
        Dataset<Row> interference = SampleStore.read(spark, out).filter(col(FleetSchema.LABEL).equalTo("INTERFERENCE"));
        assertThat(interference.select(FleetSchema.HOST).distinct().count()).isEqualTo(1);
        // 600 s of each of 8 tenants, less what lies across the borders
        assertThat(interference.count()).isBetween(8 * 598L, 8 * 600L);

        Path logs = Files.createDirectory(folder.resolve("logs"));
        Files.writeString(logs.resolve("synthetic-host-00001.csv"), "time,event,program,placement,lateness_ms\n"
                + "1777853400,start,llcprobe,same-core,0\n1777853700,stop,llcprobe,same-core,0\n");
        String logged = folder.resolve("logged").toString();
        assertThat(Ic2Fleet.run(List.of("label", store, "--neighbours", logs.toString(), "--settling", "60s", "-o", logged))).isZero();
        Dataset<Row> known = SampleStore.read(spark, logged);
        assertThat(known.filter(col(FleetSchema.LABEL).isNull()).count()).isEqualTo(8 * SECONDS);
        assertThat(known.filter(col(FleetSchema.LABEL).equalTo("INTERFERENCE")).count()).isBetween(8 * 238L, 8 * 241L);
    }

    @Test
    void badRangesAreOneLineEach() throws IOException {
        Path bad = Files.writeString(folder.resolve("bad.csv"), "host,from,to,label\nsynthetic-host-00000,5,4,INTERFERENCE\n");
        assertThat(refused("label", store, "--ranges", bad.toString(), "--out", folder + "/no")).contains("line 2").contains("'from' before 'to'");
        Files.writeString(bad, "from,to,label\n");
        assertThat(refused("label", store, "--ranges", bad.toString(), "--out", folder + "/no")).contains("expected the header 'tenant|host,from,to,label'");
        Files.writeString(bad, "host,from,to,label\nnobody,4,5,INTERFERENCE\n");
        assertThat(refused("label", store, "--ranges", bad.toString(), "--out", folder + "/no")).contains("host 'nobody'");
        assertThat(folder.resolve("no")).doesNotExist();
    }
}

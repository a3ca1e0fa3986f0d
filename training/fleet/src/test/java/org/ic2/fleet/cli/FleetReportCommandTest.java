// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.Spark;
import org.ic2.fleet.label.HostHours;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The noisiest hosts and hours of a generated fleet: as Parquet, as a page, and for Prometheus. */
class FleetReportCommandTest {
    @TempDir
    private static Path folder;
    private static Path found;
    private static SparkSession spark;

    @BeforeAll
    static void outliers() {
        spark = Spark.session();
        Path store = folder.resolve("store");
        found = folder.resolve("found");
        assertThat(Ic2Fleet.run(List.of("generate", "../data/phase-1", "../data/observed", "--rows", "115200", "--seconds", "7200", "--episodes", "4",
                "--out", store.toString()))).isZero();
        assertThat(Ic2Fleet.run(List.of("outliers", store.toString(), "--out", found.toString()))).isZero();
    }

    @Test
    void thereIsARowForEachHostAndHourThatAddsUp() {
        Dataset<Row> hours = spark.read().parquet(found.resolve("host-hours").toString());
        assertThat(hours.count()).isEqualTo(4);
        for (Row row : hours.collectAsList()) {
            assertThat(row.<Integer>getAs(HostHours.TENANTS)).isEqualTo(8);
            assertThat(row.<Long>getAs(HostHours.JUDGED)).isBetween(3590L, 3600L);
            assertThat(row.<Long>getAs(HostHours.MEASURED)).isBetween(8 * 3590L, 8 * 3600L);
            assertThat(row.<Long>getAs(HostHours.SLOW)).isGreaterThanOrEqualTo(2 * row.<Long>getAs(HostHours.AGREED));
            assertThat(row.<Timestamp>getAs(HostHours.HOUR).toInstant().toString()).matches("2026-05-04T0[01]:00:00Z");
        }
        assertThat(hours.filter(col(HostHours.AGREED).gt(0)).count()).isGreaterThan(0);
    }

    @Test
    void bothPagesNameTheHostsAndSayThatTheDataAreSynthetic() throws IOException {
        Path html = folder.resolve("pages/report.html");
        Path metrics = folder.resolve("pages/ic2_fleet.prom");
        assertThat(Ic2Fleet.run(List.of("report", found.toString(), "--html", html.toString(), "--metrics", metrics.toString()))).isZero();
        assertThat(Files.readString(html)).contains("SYNTHETIC", "synthetic-host-00000", "synthetic-host-00001", "Hours of the day");
        List<String> lines = Files.readAllLines(metrics);
        assertThat(lines).contains("ic2_fleet_synthetic 1.0", "ic2_fleet_hosts 2.0", "# TYPE ic2_fleet_host_interference_seconds gauge",
                "ic2_fleet_host_tenants{host=\"synthetic-host-00001\"} 8.0");
        assertThat(lines).allMatch(line -> line.matches("# (HELP|TYPE) ic2_fleet_\\w+ .*|ic2_fleet_\\w+(\\{\\w+=\"[^\"]*\"\\})? \\S+"));
        try (Stream<Path> left = Files.list(html.getParent())) {
            assertThat(left).containsExactlyInAnyOrder(html, metrics);
        }
    }

    @Test
    void aFileThatOutliersDidNotWriteIsRefused() {
        assertThat(Ic2Fleet.run(List.of("report", folder.resolve("store").toString(), "--html", folder.resolve("no.html").toString()))).isEqualTo(1);
        assertThat(Ic2Fleet.run(List.of("report", found.toString()))).isEqualTo(2);
        assertThat(folder.resolve("no.html")).doesNotExist();
    }
}

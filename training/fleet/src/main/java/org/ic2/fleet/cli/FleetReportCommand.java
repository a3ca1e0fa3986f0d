// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.report.NoiseMetrics;
import org.ic2.fleet.report.NoisePage;
import org.ic2.fleet.report.NoisyHosts;
import org.ic2.fleet.store.Manifest;
import org.ic2.fleet.store.Sessions;
import org.ic2.fleet.synthetic.SyntheticFleet;
import org.ic2.training.data.TextFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ic2-fleet report}: pages of what {@code outliers} found. */
@Command(name = "report", mixinStandardHelpOptions = true, sortOptions = false,
        description = {"Writes what `ic2-fleet outliers` found as a page for a browser and as one for Prometheus.",
            "The folder of node_exporter's textfile collector is a place for the second. Both are replaced in one step. Data that were"
            + " generated say so on both."})
final class FleetReportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "what outliers wrote")
    private String folder;

    @Option(names = "--html", paramLabel = "FILE", description = "the page for a browser")
    private Path html;

    @Option(names = "--metrics", paramLabel = "FILE.prom", description = "the page for Prometheus, in its text format")
    private Path metrics;

    @Option(names = "--hosts", paramLabel = "N", defaultValue = "100", description = "that are named, the noisiest first (default: ${DEFAULT-VALUE})")
    private int hosts;

    @Override
    public Integer call() throws Exception {
        if (html == null && metrics == null) {
            throw new IllegalArgumentException("expected --html FILE, --metrics FILE.prom, or both");
        }
        SparkSession spark = Sessions.open("ic2-fleet report");
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        var path = new org.apache.hadoop.fs.Path(folder);
        Manifest manifest = Manifest.read(path.getFileSystem(hadoop), path, FleetOutliersCommand.KIND);
        NoisyHosts noise = NoisyHosts.of(spark.read().parquet(new org.apache.hadoop.fs.Path(path, FleetOutliersCommand.HOURS).toString()));
        String synthetic = manifest.provenance().getOrDefault(SyntheticFleet.SYNTHETIC, "");
        if (html != null) {
            TextFiles.write(html, NoisePage.of(noise, manifest.provenance().getOrDefault(FleetOutliersCommand.RULE, ""), synthetic, hosts));
            System.out.println(html);
        }
        if (metrics != null) {
            TextFiles.write(metrics, NoiseMetrics.of(noise, !synthetic.isEmpty(), hosts));
            System.out.println(metrics);
        }
        return 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.report;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.ic2.fleet.report.NoisyHosts.Noise;

/** The page for Prometheus, in its text format: for the folder of node_exporter's textfile collector, or any web server. */
public final class NoiseMetrics {
    private NoiseMetrics() {
    }

    /**
     * The page.
     *
     * @param synthetic true if the data are made up
     * @param most      hosts that are named, the noisiest first
     */
    public static String of(NoisyHosts noise, boolean synthetic, int most) throws IOException {
        PrometheusRegistry registry = new PrometheusRegistry();
        List<Noise> named = noise.hosts().subList(0, Math.min(most, noise.hosts().size()));
        gauge(registry, "ic2_fleet_synthetic", "1 if the data were generated and say nothing of real tenants", call -> call.call(synthetic ? 1 : 0));
        gauge(registry, "ic2_fleet_data_end_timestamp_seconds", "The end of the last hour that was looked at, since 1970",
                call -> call.call(noise.until().getEpochSecond()));
        gauge(registry, "ic2_fleet_hosts", "Hosts that were looked at", call -> call.call(noise.hosts().size()));
        gauge(registry, "ic2_fleet_host_tenants", "Most tenants of a host that were measured in an hour", each(named, Noise::tenants), "host");
        gauge(registry, "ic2_fleet_host_judged_seconds", "Time in which enough tenants of the host were measured", each(named, Noise::judged), "host");
        gauge(registry, "ic2_fleet_host_interference_seconds", "Time with interference on which tenants of the host agree",
                each(named, Noise::agreed), "host");
        gauge(registry, "ic2_fleet_host_slow_ratio", "Share of its tenants' time in which they were slow, not by their own load",
                each(named, Noise::slowShare), "host");
        gauge(registry, "ic2_fleet_hour_interference_ratio", "Share of the judged time of all hosts with interference, by hour of the day, UTC",
                each(noise.daytimes(), Noise::agreedShare), "hour");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void gauge(PrometheusRegistry registry, String name, String help, Consumer<GaugeWithCallback.Callback> value, String... labels) {
        GaugeWithCallback.builder().name(name).help(help).labelNames(labels).callback(value).register(registry);
    }

    private static Consumer<GaugeWithCallback.Callback> each(List<Noise> noise, java.util.function.ToDoubleFunction<Noise> value) {
        return callback -> noise.stream().filter(one -> !Double.isNaN(value.applyAsDouble(one)))
                .forEach(one -> callback.call(value.applyAsDouble(one), one.name()));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.ic2.fleet.report.NoisyHosts.Noise;
import org.ic2.training.report.Html;
import org.ic2.training.report.Plot;

/** The page for people. */
public final class NoisePage {
    private static final List<String> HEAD = List.of("tenants", "judged, h", "with interference, min", "share", "tenants slow, share",
            "worst response time, medians");

    private NoisePage() {
    }

    /**
     * The page.
     *
     * @param rule      when tenants agree, in words
     * @param synthetic what the data say of being made up; empty if they do not
     * @param lines     of the table of hosts
     */
    public static String of(NoisyHosts noise, String rule, String synthetic, int lines) {
        long agreed = noise.hosts().stream().mapToLong(Noise::agreed).sum();
        long judged = noise.hosts().stream().mapToLong(Noise::judged).sum();
        Html page = new Html("Noisiest hosts and hours");
        if (!synthetic.isEmpty()) {
            page.lead(synthetic);
        }
        page.lead(String.format(Locale.ROOT, "%d hosts until %s: tenants agree on interference in %s of the time in which they could.",
                noise.hosts().size(), noise.until(), percent(judged == 0 ? Double.NaN : (double) agreed / judged)));
        page.text("Interference is where several tenants of a host are slow in the same seconds while their own load does not rise. " + rule);
        page.section("Hosts").table(head("host"), rows(noise.hosts().subList(0, Math.min(lines, noise.hosts().size()))));
        if (noise.hosts().size() > lines) {
            page.text("... and " + (noise.hosts().size() - lines) + " quieter ones.");
        }
        double[] x = IntStream.range(0, noise.daytimes().size()).asDoubleStream().toArray();
        double[] shares = noise.daytimes().stream().mapToDouble(one -> 100 * one.agreedShare()).toArray();
        page.section("Hours of the day (UTC)").figure(new Plot("hour of the day", "time with interference, %")
                .ticks(noise.daytimes().stream().map(Noise::name).toList()).points("agreed", "#4472a8", x, shares, shares, shares).svg(),
                "Share of the judged time of all hosts with interference on which tenants agree.");
        page.table(head("hour"), rows(noise.daytimes()));
        page.section("Hours of hosts").table(head("host, hour"), rows(noise.hours()));
        return page.page();
    }

    private static List<String> head(String first) {
        return java.util.stream.Stream.concat(java.util.stream.Stream.of(first), HEAD.stream()).toList();
    }

    private static List<List<String>> rows(List<Noise> noise) {
        return noise.stream().map(one -> List.of("=" + one.name(), Integer.toString(one.tenants()),
                String.format(Locale.ROOT, "%.1f", one.judged() / 3600.0), String.format(Locale.ROOT, "%.1f", one.agreed() / 60.0),
                percent(one.agreedShare()), percent(one.slowShare()), String.format(Locale.ROOT, "%.1f", one.worst()))).toList();
    }

    private static String percent(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}

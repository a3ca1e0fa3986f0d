// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.CycleType;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Writes summary.xml: the steady state as one figure per operation, and whether it kept the limits. */
final class SummaryXml {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss zzz yyyy", Locale.US);

    private final DriverModel model;
    private final Results results;
    private final double seconds;
    private final StringBuilder body = new StringBuilder(8192);
    private boolean passed = true;

    /**
     * What is not in the results.
     *
     * @param runId number of the run
     * @param users number of users
     * @param start start of ramp-up
     * @param end   end of ramp-down
     * @param zone  zone of the dates
     */
    record Run(int runId, int users, Instant start, Instant end, ZoneId zone) {
        private String date(Instant when) {
            return DATE.format(when.atZone(zone));
        }
    }

    private SummaryXml(DriverModel model, Results results, double steadySeconds) {
        this.model = model;
        this.results = results;
        this.seconds = steadySeconds;
    }

    /**
     * The whole file.
     *
     * @param steadySeconds length of the steady state
     */
    static String format(DriverModel model, Results results, double steadySeconds, Run run) {
        return new SummaryXml(model, results, steadySeconds).format(run);
    }

    private String format(Run run) {
        long total = results.steady().stream().mapToLong(Totals::successes).sum();
        mix(total);
        responseTimes();
        delayTimes();
        String metric = "<metric unit=\"" + escape(model.metric()) + "\">" + number(seconds > 0 ? total / seconds : 0)
                + "</metric>\n";
        String start = "<startTime>" + run.date(run.start()) + "</startTime>\n";
        String end = "<endTime>" + run.date(run.end()) + "</endTime>\n";
        String verdict = "<passed>" + passed + "</passed>\n";
        String in = "        ";
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<?xml-stylesheet type=\"text/xsl\" href=\"../../xslt/summary_report.xsl\"?>\n"
                + "<!-- Written by the embedded runtime of IC2, not by Faban. -->\n"
                + "<benchResults>\n    <benchSummary name=\"" + escape(model.benchmark()) + "\" version=\""
                + escape(model.version()) + "\">\n"
                + in + "<runId>" + run.runId() + "</runId>\n" + in + start + in + end + in + metric + in + verdict
                + "    </benchSummary>\n    <driverSummary name=\"" + escape(model.name()) + "\">\n"
                + in + metric + in + start + in + end
                + in + "<totalOps unit=\"" + escape(model.opsUnit()) + "\">" + total + "</totalOps>\n"
                + in + "<users>" + run.users() + "</users>\n"
                + in + "<rtXtps>" + String.format(Locale.ROOT, "%.4f", usersByLittlesLaw()) + "</rtXtps>\n"
                + in + verdict + body + "    </driverSummary>\n</benchResults>\n";
    }

    /** Time that users are seen waiting or thinking, over the length of the steady state. */
    private double usersByLittlesLaw() {
        double sum = results.delays().stream().mapToDouble(Delays::actualSum).sum();
        if (model.cycle().type() == CycleType.THINKTIME) {
            sum += results.steady().stream().mapToDouble(Totals::sum).sum();
        }
        return seconds > 0 ? sum / seconds : 0;
    }

    private void mix(long total) {
        double[] required = model.chain().stationary();
        double allowed = model.mixDeviation() / 100;
        line(2, "<mix allowedDeviation=\"" + String.format(Locale.ROOT, "%.4f", allowed) + "\">");
        for (int i = 0; i < required.length; i++) {
            Totals totals = results.steady().get(i);
            double share = total == 0 ? 0 : (double) totals.successes() / total;
            open(i, "");
            line(4, "<successes>" + totals.successes() + "</successes>");
            line(4, "<failures>" + totals.failures() + "</failures>");
            line(4, String.format(Locale.ROOT, "<mix>%.4f</mix>", share));
            line(4, String.format(Locale.ROOT, "<requiredMix>%.4f</requiredMix>", required[i]));
            close(Math.abs(share - required[i]) <= allowed);
        }
        line(2, "</mix>");
    }

    private void responseTimes() {
        double unit = model.unitsPerSecond();
        line(2, "<responseTimes unit=\"" + model.unit().name().toLowerCase(Locale.ROOT) + "\">");
        for (int i = 0; i < model.operations().size(); i++) {
            Totals totals = results.steady().get(i);
            List<Double> limits = model.operations().get(i).limits();
            boolean ok = true;
            open(i, "");
            value("avg", totals.mean() * unit);
            value("max", totals.max() * unit);
            value("sd", totals.deviation() * unit);
            for (int p = 0; p < limits.size(); p++) {
                String nth = model.percentiles().get(p);
                double reached = results.buckets().percentile(totals.histogram, Double.parseDouble(nth));
                ok &= !(reached > limits.get(p));
                line(4, "<percentile nth=\"" + nth + "\" suffix=\"" + suffix(nth) + "\" limit=\"" + number(limits.get(p))
                        + "\">" + (Double.isNaN(reached) ? "" : number(reached)) + "</percentile>");
            }
            close(ok);
        }
        line(2, "</responseTimes>");
    }

    private void delayTimes() {
        double allowed = model.cycle().deviationPct() / 100;
        line(2, "<delayTimes>");
        for (int i = 0; i < model.operations().size(); i++) {
            Delays delays = results.delays().get(i);
            open(i, " type=\"" + model.cycle().label() + "\"");
            value("targetedAvg", delays.targetMean());
            value("actualAvg", delays.actualMean());
            value("min", delays.min());
            value("max", delays.max());
            close(!(Math.abs(delays.actualMean() - delays.targetMean()) > allowed * delays.targetMean()));
        }
        line(2, "</delayTimes>");
    }

    private void open(int operation, String attributes) {
        line(3, "<operation name=\"" + escape(model.operations().get(operation).name()) + "\"" + attributes + ">");
    }

    private void close(boolean ok) {
        passed &= ok;
        line(4, "<passed>" + ok + "</passed>");
        line(3, "</operation>");
    }

    private void value(String name, double value) {
        line(4, Double.isNaN(value) ? "<" + name + "/>" : "<" + name + ">" + number(value) + "</" + name + ">");
    }

    private void line(int depth, String text) {
        body.append("    ".repeat(depth)).append(text).append('\n');
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String suffix(String nth) {
        if (nth.endsWith("11") || nth.endsWith("12") || nth.endsWith("13")) {
            return "th";
        }
        return switch (nth.charAt(nth.length() - 1)) {
            case '1' -> "st";
            case '2' -> "nd";
            case '3' -> "rd";
            default -> "th";
        };
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}

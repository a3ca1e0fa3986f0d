// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.judge;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.ic2.fleet.store.FleetSchema;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.tree.CostMatrix;
import org.ic2.training.evaluate.Bootstrap;
import org.ic2.training.evaluate.Confusion;
import org.ic2.training.evaluate.Estimate;
import org.ic2.training.evaluate.Figures;

/**
 * How good a tree is on a fleet. Intervals (95 %) come from drawing tenants: the seconds of one tenant are alike, so the tenant is
 * what repeats.
 *
 * @param byTenant  one matrix a tenant
 * @param missRate  of all, with its interval
 * @param recall    of INTERFERENCE
 * @param precision of INTERFERENCE
 * @param alarms    share of rows without interference that are labelled INTERFERENCE
 */
public record FleetFigures(Map<String, Confusion> byTenant, Estimate missRate, Estimate recall, Estimate precision, Estimate alarms) {
    /** A tenant with fewer rows of both sides says nothing. */
    private static final long MIN_SAMPLES = 100;

    /**
     * The figures of counts.
     *
     * @param counts of {@link AnswerCounts}
     * @param answer which of the two trees: its column
     */
    public static FleetFigures of(Dataset<Row> counts, String answer, long seed) {
        return of(by(counts, FleetSchema.TENANT, answer), seed);
    }

    /** The same of one matrix a tenant. */
    static FleetFigures of(Map<String, Confusion> byTenant, long seed) {
        List<Confusion> tenants = new ArrayList<>(byTenant.values());
        Bootstrap bootstrap = new Bootstrap(seed);
        ToDoubleFunction<Confusion> recall = one -> one.recall(Label.INTERFERENCE);
        ToDoubleFunction<Confusion> precision = one -> one.precision(Label.INTERFERENCE);
        return new FleetFigures(byTenant, bootstrap.of(tenants, Confusion::missRate), bootstrap.of(tenants, recall),
                bootstrap.of(tenants, precision), bootstrap.of(tenants, Confusion::falseAlarms));
    }

    /** One matrix for each value of a column, of which there are as many as tenants, hosts or days; rows without one count as {@code ?}. */
    public static Map<String, Confusion> by(Dataset<Row> counts, String column, String answer) {
        Map<String, Confusion> result = new TreeMap<>();
        tenantsBy(counts, column, answer).forEach((name, tenants) -> result.put(name, sum(tenants)));
        return result;
    }

    /** The same, of each value one matrix a tenant. */
    public static Map<String, Map<String, Confusion>> tenantsBy(Dataset<Row> counts, String column, String answer) {
        Map<String, Map<String, Confusion>> result = new TreeMap<>();
        Iterator<Row> rows = counts.groupBy(functions.coalesce(functions.col(column), functions.lit("?")).as("value"),
                functions.col(FleetSchema.TENANT).as("of"), functions.col(AnswerCounts.TRUTH), functions.col(answer))
                .agg(functions.sum(AnswerCounts.ROWS)).toLocalIterator();
        while (rows.hasNext()) {
            Row row = rows.next();
            result.computeIfAbsent(row.getString(0), name -> new TreeMap<>()).merge(row.getString(1),
                    Confusion.of(Label.values()[row.getInt(2)], Label.values()[row.getInt(3)], row.getLong(4)), Confusion::plus);
        }
        return result;
    }

    /** All tenants together. */
    public Confusion confusion() {
        return sum(byTenant);
    }

    private static Confusion sum(Map<String, Confusion> parts) {
        return parts.values().stream().reduce(Confusion.empty(), Confusion::plus);
    }

    /** What the wrong labels of a row cost on average. */
    public static double cost(Confusion of, CostMatrix costs) {
        double sum = 0;
        double rows = 0;
        for (Label truth : Label.values()) {
            rows += of.of(truth);
            for (Label answer : Label.values()) {
                sum += of.get(truth, answer) * costs.cost(truth, answer);
            }
        }
        return rows == 0 ? Double.NaN : sum / rows;
    }

    /** The tenants whose miss rate is at least this and twice that of all, the worst first. */
    public List<String> badlyServed(double missRate) {
        double least = Math.max(missRate, 2 * confusion().missRate());
        return byTenant.entrySet().stream().filter(one -> sides(one.getValue()) >= MIN_SAMPLES && one.getValue().missRate() >= least)
                .sorted((a, b) -> Double.compare(b.getValue().missRate(), a.getValue().missRate())).map(Map.Entry::getKey).toList();
    }

    private static long sides(Confusion of) {
        return of.of(Label.INTERFERENCE) + of.of(Label.NO_INTERFERENCE);
    }

    /** For the terminal. */
    public String text() {
        Confusion all = confusion();
        StringBuilder text = new StringBuilder();
        text.append(String.format("%-18s%18s%14s%16s%n", "truth \\ label", "NO_INTERFERENCE", "TRANSIENT", "INTERFERENCE"));
        for (Label truth : Label.values()) {
            text.append(String.format("%-18s%18d%14d%16d%n", truth, all.get(truth, Label.NO_INTERFERENCE), all.get(truth, Label.TRANSIENT),
                    all.get(truth, Label.INTERFERENCE)));
        }
        return text.append(byTenant.size()).append(" tenants; 95 % intervals by drawing tenants; what is truly TRANSIENT is left out\n")
                .append(words()).toString();
    }

    /** Its four figures in lines. */
    private String words() {
        return String.format("%-14s%s%n%-14s%s%n%-14s%s%n%-14s%s%n", "miss rate", Figures.percent(missRate), "recall", Figures.percent(recall),
                "precision", Figures.percent(precision), "false alarms", Figures.percent(alarms));
    }

    /** The same in one line. */
    public String line() {
        return "miss rate " + Figures.percent(missRate) + ", recall " + Figures.percent(recall) + ", precision " + Figures.percent(precision)
                + ", false alarms " + Figures.percent(alarms) + ", of " + byTenant.size() + " tenants";
    }

    /** A table of {@link #tenantsBy}, the highest miss rates first, each figure with its interval over the tenants that the line has. */
    public static String table(String name, Map<String, Map<String, Confusion>> by, int lines, long seed) {
        StringBuilder text = new StringBuilder(String.format("%-36s%8s%14s%11s  %-24s%-24s%-24s%s%n", name, "tenants", "interference", "without",
                "miss rate", "recall", "precision", "false alarms"));
        Map<String, Confusion> sums = new TreeMap<>();
        by.forEach((value, tenants) -> sums.put(value, sum(tenants)));
        sums.entrySet().stream().sorted((a, b) -> Double.compare(rank(b.getValue()), rank(a.getValue()))).limit(lines).forEach(one -> {
            FleetFigures of = of(by.get(one.getKey()), seed);
            Confusion sum = one.getValue();
            text.append(String.format("%-36s%8d%14d%11d  %-24s%-24s%-24s%s%n", one.getKey(), of.byTenant().size(), sum.of(Label.INTERFERENCE),
                    sum.of(Label.NO_INTERFERENCE), Figures.percent(of.missRate()), Figures.percent(of.recall()), Figures.percent(of.precision()),
                    Figures.percent(of.alarms())));
        });
        return by.size() <= lines ? text.toString() : text.append("... and ").append(by.size() - lines).append(" more\n").toString();
    }

    private static double rank(Confusion of) {
        return Double.isNaN(of.missRate()) ? -1 : of.missRate();
    }
}

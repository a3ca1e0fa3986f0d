// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Faban's runtime statistics line: the C columns since the line before, the O columns over the steady state so far; one
 * value per operation, {@code -} where there is none.
 */
final class StatsLine {
    private static final double PERCENT = 90;

    private final DriverModel model;
    private final Buckets buckets;
    private final String head;

    StatsLine(DriverModel model) {
        this.model = model;
        this.buckets = Buckets.forLimit(model.largestLimit());
        this.head = model.name() + ": "
                + model.operations().stream().map(DriverModel.Operation::name).collect(Collectors.joining("/"));
    }

    /**
     * The message of one line.
     *
     * @param timeline when the phases are
     * @param interval since the line before
     * @param steady   sums over the steady state so far
     */
    String format(Timeline timeline, Interval interval, List<Totals> steady) {
        double unit = model.unitsPerSecond();
        double seconds = interval.seconds();
        double soFar = timeline.steadySeconds(interval.to());
        List<Totals> now = interval.operations();
        return decimals(timeline.elapsedSeconds(interval.to()), 2) + "s - " + head
                + column("CThru", i -> now.get(i).successes() / seconds)
                + column("OThru", i -> soFar > 0 ? steady.get(i).successes() / soFar : Double.NaN)
                + column("CErr", i -> now.get(i).failures() / seconds)
                + column("CResp", i -> now.get(i).mean() * unit)
                + column("OResp", i -> steady.get(i).mean() * unit)
                + column("CSD", i -> now.get(i).deviation() * unit)
                + column("OSD", i -> steady.get(i).deviation() * unit)
                + column("C90%Resp", percentile(now))
                + column("O90%Resp", percentile(steady));
    }

    private IntToDoubleFunction percentile(List<Totals> totals) {
        Function<Totals, Double> of = t -> buckets.percentile(t.histogram, PERCENT);
        return i -> of.apply(totals.get(i));
    }

    private String column(String name, IntToDoubleFunction value) {
        return IntStream.range(0, model.operations().size())
                .mapToObj(i -> decimals(value.applyAsDouble(i), 3))
                .collect(Collectors.joining("/", " " + name + "=", ""));
    }

    /** A number with a fixed count of decimals; {@code -} for NaN. */
    static String decimals(double value, int count) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + count + "f", value);
    }
}

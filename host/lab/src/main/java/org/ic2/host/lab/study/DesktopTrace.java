// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What desktops ask of their host, minute by minute, made up: quiet most of the time, with bursts of some minutes. The
 * paper's own traces are not published; these are scaled to its peaks.
 *
 * @param values by guest and minute
 */
record DesktopTrace(double[][] values) {
    private static final double NEAR = 1e-6;

    /**
     * Draws traces.
     *
     * @param quiet the level between bursts, of a burst's level at most
     */
    static DesktopTrace draw(SplittableRandom random, int guests, int minutes, double quiet) {
        return new DesktopTrace(IntStream.range(0, guests).mapToObj(i -> one(random, minutes, quiet)).toArray(double[][]::new));
    }

    private static double[] one(SplittableRandom random, int minutes, double quiet) {
        double[] trace = new double[minutes];
        int left = 0;
        double burst = 0;
        for (int i = 0; i < minutes; i++) {
            if (left-- <= 0) {
                boolean busy = burst == 0 && random.nextInt(3) > 0;
                burst = busy ? 0.4 + 0.6 * random.nextDouble() : 0;
                left = busy ? random.nextInt(3, 20) : random.nextInt(5, 30);
            }
            trace[i] = Math.max(quiet, burst) * (0.9 + 0.2 * random.nextDouble());
        }
        return trace;
    }

    /** The same with the sum of these guests' values, where it is greatest, brought to a value. */
    DesktopTrace withPeak(double peak, int... guests) {
        return withPeak(peak, Double.POSITIVE_INFINITY, guests);
    }

    /**
     * The same, and none of these guests asks for more than it may have, as on a host that was planned.
     *
     * @param most what each may have; all of it together is the peak at least
     */
    DesktopTrace withPeak(double peak, double most, int... guests) {
        if (!(peak <= most * guests.length)) {
            throw new IllegalArgumentException("expected a peak of at most " + guests.length + " times " + most + ", got " + peak);
        }
        DesktopTrace trace = this;
        for (double sum = greatest(guests); Math.abs(sum - peak) > NEAR * peak; sum = trace.greatest(guests)) {
            trace = trace.times(peak / sum, most, guests);
        }
        return trace;
    }

    private double greatest(int... guests) {
        return IntStream.range(0, values[0].length)
                .mapToDouble(minute -> Arrays.stream(guests).mapToDouble(guest -> values[guest][minute]).sum())
                .max().orElseThrow();
    }

    private DesktopTrace times(double factor, double most, int... guests) {
        double[][] scaled = Arrays.stream(values).map(double[]::clone).toArray(double[][]::new);
        for (int guest : guests) {
            scaled[guest] = Arrays.stream(scaled[guest]).map(value -> Math.min(most, value * factor)).toArray();
        }
        return new DesktopTrace(scaled);
    }

    /** A guest's value at a time in seconds; the last minute's beyond the end. */
    double at(int guest, double seconds) {
        return values[guest][(int) Math.min(values[guest].length - 1, seconds / 60)];
    }

    /** A guest's greatest value. */
    double most(int guest) {
        return Arrays.stream(values[guest]).max().orElseThrow();
    }
}

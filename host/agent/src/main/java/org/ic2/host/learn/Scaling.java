// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How features are made comparable before distances are taken. The paper names none; without it the network's Mbit/s decide
 * nearly alone.
 *
 * @param kind   which
 * @param mean   taken from each feature
 * @param spread by which what is left is divided; above 0
 */
public record Scaling(Kind kind, List<Double> mean, List<Double> spread) {

    /** Which scaling. */
    public enum Kind {
        /** The features as they are: the paper's arm. */
        NONE,
        /** Each feature less its mean, over its standard deviation. */
        ZSCORE;

        /** The name in files and the command. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The kind of a name. */
        public static Optional<Kind> of(String key) {
            return Stream.of(values()).filter(kind -> kind.key().equals(key)).findFirst();
        }
    }

    public Scaling {
        mean = List.copyOf(mean);
        spread = List.copyOf(spread);
        if (mean.size() != spread.size() || mean.isEmpty() || spread.stream().anyMatch(by -> !(by > 0 && Double.isFinite(by)))) {
            throw new IllegalArgumentException("scaling: expected a mean and a spread above 0 for each feature, got " + mean
                    + " and " + spread);
        }
    }

    /** The scaling of some points, at least one. A feature that is the same in all is only shifted. */
    public static Scaling fit(Kind kind, double[][] points) {
        int dimensions = points[0].length;
        List<Double> mean = columns(dimensions, i -> kind == Kind.NONE ? 0 : column(points, i).average().orElse(0));
        List<Double> spread = columns(dimensions, i -> kind == Kind.NONE ? 1 : deviation(points, i, mean.get(i)));
        return new Scaling(kind, mean, spread);
    }

    private static List<Double> columns(int dimensions, IntToDoubleFunction of) {
        return IntStream.range(0, dimensions).mapToDouble(of).boxed().toList();
    }

    private static DoubleStream column(double[][] points, int feature) {
        return Stream.of(points).mapToDouble(point -> point[feature]);
    }

    private static double deviation(double[][] points, int feature, double mean) {
        double variance = column(points, feature).map(value -> (value - mean) * (value - mean)).average().orElse(0);
        return variance > 0 ? Math.sqrt(variance) : 1;
    }

    /** Features, scaled. */
    public double[] scaled(double[] features) {
        double[] result = new double[features.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = (features[i] - mean.get(i)) / spread.get(i);
        }
        return result;
    }

    /** What was scaled, in its own units again. */
    public double[] original(double[] scaled) {
        double[] result = new double[scaled.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = scaled[i] * spread.get(i) + mean.get(i);
        }
        return result;
    }
}

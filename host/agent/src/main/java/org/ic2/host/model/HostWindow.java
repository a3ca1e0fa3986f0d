// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Consecutive samples, the newest last; at least one.
 *
 * @param samples the samples
 */
public record HostWindow(List<HostSample> samples) {
    public HostWindow {
        samples = List.copyOf(samples);
        if (samples.isEmpty()) {
            throw new IllegalArgumentException("a window: expected at least one sample");
        }
    }

    /** The newest sample. */
    public HostSample last() {
        return samples.get(samples.size() - 1);
    }

    /** The mean of a guest's values over the samples that have one, by their intervals' lengths; NaN if none has. */
    public double mean(Guest guest, GuestMetric metric) {
        return mean(sample -> sample.get(guest, metric));
    }

    /** The mean of the host's values, likewise. */
    public double mean(HostMetric metric) {
        return mean(sample -> sample.get(metric));
    }

    /** The largest of a guest's values; NaN if there is none. */
    public double max(Guest guest, GuestMetric metric) {
        return samples.stream().mapToDouble(sample -> sample.get(guest, metric)).filter(value -> !Double.isNaN(value))
                .max().orElse(Double.NaN);
    }

    private double mean(ToDoubleFunction<HostSample> of) {
        List<HostSample> with = samples.stream().filter(sample -> !Double.isNaN(of.applyAsDouble(sample))).toList();
        double length = seconds(with).sum();
        return with.isEmpty() || length <= 0 ? Double.NaN
                : with.stream().mapToDouble(sample -> of.applyAsDouble(sample) * seconds(sample)).sum() / length;
    }

    private static DoubleStream seconds(List<HostSample> samples) {
        return samples.stream().mapToDouble(HostWindow::seconds);
    }

    private static double seconds(HostSample sample) {
        return sample.interval().toNanos() / 1e9;
    }
}

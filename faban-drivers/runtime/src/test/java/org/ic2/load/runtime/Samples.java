// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What a real Faban wrote: the measure of compatibility. */
final class Samples {
    private Samples() {
    }

    static String text(String name) {
        try (InputStream in = Samples.class.getResourceAsStream("/faban/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path path(String name) {
        try {
            return Path.of(Samples.class.getResource("/faban/" + name).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static DriverModel probe() {
        try {
            return DriverModel.of(ProbeDriver.class);
        } catch (ConfigError e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sums of n response times with this mean and standard deviation, both in ms. */
    static Totals totals(long n, double mean, double deviation, Buckets buckets) {
        Totals totals = new Totals();
        long pairs = n / 2;
        double away = n < 2 ? 0 : deviation * Math.sqrt((n - 1) / (2.0 * pairs));
        for (long i = 0; i < n; i++) {
            double ms = i == 2 * pairs ? mean : mean + (i % 2 == 0 ? away : -away);
            totals.success(ms / 1000);
            totals.histogram[buckets.indexOf(ms)]++;
        }
        return totals;
    }
}

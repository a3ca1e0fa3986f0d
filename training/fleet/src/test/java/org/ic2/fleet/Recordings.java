// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.SamplesCsv;

/** Made-up recordings whose right answer is known: a neighbour takes a tenth of the CPU or more, and a quiet host hardly any. */
public final class Recordings {
    /** When they begin. */
    public static final Instant BEGIN = Instant.parse("2026-05-07T12:00:00Z");

    private Recordings() {
    }

    /**
     * Samples of a tenant: quiet and disturbed minutes in turn.
     *
     * @param steal   false: its sensor of steal is missing
     * @param truth   false: nobody knows the labels
     */
    public static List<Sample> samples(long seed, int count, boolean steal, boolean truth) {
        Random random = new Random(seed);
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean disturbed = i / 60 % 2 == 1;
            Label label = i % 60 < 3 && i >= 60 ? Label.TRANSIENT : disturbed ? Label.INTERFERENCE : Label.NO_INTERFERENCE;
            double stolen = disturbed ? 0.1 + 0.1 * random.nextDouble() : 0.01 * random.nextDouble();
            Sample.Builder sample = Sample.at(BEGIN.plusSeconds(i)).set(Metric.RESPONSE_TIME, 0.03 + 0.06 * random.nextDouble())
                    .set(Metric.THROUGHPUT, 90 + 20 * random.nextDouble()).set(Metric.REQUESTS, 100)
                    .set(Metric.CPU_UTIL, 0.4 + 0.3 * random.nextDouble()).set(Metric.MITIGATION, 0);
            samples.add((steal ? sample.set(Metric.STEAL, stolen) : sample).label(truth ? label : null).build());
        }
        return samples;
    }

    /** The lines of a recording. */
    public static List<String> lines(List<Sample> samples) {
        List<String> lines = new ArrayList<>(List.of(SamplesCsv.header()));
        samples.forEach(sample -> lines.add(SamplesCsv.line(sample)));
        return lines;
    }

    /** Writes one, compressed if its name says so. */
    public static Path write(Path file, List<String> lines) throws IOException {
        Files.createDirectories(file.getParent());
        byte[] text = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        try (OutputStream out = Files.newOutputStream(file)) {
            if (file.toString().endsWith(".gz")) {
                try (GZIPOutputStream zipped = new GZIPOutputStream(out)) {
                    zipped.write(text);
                }
            } else {
                out.write(text);
            }
        }
        return file;
    }

    /** A fleet of tenants on two hosts, the last of which has no sensor of steal. */
    public static Path fleet(Path folder, int tenants, int samples) throws IOException {
        for (int i = 0; i < tenants; i++) {
            write(folder.resolve("application=shop/host=h" + i % 2 + "/tenant=t" + i + "/day.csv.gz"),
                    lines(samples(i, samples, i < tenants - 1, true)));
        }
        return folder;
    }
}

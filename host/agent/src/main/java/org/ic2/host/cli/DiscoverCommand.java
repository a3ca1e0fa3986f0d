// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.DoubleStream;
import org.ic2.host.learn.Discoverer;
import org.ic2.host.learn.HostFeatures;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.learn.Region;
import org.ic2.host.learn.Scaling;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.SampleJson;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ic2-host discover}: the regions of load in recordings. */
@Command(name = "discover", mixinStandardHelpOptions = true,
        description = "Finds the regions of load in recordings by k-means, takes the number with the largest mean silhouette, and"
                + " writes them to a library.")
final class DiscoverCommand implements Callable<Integer> {

    private static final int LEAST = 2;
    private static final int MOST = 100;

    @Parameters(paramLabel = "RECORDING", arity = "1..*", description = "What \"run --record\" wrote.")
    private List<Path> recordings;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE", required = true, description = "The library to write.")
    private Path output;

    @Option(names = "--k", paramLabel = "LEAST..MOST", defaultValue = "3..10",
            description = "How many regions to try; default ${DEFAULT-VALUE}.")
    private String range;

    @Option(names = "--scaling", paramLabel = "KIND", defaultValue = "zscore",
            description = "none: as measured, the paper's arm; zscore: by mean and spread. Default ${DEFAULT-VALUE}.")
    private String scaling;

    @Option(names = "--window", paramLabel = "TIME", defaultValue = "15s",
            description = "Points are means over so much time, as the observer looks at it; default ${DEFAULT-VALUE}.")
    private String window;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Of the first centres; default ${DEFAULT-VALUE}.")
    private long seed;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (!range.matches("\\d{1,3}\\.\\.\\d{1,3}")) {
            throw new ConfigException("--k: expected LEAST..MOST such as 3..10, got \"" + range + "\"");
        }
        int least = Integer.parseInt(range.substring(0, range.indexOf('.')));
        int most = Integer.parseInt(range.substring(range.lastIndexOf('.') + 1));
        if (least < LEAST || most < least || most > MOST) {
            throw new ConfigException("--k: expected numbers from " + LEAST + " to " + MOST + ", the least first, got \"" + range + "\"");
        }
        Scaling.Kind kind = Scaling.Kind.of(scaling).orElseThrow(() ->
                new ConfigException("--scaling: expected none or zscore, got \"" + scaling + "\""));
        Duration length = length();
        List<double[]> points = new ArrayList<>();
        for (Path recording : recordings) {
            read(recording, length, points);
        }
        Discoverer.Found found = found(points, kind, least, most);
        ResultFile.write(output, LibraryJson.write(found.library()));
        PrintWriter out = spec.commandLine().getOut();
        out.println(points.size() + " points of " + window);
        found.silhouettes().forEach((k, mean) -> out.printf(Locale.ROOT, "k = %d: mean silhouette %.3f%n", k, mean));
        for (Region region : found.library().regions()) {
            out.println(region.describe());
        }
        out.println("written to " + output);
        out.flush();
        return 0;
    }

    private Duration length() throws ConfigException {
        try {
            return Durations.parse(window);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--window: " + e.getMessage(), e);
        }
    }

    private Discoverer.Found found(List<double[]> points, Scaling.Kind kind, int least, int most) throws IOException {
        try {
            return Discoverer.discover(points.toArray(double[][]::new), kind, least, most, seed);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void read(Path recording, Duration length, List<double[]> points) throws IOException {
        int number = 0;
        List<HostSample> samples = new ArrayList<>();
        Duration passed = Duration.ZERO;
        try (BufferedReader lines = Files.newBufferedReader(recording, StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                JsonNode json = Json.read(line);
                if (json.has("v") && number == 1) {
                    continue;
                }
                samples.add(SampleJson.read(json));
                passed = passed.plus(samples.get(samples.size() - 1).interval());
                if (passed.compareTo(length) < 0) {
                    continue;
                }
                double[] features = HostFeatures.of(new HostWindow(samples));
                samples.clear();
                passed = Duration.ZERO;
                if (DoubleStream.of(features).noneMatch(Double::isNaN)) {
                    points.add(features);
                }
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IOException(recording + ":" + number + ": expected a line of a recording: " + e.getMessage(), e);
        }
    }
}

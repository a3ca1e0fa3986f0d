// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The noisy neighbour of a run.
 *
 * @param program   its command line, {@code dcopy --size 20MB --threads 2}
 * @param placement {@code same-core} or {@code other-core}
 * @param schedule  {@code 60s off, 60s on}, repeated; the first phase begins when its memory is touched
 */
public record NeighbourPlan(String program, String placement, String schedule) {
    private static final List<String> PROGRAMS = List.of("dcopy", "llcprobe", "stress-ng");

    public NeighbourPlan {
        if (!placement.equals("same-core") && !placement.equals("other-core")) {
            throw new IllegalArgumentException("neighbour: expected the placement same-core or other-core, got '" + placement
                    + "'");
        }
        String name = program.strip().split("\\s+")[0];
        if (!PROGRAMS.contains(name)) {
            throw new IllegalArgumentException("neighbour: expected one of " + String.join(", ", PROGRAMS)
                    + " with its options, got '" + program + "'");
        }
    }

    /** The same with its schedule played once, from a moment on. */
    List<String> words(String log, Instant begin, Duration length) {
        List<String> words = new ArrayList<>(List.of("--start-at", String.format(Locale.ROOT, "%.3f", begin.toEpochMilli() / 1000.0), "--duration",
                length.toMillis() + "ms"));
        words.addAll(words(log));
        return words;
    }

    List<String> words(String log) {
        List<String> words = new ArrayList<>(List.of("--placement", placement, "-s", schedule, "--log", log, "--"));
        words.addAll(Arrays.asList(program.strip().split("\\s+")));
        return words;
    }
}

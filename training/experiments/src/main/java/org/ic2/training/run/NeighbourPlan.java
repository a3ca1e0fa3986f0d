// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The noisy neighbour of a run.
 *
 * @param program   its command line, {@code dcopy --size 20MB --threads 2} or that of any other program
 * @param placement {@code same-core} or {@code other-core}
 * @param schedule  {@code 60s off, 60s on}, repeated; the first phase begins when its memory is touched
 */
public record NeighbourPlan(String program, String placement, String schedule) {
    /** Words, as a shell takes them: of anything but spaces and quotes, or within quotes. */
    private static final Pattern WORD = Pattern.compile("\\G\\s*((?:[^\\s'\"]|'[^']*'|\"[^\"]*\")+)\\s*");
    private static final Pattern QUOTED = Pattern.compile("'([^']*)'|\"([^\"]*)\"");

    public NeighbourPlan {
        if (!placement.equals("same-core") && !placement.equals("other-core")) {
            throw new IllegalArgumentException("neighbour: expected the placement same-core or other-core, got '" + placement
                    + "'");
        }
        split(program);
    }

    /**
     * A command line in words, of which the first is the program.
     *
     * @throws IllegalArgumentException if there is none, or a quote has no end
     */
    static List<String> split(String command) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command);
        int end = 0;
        while (matcher.find()) {
            words.add(QUOTED.matcher(matcher.group(1)).replaceAll(found -> Matcher.quoteReplacement(found.group(1) == null
                    ? found.group(2) : found.group(1))));
            end = matcher.end();
        }
        if (words.isEmpty() || end < command.length()) {
            throw new IllegalArgumentException("neighbour: expected a program with its options, each quote with its end, got '" + command + "'");
        }
        return words;
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
        words.addAll(split(program));
        return words;
    }
}

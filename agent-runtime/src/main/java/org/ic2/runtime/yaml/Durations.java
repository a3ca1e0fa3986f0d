// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: a number and its unit. */
public final class Durations {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)(ms|s|m|min|h|d)");

    /** So that nanoseconds fit into a long wherever a duration goes. */
    private static final int MOST_DAYS = 3650;

    private Durations() {
    }

    /**
     * Reads {@code 500ms}, {@code 1s}, {@code 0.5s}, {@code 10m}, {@code 2h}, {@code 1d}; resolution 1 ms, at most ten years.
     *
     * @throws IllegalArgumentException when the number or the unit is missing
     */
    public static Duration parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "expected a duration with its unit, such as 500ms, 5s, 10m or 1h, got \"" + text + "\"");
        }
        double unitMillis = switch (form.group(2)) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m", "min" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
        };
        double millis = Double.parseDouble(form.group(1)) * unitMillis;
        if (millis != Math.rint(millis)) {
            throw new IllegalArgumentException("expected whole milliseconds, got \"" + text + "\"");
        }
        if (millis > MOST_DAYS * 86_400_000.0) {
            throw new IllegalArgumentException("expected at most " + MOST_DAYS + "d, got \"" + text + "\"");
        }
        return Duration.ofMillis((long) millis);
    }

    /** The shortest form that {@link #parse} reads back. */
    public static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 60_000 == 0 && millis > 0) {
            return millis % 3_600_000 == 0 ? millis / 3_600_000 + "h" : millis / 60_000 + "m";
        }
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}

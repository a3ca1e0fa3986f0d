// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;

/** The value of an option {@code --since}: a time, or a duration up to now. */
public final class SinceTime {

    private SinceTime() {
    }

    /** The time that a text means now. */
    public static Instant of(String text) throws ConfigException {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            try {
                return Instant.now().minus(Durations.parse(text));
            } catch (IllegalArgumentException notDuration) {
                throw new ConfigException("--since: expected a time such as 2026-01-31T12:00:00Z or a duration such as"
                        + " 10m, got \"" + text + "\"", notDuration);
            }
        }
    }
}

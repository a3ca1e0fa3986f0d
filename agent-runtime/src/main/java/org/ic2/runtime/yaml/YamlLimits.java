// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;

/**
 * What a YAML file may be before it is read into memory as a whole: looked at one event after the other, because its size
 * there would be that of our memory and its depth that of our stack. Files that people write have a hundredth of it.
 */
final class YamlLimits {

    private static final int LONGEST_TEXT = 128 * 1024;
    private static final int MOST_VALUES = 10_000;
    private static final int DEEPEST = 20;

    private YamlLimits() {
    }

    static void check(String file, LoadSettings settings, String text) throws ConfigException {
        if (text.length() > LONGEST_TEXT) {
            throw new ConfigException(file + ":1: expected at most " + LONGEST_TEXT / 1024 + " KB, got "
                    + text.length() / 1024);
        }
        int depth = 0;
        int values = 0;
        for (Event event : new Parse(settings).parseString(text)) {
            Event.ID kind = event.getEventId();
            boolean opens = kind == Event.ID.MappingStart || kind == Event.ID.SequenceStart;
            depth += opens ? 1 : kind == Event.ID.MappingEnd || kind == Event.ID.SequenceEnd ? -1 : 0;
            values += opens || kind == Event.ID.Scalar ? 1 : 0;
            int line = event.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
            if (depth > DEEPEST) {
                throw new ConfigException(file + ":" + line + ": nested more than " + DEEPEST + " deep");
            }
            if (values > MOST_VALUES) {
                throw new ConfigException(file + ":" + line + ": more than " + MOST_VALUES + " keys and values");
            }
        }
    }
}

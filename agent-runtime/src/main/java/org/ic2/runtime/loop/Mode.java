// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.util.Locale;

/** How far the agent goes. */
public enum Mode {
    /** Only measures, and writes down what it makes of it. */
    OBSERVE,
    /** Also says what it would do. */
    ADVISE,
    /** Does it. */
    ACT;

    /** Reads the word of the configuration file and the command line. */
    public static Mode parse(String text) {
        return switch (text) {
            case "observe" -> OBSERVE;
            case "advise" -> ADVISE;
            case "act" -> ACT;
            default -> throw new IllegalArgumentException("expected observe, advise or act, got \"" + text + "\"");
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.terminal;

import java.util.Locale;
import java.util.Map;

/**
 * What a terminal can show.
 *
 * @param colour  whether it has colours, and may use them
 * @param unicode whether it has more than ASCII
 */
public record Ink(boolean colour, boolean unicode) {

    private static final String RESET = "\u001b[0m";

    /** What a colour stands for, with its number. */
    public enum Hue {
        /** Nothing in particular. */
        PLAIN(""),
        /** A heading. */
        STRONG("1"),
        /** What is only there to be looked up. */
        FAINT("90"),
        /** As it should be. */
        GOOD("32"),
        /** On the way to or from it. */
        FAIR("33"),
        /** What hurts. */
        BAD("31"),
        /** A quantity that is neither good nor bad. */
        COOL("36"),
        /** A person's doing. */
        PERSON("35");

        private final String code;

        Hue(String code) {
            this.code = code;
        }
    }

    /** Of the environment's variables: TERM, NO_COLOR, COLORTERM and those of the locale. */
    public static Ink of(Map<String, String> environment) {
        String terminal = environment.getOrDefault("TERM", "");
        boolean without = !environment.getOrDefault("NO_COLOR", "").isEmpty() || terminal.isEmpty() || terminal.equals("dumb");
        boolean has = environment.containsKey("COLORTERM") || !terminal.startsWith("vt") && !terminal.endsWith("-m")
                && !terminal.contains("mono");
        return new Ink(has && !without, unicode(environment));
    }

    /** The first of the three that is not empty counts, as POSIX has it. */
    private static boolean unicode(Map<String, String> environment) {
        for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
            String locale = environment.getOrDefault(name, "");
            if (!locale.isEmpty()) {
                return locale.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
            }
        }
        return false;
    }

    /** What ends a text that was cut. */
    public String ellipsis() {
        return unicode ? "\u2026" : "...";
    }

    /** The text in a colour. */
    String paint(String text, Hue hue) {
        return !colour || hue == Hue.PLAIN || text.isEmpty() ? text : "\u001b[" + hue.code + "m" + text + RESET;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.application;

import java.util.List;
import java.util.regex.Pattern;

/** Lines of httpd's configuration that say what they seem to say. */
final class HttpdLine {

    /** Words that httpd takes as they are, without quotation marks. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./*:,=@~-]+");
    private static final Pattern FORBIDDEN = Pattern.compile("[\\p{Cntrl}$]");

    private HttpdLine() {
    }

    /** A directive with arguments, each of them one word to httpd. */
    static String of(String directive, List<String> arguments) {
        StringBuilder line = new StringBuilder(directive);
        arguments.forEach(argument -> line.append(' ').append(word(argument)));
        return line.toString();
    }

    /**
     * An argument.
     *
     * @throws IllegalArgumentException where httpd would read something else: control characters, and a $, which begins a variable
     */
    static String word(String argument) {
        return PLAIN.matcher(argument).matches() ? argument : quoted(argument);
    }

    /** The same, in quotation marks always. */
    static String quoted(String argument) {
        if (FORBIDDEN.matcher(argument).find()) {
            throw new IllegalArgumentException("expected text without control characters and $, got \"" + argument + "\"");
        }
        return "\"" + argument.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}

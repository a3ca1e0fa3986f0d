// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One setting per line in a text file, found and replaced without touching anything else. */
final class DirectiveFile {

    private final Pattern line;
    private final String separator;
    private final String key;

    /**
     * @param separator between key and value: a blank for httpd, {@code =} for php-fpm
     */
    DirectiveFile(String key, String separator) {
        this.key = key;
        this.separator = separator;
        String between = separator.equals(" ") ? "\\s+" : "\\s*" + separator + "\\s*";
        line = Pattern.compile("^\\s*" + Pattern.quote(key) + between + "(\\S+)\\s*$", Pattern.CASE_INSENSITIVE);
    }

    /** The value of the last line that sets the key, which is the one that counts. */
    Optional<String> value(String text) {
        String value = null;
        for (String candidate : text.split("\n", -1)) {
            Matcher matcher = line.matcher(candidate);
            if (matcher.matches()) {
                value = matcher.group(1);
            }
        }
        return Optional.ofNullable(value);
    }

    /** The text with the last such line changed, or with one more line when there is none. */
    String with(String text, String value) {
        List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
        String fresh = key + (separator.equals(" ") ? " " : " " + separator + " ") + value;
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (line.matcher(lines.get(i)).matches()) {
                lines.set(i, fresh);
                return String.join("\n", lines);
            }
        }
        return text + (text.isEmpty() || text.endsWith("\n") ? "" : "\n") + fresh + "\n";
    }
}

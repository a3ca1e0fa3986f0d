// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

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
        return last(text).map(Place::value);
    }

    /** The text with the last such line changed, or with one more line when there is none. */
    String with(String text, String value) {
        String fresh = key + (separator.equals(" ") ? " " : " " + separator + " ") + value;
        return last(text).map(place -> text.substring(0, place.start) + fresh + text.substring(place.end))
                .orElseGet(() -> text + (text.isEmpty() || text.endsWith("\n") ? "" : "\n") + fresh + "\n");
    }

    /** A line that sets the key. */
    private record Place(int start, int end, String value) {
    }

    private Optional<Place> last(String text) {
        Place last = null;
        int end;
        for (int start = 0; start <= text.length(); start = end + 1) {
            int newline = text.indexOf('\n', start);
            end = newline < 0 ? text.length() : newline;
            Matcher matcher = line.matcher(text).region(start, end);
            if (matcher.matches()) {
                last = new Place(start, end, matcher.group(1));
            }
        }
        return Optional.ofNullable(last);
    }
}

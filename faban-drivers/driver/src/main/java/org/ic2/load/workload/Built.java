// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a page was built, by what it says itself; a page from a store keeps what it said then.
 *
 * @param millis epoch ms
 */
public record Built(long millis) {
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,12})\\.(\\d{3})");

    /**
     * Reads epoch seconds with milliseconds, such as {@code 1760000000.123}.
     *
     * @param where what was asked for, for the refusal
     * @param text  null when the page says nothing
     * @throws PageError when it is something else
     */
    public static Built ofSeconds(String where, String text) throws PageError {
        Matcher m = SECONDS.matcher(text == null ? "" : text);
        if (!m.matches()) {
            throw new PageError(where + ": expected X-Built SECONDS.MILLISECONDS, got " + (text == null ? "none" : text));
        }
        return new Built(1000 * Long.parseLong(m.group(1)) + Long.parseLong(m.group(2)));
    }

    /** How long before {@code sent} (epoch ms) the page was built, seconds; 0 when it was built afterwards. */
    public double ageAt(long sent) {
        return Math.max(0, sent - millis) / 1000.0;
    }
}

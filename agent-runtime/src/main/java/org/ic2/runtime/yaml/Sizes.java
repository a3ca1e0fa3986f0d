// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes of memory as people write them: a whole number and its unit. */
public final class Sizes {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(KiB|MiB|GiB|TiB)");
    private static final String UNITS = "KMGT";

    /** A thousand times what machines have. */
    private static final int MOST_TEBIBYTES = 65_536;

    private Sizes() {
    }

    /**
     * Reads {@code 512KiB}, {@code 256MiB}, {@code 4GiB}, {@code 1TiB}; at most 65536 TiB.
     *
     * @return bytes
     * @throws IllegalArgumentException when the number or the unit is missing
     */
    public static long parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("expected a whole number with its unit KiB, MiB, GiB or TiB, such as 256MiB, got \""
                    + text + "\"");
        }
        int shift = 10 * (UNITS.indexOf(form.group(2).charAt(0)) + 1);
        long number = Long.parseLong(form.group(1));
        if (number > (long) MOST_TEBIBYTES << 40 >> shift) {
            throw new IllegalArgumentException("expected at most " + MOST_TEBIBYTES + "TiB, got \"" + text + "\"");
        }
        return number << shift;
    }

    /** The shortest form that {@link #parse} reads back; what is no whole number of KiB is rounded down. */
    public static String format(long bytes) {
        int unit = 0;
        long number = bytes >> 10;
        while (unit < UNITS.length() - 1 && number != 0 && number % 1024 == 0) {
            number >>= 10;
            unit++;
        }
        return number + UNITS.substring(unit, unit + 1) + "iB";
    }
}

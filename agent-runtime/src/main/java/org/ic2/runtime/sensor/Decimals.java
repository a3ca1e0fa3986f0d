// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

/**
 * Checks of short words without regular expressions: at one turn a second Java seldom gets to compile the code, and a
 * pattern built anew for each word was most of the agent's CPU.
 */
public final class Decimals {

    private Decimals() {
    }

    /** True for 1 to {@code most} decimal digits. */
    public static boolean are(String text, int most) {
        int length = text.length();
        if (length == 0 || length > most) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** True for a decimal number without sign and exponent: digits, then perhaps a point and more digits. */
    public static boolean areNumber(String text) {
        int point = text.indexOf('.');
        return point < 0 ? are(text, 15)
                : are(text.substring(0, point), 15) && are(text.substring(point + 1), 9);
    }
}

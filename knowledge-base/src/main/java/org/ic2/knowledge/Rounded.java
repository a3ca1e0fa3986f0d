// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.math.BigDecimal;

/** Numbers for people. */
public final class Rounded {
    private static final double HUGE = 1e15;
    private static final double TINY = 1e-12;

    private Rounded() {
    }

    /** Three significant digits without an exponent, as far as that can be read; {@code missing} for NaN. */
    public static String of(double value) {
        return of(value, 3);
    }

    /** The same with four digits, for the tables of the commands. */
    public static String four(double value) {
        return of(value, 4);
    }

    private static String of(double value, int significant) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "missing";
        }
        if (size >= HUGE || size > 0 && size < TINY) {
            return Double.toString(value);
        }
        if (size >= Math.pow(10, significant) || size == 0) {
            return Long.toString(Math.round(value));
        }
        int decimals = significant - 1 - (int) Math.floor(Math.log10(size));
        long digits = Math.round(value * Math.pow(10, decimals));
        return BigDecimal.valueOf(digits, decimals).stripTrailingZeros().toPlainString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.math.BigDecimal;

/** Numbers for people. */
public final class Rounded {
    private static final int DIGITS = 3;
    private static final double HUGE = 1e15;
    private static final double TINY = 1e-12;

    private Rounded() {
    }

    /** Three significant digits without an exponent, as far as that can be read; {@code missing} for NaN. */
    public static String of(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "missing";
        }
        if (size >= HUGE || size > 0 && size < TINY) {
            return Double.toString(value);
        }
        if (size >= 1000 || size == 0) {
            return Long.toString(Math.round(value));
        }
        int decimals = DIGITS - 1 - (int) Math.floor(Math.log10(size));
        long digits = Math.round(value * Math.pow(10, decimals));
        return BigDecimal.valueOf(digits, decimals).stripTrailingZeros().toPlainString();
    }
}

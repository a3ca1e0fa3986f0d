// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers for people. */
public final class Rounded {
    private static final MathContext DIGITS = new MathContext(3);

    private Rounded() {
    }

    /** Three significant digits, no exponent, no trailing zeros; {@code missing} for NaN. */
    public static String of(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "missing" : Double.toString(value);
        }
        if (Math.abs(value) >= 1000 || value == 0) {
            return Long.toString(Math.round(value));
        }
        return new BigDecimal(value).round(DIGITS).stripTrailingZeros().toPlainString();
    }
}

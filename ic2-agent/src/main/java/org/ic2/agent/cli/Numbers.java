// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers for people: four significant digits, no exponent. */
final class Numbers {

    private static final MathContext DIGITS = new MathContext(4);

    private Numbers() {
    }

    static String of(double value) {
        if (!Double.isFinite(value)) {
            return "missing";
        }
        BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
        return rounded.scale() > 9 ? Double.toString(rounded.doubleValue()) : rounded.toPlainString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoundedTest {
    @ParameterizedTest
    @CsvSource({"0.123456,0.123", "1234.6,1235", "0,0", "5,5", "0.00052349,0.000523", "NaN,missing",
        "Infinity,Infinity", "99.96,100", "-0.25,-0.25", "0.9996,1", "999.6,1000", "12.34,12.3", "1e300,1.0E300",
        "1e-300,1.0E-300", "0.001,0.001", "1e-9,0.000000001"})
    void threeSignificantDigits(double value, String text) {
        assertThat(Rounded.of(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0.123456,0.1235", "1234.6,1235", "12345.6,12346", "0,0", "99.996,100", "-0.25,-0.25", "NaN,missing"})
    void fourSignificantDigits(double value, String text) {
        assertThat(Rounded.four(value)).isEqualTo(text);
    }
}

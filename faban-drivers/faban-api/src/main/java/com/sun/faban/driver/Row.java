// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** One row of a {@link MatrixMix}. */
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Row {
    /** Weights; they need not add up to one. */
    double[] value();
}

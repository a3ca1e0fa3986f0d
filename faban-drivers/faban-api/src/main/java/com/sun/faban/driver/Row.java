// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** One row of a {@link MatrixMix}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.ANNOTATION_TYPE)
public @interface Row {
    /** Weights; they need not add up to one. */
    double[] value();
}

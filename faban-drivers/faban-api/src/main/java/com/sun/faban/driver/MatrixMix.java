// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The mix as a Markov chain: row i holds the weights of the operations that may follow operation i. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface MatrixMix {
    /** Names of the operations, in the order of rows and columns. */
    String[] operations() default {};

    /** One row per operation. */
    Row[] mix();

    /** Allowed deviation of the realised mix, percentage points. */
    double deviation() default 2;
}

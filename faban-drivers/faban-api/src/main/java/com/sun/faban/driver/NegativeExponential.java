// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Negative-exponentially distributed cycle or think times, in milliseconds. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface NegativeExponential {
    /** From where the time counts. */
    CycleType cycleType() default CycleType.CYCLETIME;

    /** Smallest time, ms. */
    int cycleMin() default 0;

    /** Whether smaller values are set to the smallest (else the distribution starts there). */
    boolean truncateAtMin() default true;

    /** Mean of the distribution before it is clipped, ms. */
    int cycleMean() default 1000;

    /** Largest time, ms; larger values are set to it; -1 means five times the mean. */
    int cycleMax() default -1;

    /** Allowed deviation of the realised mean, percent. */
    double cycleDeviation();
}

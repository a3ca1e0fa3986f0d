// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a public method without arguments as an operation of the driver. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface BenchmarkOperation {
    /** Name of the operation; empty means the name of the method. */
    String name() default "";

    /** One limit per percentile of the driver, in its response-time unit. */
    double[] percentileLimits() default {};

    /** Limit of the 90th percentile for drivers without a list of percentiles; -1 means none. */
    double max90th() default -1;

    /** Who measures the response time. */
    Timing timing() default Timing.AUTO;

    /** Whether the operation counts to the metric. */
    boolean countToMetric() default true;
}

// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/** Marks a driver class: one instance of it is one emulated user. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BenchmarkDriver {
    /** Name of the driver; empty means the simple name of the class. */
    String name() default "";

    /** Unit of the driver's result. */
    String metric() default "ops/sec";

    /** Unit of the operation count. */
    String opsUnit() default "operations";

    /** Users per unit of scale. */
    float threadPerScale() default 1;

    /** Percentiles to report, for example {@code "90"}; each operation gives one limit for each. */
    String[] percentiles() default {};

    /** Unit of response times and of their limits. */
    TimeUnit responseTimeUnit() default TimeUnit.SECONDS;
}

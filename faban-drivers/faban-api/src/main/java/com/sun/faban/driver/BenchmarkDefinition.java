// SPDX-License-Identifier: Apache-2.0
package com.sun.faban.driver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks the class that defines a benchmark. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BenchmarkDefinition {
    /** Name of the benchmark. */
    String name();

    /** Version of the benchmark. */
    String version();

    /** Driver classes; empty when the defining class is the only driver. */
    Class<?>[] drivers() default {};

    /** How the length of a run is given. */
    RunControl runControl() default RunControl.TIME;

    /** Unit of the result. */
    String metric() default "ops/sec";

    /** What the scale counts. */
    String scaleName() default "";

    /** Unit of the scale. */
    String scaleUnit() default "";

    /** Longest run, hours. */
    int maxRunTime() default 6;

    /** Whether the configuration file may override the annotations. */
    boolean configPrecedence() default false;
}

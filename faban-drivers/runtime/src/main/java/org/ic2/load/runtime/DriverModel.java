// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.BenchmarkDefinition;
import com.sun.faban.driver.BenchmarkDriver;
import com.sun.faban.driver.BenchmarkOperation;
import com.sun.faban.driver.MatrixMix;
import com.sun.faban.driver.NegativeExponential;
import com.sun.faban.driver.Row;
import com.sun.faban.driver.RunControl;
import com.sun.faban.driver.Timing;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the annotations of a driver class say.
 *
 * @param constructor    makes one user
 * @param benchmark      name of the benchmark
 * @param version        its version
 * @param metric         unit of the result
 * @param name           name of the driver
 * @param opsUnit        unit of the operation count
 * @param threadPerScale users per unit of scale
 * @param unit           unit of response times in Faban's formats
 * @param percentiles    percentiles to report
 * @param operations     operations in the order of the matrix
 * @param chain          the mix
 * @param mixDeviation   allowed deviation of the realised mix, percentage points
 * @param cycle          delays between operations that have none of their own
 */
record DriverModel(Constructor<?> constructor, String benchmark, String version, String metric, String name,
                   String opsUnit, float threadPerScale, TimeUnit unit, List<String> percentiles,
                   List<Operation> operations, MatrixChain chain, double mixDeviation, CycleTimes cycle) {

    /**
     * One operation.
     *
     * @param name   its name in all reports
     * @param method what runs it
     * @param limits one limit for each percentile of the driver, in the driver's unit
     * @param cycle  the delay until the next operation: its own, or the driver's
     */
    record Operation(String name, Method method, List<Double> limits, CycleTimes cycle) {
    }

    /**
     * Reads the annotations.
     *
     * @throws ConfigError when something that this runtime needs is missing, or something is asked for that it cannot do
     */
    static DriverModel of(Class<?> type) throws ConfigError {
        BenchmarkDefinition definition = required(type, BenchmarkDefinition.class);
        BenchmarkDriver driver = required(type, BenchmarkDriver.class);
        MatrixMix mix = required(type, MatrixMix.class);
        if (definition.runControl() != RunControl.TIME) {
            throw new ConfigError(type.getName() + ": runControl: expected TIME, got " + definition.runControl());
        }
        if (driver.percentiles().length == 0) {
            throw new ConfigError(type.getName() + ": @BenchmarkDriver(percentiles): expected at least one, got none");
        }
        CycleTimes cycle = CycleTimes.of(required(type, NegativeExponential.class));
        List<Operation> operations = operations(type, mix, driver.percentiles().length, cycle);
        MatrixChain chain = new MatrixChain(Arrays.stream(mix.mix()).map(Row::value).toArray(double[][]::new));
        if (chain.size() != operations.size()) {
            throw new ConfigError(type.getName() + ": @MatrixMix: expected " + operations.size()
                    + " rows (one per operation), got " + chain.size());
        }
        return new DriverModel(constructor(type), definition.name(), definition.version(), definition.metric(),
                driver.name().isEmpty() ? type.getSimpleName() : driver.name(), driver.opsUnit(),
                driver.threadPerScale(), driver.responseTimeUnit(), List.of(driver.percentiles()), operations, chain,
                mix.deviation(), cycle);
    }

    /** With other delays; those that operations have of their own keep their ratio to the driver's. */
    DriverModel withCycle(CycleTimes other) {
        double factor = other.meanMs() / cycle.meanMs();
        List<Operation> changed = operations.stream().map(o -> new Operation(o.name(), o.method(), o.limits(), o.cycle().equals(cycle)
                ? other : o.cycle().withMean(factor * o.cycle().meanMs()).withType(other.type()))).toList();
        return new DriverModel(constructor, benchmark, version, metric, name, opsUnit, threadPerScale, unit, percentiles,
                changed, chain, mixDeviation, other);
    }

    /** Largest limit of any operation, in the driver's unit: it sets the width of Faban's buckets. */
    double largestLimit() {
        return operations.stream().flatMap(o -> o.limits().stream()).mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** Seconds times this is a response time in the driver's unit. */
    double unitsPerSecond() {
        return (double) TimeUnit.SECONDS.toNanos(1) / unit.toNanos(1);
    }

    private static List<Operation> operations(Class<?> type, MatrixMix mix, int percentiles, CycleTimes cycle) throws ConfigError {
        Map<String, Operation> byName = new HashMap<>();
        for (Method method : type.getMethods()) {
            BenchmarkOperation a = method.getAnnotation(BenchmarkOperation.class);
            if (a == null) {
                continue;
            }
            String name = a.name().isEmpty() ? method.getName() : a.name();
            String where = type.getName() + "." + method.getName() + ": ";
            check(a.timing() == Timing.MANUAL, where + "timing: expected MANUAL (AUTO needs Faban's own transports), got "
                    + a.timing());
            check(method.getParameterCount() == 0 && !Modifier.isStatic(method.getModifiers()),
                    where + "expected an instance method without arguments");
            check(!name.isEmpty() && name.chars().noneMatch(c -> c == '/' || c <= ' '),
                    where + "expected a name without blanks and slashes, got '" + name + "'");
            check(a.percentileLimits().length == percentiles, where + "percentileLimits: expected " + percentiles
                    + " limits, one per percentile of the driver, got " + a.percentileLimits().length);
            check(Arrays.stream(a.percentileLimits()).allMatch(limit -> limit > 0), where
                    + "percentileLimits: expected limits greater than 0");
            check(a.countToMetric(), where + "countToMetric: expected true; this runtime counts every operation");
            List<Double> limits = Arrays.stream(a.percentileLimits()).boxed().toList();
            byName.put(name, new Operation(name, method, limits, own(where, method, cycle)));
        }
        check(mix.operations().length == byName.size() && byName.keySet().containsAll(List.of(mix.operations())),
                type.getName() + ": @MatrixMix(operations): expected the operations " + byName.keySet()
                + " in the order of the rows, got " + Arrays.toString(mix.operations()));
        List<Operation> ordered = new ArrayList<>();
        for (String name : mix.operations()) {
            ordered.add(byName.get(name));
        }
        return List.copyOf(ordered);
    }

    private static CycleTimes own(String where, Method method, CycleTimes cycle) throws ConfigError {
        NegativeExponential a = method.getAnnotation(NegativeExponential.class);
        check(a == null || a.cycleType() == cycle.type(), where + "cycleType: expected " + cycle.type() + ", as the driver's, got another");
        return a == null ? cycle : CycleTimes.of(a);
    }

    private static Constructor<?> constructor(Class<?> type) throws ConfigError {
        try {
            return type.getConstructor();
        } catch (NoSuchMethodException e) {
            throw new ConfigError(type.getName() + ": expected a public constructor without arguments, found none", e);
        }
    }

    private static <A extends Annotation> A required(Class<?> type, Class<A> annotation) throws ConfigError {
        A found = type.getAnnotation(annotation);
        check(found != null, type.getName() + ": expected the annotation @" + annotation.getSimpleName()
                + " on the class, found none");
        return found;
    }

    private static void check(boolean ok, String message) throws ConfigError {
        if (!ok) {
            throw new ConfigError(message);
        }
    }
}

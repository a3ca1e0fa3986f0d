// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/**
 * One value for each lever.
 *
 * @param maxRequestWorkers MXC, threads, at least 1
 * @param keepAliveMillis   KAT, milliseconds, at least 0 (integers, so that "running = wanted" is an exact question)
 * @param phpMaxChildren    PHP, processes, at least 1
 * @param mitigation        rung of the ladder, at least 0
 */
public record Configuration(int maxRequestWorkers, int keepAliveMillis, int phpMaxChildren, int mitigation) {
    public Configuration {
        require(maxRequestWorkers >= 1, "max-request-workers", "at least 1", maxRequestWorkers);
        require(keepAliveMillis >= 0, "keep-alive-timeout", "at least 0 ms", keepAliveMillis);
        require(phpMaxChildren >= 1, "php-max-children", "at least 1", phpMaxChildren);
        require(mitigation >= 0, "mitigation", "at least 0", mitigation);
    }

    private static void require(boolean holds, String key, String expected, int value) {
        if (!holds) {
            throw new IllegalArgumentException(key + ": expected " + expected + ", got " + value);
        }
    }

    /** The value of one lever; KAT in milliseconds. */
    public int get(Lever lever) {
        return switch (lever) {
            case MAX_REQUEST_WORKERS -> maxRequestWorkers;
            case KEEP_ALIVE_TIMEOUT -> keepAliveMillis;
            case PHP_MAX_CHILDREN -> phpMaxChildren;
            case MITIGATION -> mitigation;
        };
    }

    /** The same with one lever set; KAT in milliseconds. */
    public Configuration with(Lever lever, int value) {
        return switch (lever) {
            case MAX_REQUEST_WORKERS -> new Configuration(value, keepAliveMillis, phpMaxChildren, mitigation);
            case KEEP_ALIVE_TIMEOUT -> new Configuration(maxRequestWorkers, value, phpMaxChildren, mitigation);
            case PHP_MAX_CHILDREN -> new Configuration(maxRequestWorkers, keepAliveMillis, value, mitigation);
            case MITIGATION -> new Configuration(maxRequestWorkers, keepAliveMillis, phpMaxChildren, value);
        };
    }

    /** The paper's three values of {@code other}, the rung of this. */
    public Configuration withPaperValuesOf(Configuration other) {
        return other.with(Lever.MITIGATION, mitigation);
    }

    /** True if MXC, KAT and PHP are those of {@code other}. */
    public boolean samePaperValues(Configuration other) {
        return withPaperValuesOf(other).equals(this);
    }

    /** KAT in seconds. */
    public double keepAliveSeconds() {
        return keepAliveMillis / 1000.0;
    }

    /** For people: {@code MXC 650, KAT 5s, PHP 50, mitigation 0}. */
    public String describe() {
        return "MXC " + maxRequestWorkers + ", KAT " + Lever.KEEP_ALIVE_TIMEOUT.format(keepAliveMillis)
                + ", PHP " + phpMaxChildren + ", mitigation " + mitigation;
    }
}

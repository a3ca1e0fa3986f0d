// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Measures one thing once per interval. To add one, write a class and a line in the agent's registry of
 * types, or, in a jar of one's own, a {@link SensorProvider}; {@link LoadAverageSensor} is the smallest example.
 *
 * <p>Readings are about the time since the previous call, so the first call of a sensor that computes rates has
 * nothing to say. A sensor is called by one thread at a time and may block: {@link DeadlineSensor} gives up on it,
 * interrupts it and reports <em>missing</em>.
 */
public interface Sensor extends AutoCloseable {

    /** What it measures and from where, for messages: {@code mod-status of http://127.0.0.1/server-status?auto}. */
    String name();

    /**
     * Measures.
     *
     * @throws IOException when nothing could be measured: says what was asked, what came, and what to do
     */
    Reading read() throws IOException, InterruptedException;

    /** True when its response times are the client's, so that they hold the wait in the accept queue already. */
    default boolean seesWholeResponseTime() {
        return false;
    }

    /** True when it must read before the agent's own requests disturb what it looks at. */
    default boolean readsFirst() {
        return false;
    }

    /**
     * True when it can be read in a fraction of an interval, and says what was since the last reading then, over the true
     * time. Others are read once an interval.
     */
    default boolean readsBetween() {
        return false;
    }

    /**
     * How long a reading may take. One that misses the deadline of its interval counts for the interval in which it
     * comes; what takes longer than this, by default than the deadline, is given up.
     */
    default Duration patience() {
        return Duration.ZERO;
    }

    /** For {@code ic2 check}: why the readings may mislead, as far as that can be seen, and what to do about it. */
    default Optional<String> caveat() throws IOException, InterruptedException {
        return Optional.empty();
    }

    @Override
    default void close() {
        // most sensors hold nothing
    }
}

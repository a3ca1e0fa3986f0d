// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Gives a sensor a thread of its own and a hard deadline. {@link #begin} starts a reading, {@link #end} waits for it;
 * the readings of several sensors run side by side. What fails, is late or hangs is <em>missing</em> with the reason,
 * and can neither delay nor break the loop. A late reading of a sensor with {@link Sensor#patience} counts when it comes.
 */
public final class DeadlineSensor implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DeadlineSensor.class.getName());

    /** In the reason of a reading that did not come in time. */
    public static final String NO_ANSWER = "no answer before the deadline";

    private final String label;
    private final Sensor sensor;
    private final Thread thread;
    private Reading result;
    private long begunNanos;
    private boolean busy;
    private boolean givenUp;
    private boolean closed;

    /**
     * @param label the sensor's place in the configuration: {@code web.response}
     */
    public DeadlineSensor(String label, Sensor sensor) {
        this.label = label;
        this.sensor = sensor;
        thread = new Thread(null, this::serve, "sensor " + label, 256 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    public String label() {
        return label;
    }

    public String name() {
        return sensor.name();
    }

    public boolean seesWholeResponseTime() {
        return sensor.seesWholeResponseTime();
    }

    public boolean readsFirst() {
        return sensor.readsFirst();
    }

    public boolean readsBetween() {
        return sensor.readsBetween();
    }

    /** Starts a reading, unless the last one is still under way or came late and waits to be taken. */
    public synchronized void begin() {
        if (busy || result != null && !givenUp) {
            return;
        }
        busy = true;
        givenUp = false;
        result = null;
        begunNanos = System.nanoTime();
        notifyAll();
    }

    /** The reading that {@link #begin} started, or missing when it is not there by the deadline. */
    public synchronized Reading end(long deadlineNanos) throws InterruptedException {
        while (result == null) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                if (System.nanoTime() - begunNanos >= sensor.patience().toNanos()) {
                    givenUp = true;
                    thread.interrupt();
                }
                return Reading.missing(sensor.name() + ": " + NO_ANSWER);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        Reading taken = result;
        result = null;
        return taken;
    }

    /** True while a reading is under way, or waits, that a later interval may count. */
    public synchronized boolean owesReading() {
        return !givenUp && (busy || result != null);
    }

    /** One reading, for {@code ic2 check}. */
    public Reading readWithin(Duration deadline) throws InterruptedException {
        begin();
        return end(System.nanoTime() + deadline.toNanos());
    }

    private void serve() {
        while (awaitRequest()) {
            Reading reading = readSafely();
            synchronized (this) {
                result = reading;
                busy = false;
                notifyAll();
            }
        }
        sensor.close();
    }

    private synchronized boolean awaitRequest() {
        while (!busy && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // the deadline of a reading that ended in this very moment
                Thread.interrupted();
            }
        }
        return !closed;
    }

    private Reading readSafely() {
        try {
            return sensor.read();
        } catch (IOException e) {
            return Reading.missing(sensor.name() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            return Reading.missing(sensor.name() + ": gave up at the deadline");
        } catch (Throwable e) {     // an Error too: a sensor that fails once is asked again
            LOG.log(Level.FINE, "sensor " + label + " failed", e);
            return Reading.missing(sensor.name() + ": cannot make sense of what it got (" + e + ")");
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        thread.interrupt();
        notifyAll();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.CycleType;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.ic2.load.spi.Idling;
import org.ic2.load.workload.PageError;

/**
 * One emulated user: a closed loop of operations and delays on a thread of its own. The first operation comes after a
 * delay drawn like all others, so that the users do not begin in step. In an open loop the operations come when they arrive.
 */
final class User implements Runnable {
    private final int id;
    private final DriverModel model;
    private final Object driver;
    private final UserContext context;
    private final StatsRecorder recorder;
    private final FailureLog failures;
    private final Random random;
    private final CountDownLatch gate;
    private final Optional<OpenLoop> arrivals;
    private volatile Thread thread;
    private volatile boolean stopped;

    /**
     * A user that has not begun.
     *
     * @param driver instance of the driver class
     * @param random draws operations and delays; the user's own
     * @param gate   opens when the user may begin
     * @param arrivals of an open loop
     */
    User(int id, DriverModel model, Object driver, UserContext context, StatsRecorder recorder, FailureLog failures,
         Random random, CountDownLatch gate, Optional<OpenLoop> arrivals) {
        this.id = id;
        this.model = model;
        this.driver = driver;
        this.context = context;
        this.recorder = recorder;
        this.failures = failures;
        this.random = random;
        this.gate = gate;
        this.arrivals = arrivals;
    }

    String name() {
        return model.name() + "Agent[0]." + id;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            context.during(() -> {
                gate.await();
                if (arrivals.isPresent()) {
                    serve(arrivals.get());
                } else {
                    loop();
                }
                return null;
            });
        } catch (Exception e) {
            if (!stopped) {
                failures.failed(name(), "loop", e);
            }
        }
    }

    private void loop() {
        int operation = 0;
        long due = System.nanoTime() + model.cycle().draw(random);
        waitUntil(due);
        while (!stopped) {
            perform(operation, System.nanoTime());
            long end = System.nanoTime();
            int before = operation;
            long from = model.cycle().type() == CycleType.CYCLETIME ? context.start() : end;
            long delay = model.operations().get(operation).cycle().draw(random);
            // an operation that took longer than its cycle is followed at once; that is no lag
            due = Math.max(from + delay, end);
            operation = model.chain().next(operation, random);
            if (waitUntil(due)) {
                recorder.delayed(before, from, due, System.nanoTime(), delay);
            }
        }
    }

    private void serve(OpenLoop wanted) throws InterruptedException {
        int operation = 0;
        for (OptionalLong one = wanted.take(); one.isPresent() && !stopped; one = wanted.take()) {
            context.startsAt(one.getAsLong());
            perform(operation, one.getAsLong());
            operation = model.chain().next(operation, random);
        }
    }

    private boolean waitUntil(long due) {
        if (!stopped && driver instanceof Idling idling) {
            idling.idle(due);
        }
        for (long left = due - System.nanoTime(); left > 0 && !stopped; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return !stopped;
    }

    private void perform(int index, long wanted) {
        DriverModel.Operation operation = model.operations().get(index);
        context.beginOperation(wanted);
        Throwable failure = null;
        try {
            operation.method().invoke(driver);
            if (!context.timed()) {
                failure = new IllegalStateException("the operation did not call recordTime() at its start and its end");
            }
        } catch (InvocationTargetException e) {
            failure = e.getCause();
        } catch (IllegalAccessException e) {
            failure = e;
        }
        if (failure != null && stopped) {
            return;
        }
        if (failure == null) {
            recorder.finished(id, index, context.start(), context.end(), true);
        } else {
            recorder.failed(id, index, context.start(), System.nanoTime(), PageError.kindOf(failure));
            failures.failed(name(), operation.name(), failure);
        }
    }

    /** Lets the user end: at once when it thinks, else after its operation. */
    void stop() {
        stopped = true;
        if (!recorder.state(id).waiting()) {
            abort();
        }
        Thread t = thread;
        if (t != null) {
            LockSupport.unpark(t);
        }
    }

    /** Breaks off the operation that is under way, where the driver can. */
    void abort() {
        if (driver instanceof Closeable closeable) {
            try {
                closeable.close();
            } catch (IOException e) {
                failures.failed(name(), "close", e);
            }
        }
    }
}

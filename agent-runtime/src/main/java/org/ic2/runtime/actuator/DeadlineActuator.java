// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Gives every question to a server a deadline, so that one that hangs cannot stop the agent. What is given up has ended when
 * the call returns, as far as it can be ended: nothing of it is left to overtake the next order.
 */
public final class DeadlineActuator implements Actuator {

    private static final Duration READ_DEADLINE = Duration.ofSeconds(4);

    /** A call that is interrupted ends the command it runs. */
    private static final Duration END_DEADLINE = Duration.ofSeconds(3);

    private final Actuator actuator;
    private final Duration applyTime;
    private final ExecutorService thread;

    public DeadlineActuator(Actuator actuator) {
        this(actuator, actuator.applyTime());
    }

    /** @param applyTime how long a change may take, in place of the actuator's own */
    public DeadlineActuator(Actuator actuator, Duration applyTime) {
        this.actuator = actuator;
        this.applyTime = applyTime;
        // One thread in the rule; another while a call hangs that cannot be interrupted.
        thread = Executors.newCachedThreadPool(task -> {
            Thread fresh = new Thread(null, task, actuator.name(), 256 * 1024);
            fresh.setDaemon(true);
            return fresh;
        });
    }

    private <T> T within(Duration deadline, Callable<T> call) throws IOException, InterruptedException {
        AtomicBoolean claimed = new AtomicBoolean();    // by the call, or by who gives it up before it begins
        CountDownLatch ended = new CountDownLatch(1);
        Future<T> answer = thread.submit(() -> {
            if (!claimed.compareAndSet(false, true)) {
                return null;
            }
            try {
                return call.call();
            } finally {
                ended.countDown();
            }
        });
        try {
            return answer.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + deadline.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("cannot make sense of what it got (" + e.getCause() + ")", e);
        } finally {
            if (answer.cancel(true) && !claimed.compareAndSet(false, true)) {
                awaitEnd(ended);
            }
        }
    }

    /** Whoever is ended is interrupted more than once, and goes on with the restore only when nothing can overtake it. */
    private static void awaitEnd(CountDownLatch ended) {
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + END_DEADLINE.toNanos();
        boolean over = false;
        while (!over && System.nanoTime() < end) {
            try {
                over = ended.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String name() {
        return actuator.name();
    }

    @Override
    public Set<Knob> levers() {
        return actuator.levers();
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        return within(READ_DEADLINE, actuator::running);
    }

    @Override
    public Bounds allowed() throws IOException, InterruptedException {
        return within(READ_DEADLINE, actuator::allowed);
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        within(applyTime, () -> {
            actuator.apply(values);
            return null;
        });
    }

    @Override
    public Settings settled() {
        return actuator.settled();
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        within(READ_DEADLINE, () -> {
            actuator.checkMeans();
            return null;
        });
    }

    @Override
    public Duration applyTime() {
        return applyTime;
    }

    @Override
    public Duration settleTime() {
        return actuator.settleTime();
    }

    @Override
    public Optional<RestoreRoute> route() {
        return actuator.route();
    }

    @Override
    public Duration coolDown() {
        return actuator.coolDown();
    }

    @Override
    public void close() {
        thread.shutdownNow();
        actuator.close();
    }
}

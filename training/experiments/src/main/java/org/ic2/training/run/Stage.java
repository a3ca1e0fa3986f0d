// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What is open during a run, closed in reverse order. */
final class Stage implements AutoCloseable {
    /** What a busy machine may take for something that an idle one does at once. */
    static final Duration READY_WITHIN = Duration.ofSeconds(120);
    private static final Duration POLL_EVERY = Duration.ofMillis(100);
    private static final Duration INTERRUPT_WITHIN = Duration.ofMillis(500);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<ChildProcess> needed = new ArrayList<>();
    private final List<ChildProcess> finite = new ArrayList<>();

    <T extends AutoCloseable> T add(T one) {
        open.push(one);
        return one;
    }

    /** A child that may end, but not fail. */
    ChildProcess expect(ChildProcess child) {
        finite.add(child);
        return add(child);
    }

    /** A child that must live as long as the run. */
    ChildProcess need(ChildProcess child) {
        needed.add(child);
        return add(child);
    }

    void mustLive() throws RunException, InterruptedException {
        if (needed.stream().anyMatch(child -> !child.alive()) || finite.stream().anyMatch(ChildProcess::failed)) {
            // Ctrl-C on a terminal ends the children too: then an interrupt of ours is on its way, and is the reason
            Thread.sleep(INTERRUPT_WITHIN.toMillis());
        }
        for (ChildProcess child : needed) {
            child.mustLive();
        }
        for (ChildProcess child : finite) {
            child.mustNotFail();
        }
    }

    /** What is waited for. */
    interface Condition {
        boolean holds() throws IOException;
    }

    /** Waits until what needs no time of its own holds, while all live that must. */
    void await(InstantSource clock, String what, Condition condition) throws IOException, InterruptedException {
        await(clock, what, READY_WITHIN, condition);
    }

    /** Waits until it holds, but not longer than this, while all live that must. */
    void await(InstantSource clock, String what, Duration within, Condition condition) throws IOException, InterruptedException {
        Instant until = clock.instant().plus(within);
        while (!condition.holds()) {
            mustLive();
            if (clock.instant().isAfter(until)) {
                throw new RunException("waited " + within.toSeconds() + " s in vain until " + what);
            }
            Thread.sleep(POLL_EVERY.toMillis());
        }
    }

    @Override
    public void close() throws IOException {
        IOException first = null;
        for (AutoCloseable one : open) {
            try {
                one.close();
            } catch (Exception e) {
                first = first == null ? new RunException("cannot clean up after the run: " + e.getMessage(), e) : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}

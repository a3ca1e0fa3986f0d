// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.sim;

import java.util.PriorityQueue;

/** What is still to happen, by its time; what happens at the same time happens in the order in which it was asked for. */
final class EventQueue {
    private final PriorityQueue<Due> waiting = new PriorityQueue<>();
    private long now;
    private long asked;

    private record Due(long time, long order, Runnable action) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(order, other.order);
        }
    }

    /** Nanoseconds since the beginning. */
    long now() {
        return now;
    }

    /** Asks for something in so many nanoseconds from now. */
    void in(long delay, Runnable action) {
        waiting.add(new Due(now + Math.max(0, delay), asked++, action));
    }

    /** Does the next of all if it is due by then; false if there is none. */
    boolean next(long until) {
        Due due = waiting.peek();
        if (due == null || due.time() > until) {
            return false;
        }
        waiting.poll();
        now = due.time();
        due.action().run();
        return true;
    }

    /** Time passes without anything happening. */
    void passTo(long time) {
        now = Math.max(now, time);
    }
}

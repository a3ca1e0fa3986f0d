// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

/** Whether a user waits for an answer, and since when. The user writes, the recorder reads. */
final class UserState {
    private volatile long waitingSince;
    private volatile boolean waiting;

    void waitsSince(long nanos) {
        waitingSince = nanos;
        waiting = true;
    }

    void thinks() {
        waiting = false;
    }

    boolean waiting() {
        return waiting;
    }

    long waitingSince() {
        return waitingSince;
    }
}

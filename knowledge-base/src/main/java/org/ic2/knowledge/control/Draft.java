// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.time.Instant;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Settings;

/** The next {@link ControllerState} while one decision is in the making; lives within one call. */
final class Draft {
    private static final long LONGEST_STEP = 3_600_000;

    final long sequence;
    State state;
    final long before;
    long now;
    long wall;
    Settings configuration;
    Learning learning;
    Ledger ledger;
    Pending pending;
    Episode episode;
    Backoff backoff;
    Refusal refusal;
    int usable;
    long lastUsable;
    int slow;
    int waiting;
    int foreign;
    String manual;
    /** What is to run when stepping aside. */
    Settings aside;

    Draft(ControllerState from) {
        sequence = from.sequence() + 1;
        state = from.state();
        before = from.now();
        now = before;
        wall = from.wall();
        configuration = from.configuration();
        learning = from.learning();
        ledger = from.ledger();
        pending = from.pending();
        episode = from.episode();
        backoff = from.backoff();
        refusal = from.refusal();
        usable = from.counters().usable();
        lastUsable = from.counters().lastUsable();
        slow = from.counters().slow();
        waiting = from.counters().waiting();
        foreign = from.counters().foreign();
        manual = from.manual();
    }

    /** Moves the own clock by what the wall clock moved; a step back moves it not at all. */
    void advance(Instant time) {
        long millis = time.toEpochMilli();
        if (wall != Long.MIN_VALUE) {
            now += Math.max(0, Math.min(LONGEST_STEP, millis - wall));
        }
        wall = millis;
        if (refusal != null && now >= refusal.until()) {
            refusal = null;
        }
    }

    ControllerState toState() {
        return new ControllerState(state, sequence, now, wall, configuration, learning, ledger, pending, episode,
                backoff, refusal, new Counters(usable, lastUsable, slow, waiting, foreign), manual);
    }
}

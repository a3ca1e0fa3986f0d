// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.loop;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.knob.Settings;

/**
 * Manual mode or not: a person's change holds until the agent is told to go on or, where one was given, for a time. That is counted
 * by a clock that nobody sets; only a start has nothing but the journal's time to go by.
 */
final class ControlOwner {

    private static final Logger LOG = Logger.getLogger(ControlOwner.class.getName());
    /** A wall clock that goes by more than this otherwise was set. */
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final String OVER = "the time that a person asked for is over";

    private final Brain brain;
    private final LoopLog log;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private Optional<Instant> until = Optional.empty();
    private long endNanos;

    ControlOwner(Brain brain, LoopLog log, Clock clock, LongSupplier nanoClock) {
        this.brain = brain;
        this.log = log;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    /**
     * At a start. True when the agent was handed back to itself.
     *
     * @param told what the journal says
     * @param past the same as of now: a time may have passed while no agent ran
     */
    boolean begin(JournalReplay told, JournalReplay past, Settings running) {
        past.manual().ifPresent(brain::enteredManual);
        past.until().ifPresent(end -> endAfter(Duration.between(clock.instant(), end), end));
        boolean over = told.manual().isPresent() && past.manual().isEmpty();
        if (over) {
            handBackInTime(running);
        }
        return over;
    }

    /**
     * The brain goes on with what was done.
     *
     * @param onlyAdvised true when that is nothing, because it was only advised
     */
    void restart(Settings running, boolean onlyAdvised) {
        if (onlyAdvised) {
            brain.withoutAdvice();
        }
        brain.restarted(running);
    }

    /**
     * After a change of the configuration. Manual mode stays as it was, also if nothing else is remembered.
     *
     * @param learned what the brain before has written
     */
    void continueFrom(ControlOwner earlier, String learned) {
        until = earlier.until;
        endNanos = earlier.endNanos;
        try {
            brain.read("the brain before the reload", learned);
        } catch (IOException e) {
            LOG.warning("what was learned before is lost, it is learned again: " + e.getMessage());
            earlier.brain.manual().ifPresent(brain::enteredManual);
        }
    }

    /** A person takes over. */
    void take(String reason, OperatorRequest asked) {
        until = Optional.empty();
        asked.time().ifPresent(time -> endAfter(time, clock.instant().plus(time)));
        brain.enteredManual(reason);
        log.manual(reason, until, asked.by());
    }

    /** Someone else has changed values: for how long is unknown. */
    void enteredManual(String reason) {
        until = Optional.empty();
        log.manual(reason, until, "");
    }

    /** True when manual mode was to last for a time that has passed. */
    boolean isOver() {
        return until.isPresent() && endNanos - nanoClock.getAsLong() <= 0;
    }

    private void endAfter(Duration time, Instant end) {
        long most = Long.MAX_VALUE / 2;
        endNanos = nanoClock.getAsLong() + (time.compareTo(Duration.ofNanos(most)) < 0 ? time.toNanos() : most);
        until = Optional.of(end);
    }

    void handBackInTime(Settings running) {
        handBack(running, OVER, "");
    }

    void handBack(Settings running, String reason, String by) {
        until = Optional.empty();
        brain.resumed(running);
        log.resumed(reason, by);
        LOG.info(() -> "manual mode is over: " + reason);
    }

    /** Until when manual mode lasts, as the wall clock goes now; empty when that is not said, or it is off. */
    Optional<Instant> until() {
        if (until.isPresent()) {
            Instant end = clock.instant().plusNanos(endNanos - nanoClock.getAsLong());
            until = until.filter(said -> Duration.between(said, end).abs().compareTo(STEP) <= 0).or(() -> Optional.of(end));
        }
        return until;
    }
}

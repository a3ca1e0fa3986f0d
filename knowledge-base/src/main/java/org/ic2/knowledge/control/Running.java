// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** Compares what runs with what was wanted: an action took effect, did not, or someone else changed a value. */
final class Running {
    /** So many samples in a row must show a foreign value before IC2 steps aside. */
    private static final int FOREIGN_SAMPLES = 2;

    private Running() {
    }

    /** What the comparison found. */
    enum Finding {
        /** What was wanted runs, or is still on its way. */
        AGREED,
        /** An action did not take effect in time. */
        NOT_APPLIED,
        /** An action was not even tried. */
        REFUSED,
        /** A value is neither the old nor the wanted one. */
        FOREIGN
    }

    static Finding reconcile(Draft draft, Sample sample, Policy policy) {
        if (!policy.acting() || sample.straddlesEpochs()) {
            return Finding.AGREED;
        }
        Settings running = managed(sample.settings(draft.configuration), policy);
        if (draft.manual != null) {
            draft.configuration = running;
            return Finding.AGREED;
        }
        if (running.equals(draft.configuration)) {
            confirm(draft, sample, policy);
            draft.foreign = 0;
            return Finding.AGREED;
        }
        if (draft.pending != null && between(running, draft.pending.previous(), draft.configuration)) {
            draft.foreign = 0;
            return outcome(draft, running, policy);
        }
        draft.foreign++;
        if (draft.foreign < FOREIGN_SAMPLES) {
            return Finding.AGREED;
        }
        draft.aside = withoutOurs(draft, running, policy);
        draft.manual = "someone else changed " + draft.configuration.differences(running, " from ", " to ")
                + (draft.aside.equals(running) ? "" : "; what nobody touched goes back: "
                + running.changes(draft.aside));
        draft.configuration = running;
        draft.pending = null;
        return Finding.FOREIGN;
    }

    /**
     * What became of an action that no sample shows in force as a whole. Whatever was tried began a new epoch, so an
     * action that the very next sample does not know of was refused; that says nothing about the next one.
     */
    private static Finding outcome(Draft draft, Settings running, Policy policy) {
        boolean refused = draft.pending.since() == draft.before && running.equals(draft.pending.previous());
        if (!refused && draft.now - draft.pending.since() < Ledger.patience(policy.coolDown().toMillis())) {
            return Finding.AGREED;
        }
        boolean leftOut = leftOut(running, draft.pending.previous(), draft.configuration, policy.baseline());
        draft.pending = null;
        draft.configuration = running;
        if (refused) {
            draft.ledger = draft.ledger.refused();
            return Finding.REFUSED;
        }
        draft.ledger = draft.ledger.withFailures(leftOut ? 0 : draft.ledger.failures() + 1);
        return leftOut ? Finding.AGREED : Finding.NOT_APPLIED;
    }

    /** True if an action away from the baseline took effect but for some knobs, which their actuator let rest. */
    private static boolean leftOut(Settings running, Settings previous, Settings wanted,
            Settings baseline) {
        for (Knob knob : wanted.knobs()) {
            if (!running.same(wanted, knob) && wanted.same(baseline, knob)) {
                return false;
            }
        }
        return !running.equals(previous);
    }

    /** What runs, with the baseline's value for every knob that runs as this agent had set it. */
    private static Settings withoutOurs(Draft draft, Settings running, Policy policy) {
        Settings previous = draft.pending == null ? draft.configuration : draft.pending.previous();
        Settings result = running;
        for (Knob knob : policy.levers()) {
            boolean ours = running.same(draft.configuration, knob) || running.same(previous, knob);
            result = ours ? result.with(knob, policy.baseline().get(knob)) : result;
        }
        return result;
    }

    /** Looks at a state, which may be of an earlier configuration, through the policy's knobs. */
    static void manage(Draft draft, Policy policy) {
        draft.configuration = managed(draft.configuration, policy);
        if (draft.pending != null && !draft.pending.previous().knobs().equals(policy.baseline().knobs())) {
            draft.pending = new Pending(managed(draft.pending.previous(), policy), draft.pending.since());
        }
    }

    /** What runs of the levers; the baseline's value for every knob that is none, as it is never touched. */
    private static Settings managed(Settings running, Policy policy) {
        Settings result = policy.baseline();
        for (Knob knob : policy.levers()) {
            result = running.has(knob) ? result.with(knob, running.get(knob)) : result;
        }
        return result;
    }

    /** A sample that shows a value that was to change confirms the action; where none can be read, time does. */
    private static void confirm(Draft draft, Sample sample, Policy policy) {
        if (draft.pending == null) {
            return;
        }
        boolean visible = policy.levers().stream().anyMatch(knob -> sample.has(knob.quantity())
                && !draft.pending.previous().same(draft.configuration, knob));
        if (visible || draft.now - draft.pending.since() >= Ledger.patience(policy.coolDown().toMillis())) {
            draft.pending = null;
            draft.ledger = draft.ledger.withFailures(0);
            draft.episode = draft.configuration.equals(policy.baseline()) ? null : draft.episode;
        }
    }

    private static boolean between(Settings running, Settings previous, Settings wanted) {
        for (Knob knob : running.knobs()) {
            if (!running.same(previous, knob) && !running.same(wanted, knob)) {
                return false;
            }
        }
        return true;
    }
}

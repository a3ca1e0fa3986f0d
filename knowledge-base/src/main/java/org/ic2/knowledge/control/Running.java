// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.StringJoiner;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Sample;

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
        Configuration running = managed(sample.configuration(draft.configuration), policy);
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
        draft.manual = "someone else changed " + difference(draft.configuration, running)
                + (draft.aside.equals(running) ? "" : "; what nobody touched goes back: "
                + Away.change(running, draft.aside));
        draft.configuration = running;
        draft.pending = null;
        return Finding.FOREIGN;
    }

    /**
     * What became of an action that no sample shows in force as a whole. Whatever was tried began a new epoch, so an
     * action that the very next sample does not know of was refused; that says nothing about the next one.
     */
    private static Finding outcome(Draft draft, Configuration running, Policy policy) {
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

    /** True if an action away from the baseline took effect but for some levers, which their actuator let rest. */
    private static boolean leftOut(Configuration running, Configuration previous, Configuration wanted,
            Configuration baseline) {
        for (Lever lever : Lever.values()) {
            if (running.get(lever) != wanted.get(lever) && wanted.get(lever) == baseline.get(lever)) {
                return false;
            }
        }
        return !running.equals(previous);
    }

    /** What runs, with the baseline's value for every lever that runs as this agent had set it. */
    private static Configuration withoutOurs(Draft draft, Configuration running, Policy policy) {
        Configuration previous = draft.pending == null ? draft.configuration : draft.pending.previous();
        Configuration result = running;
        for (Lever lever : policy.levers()) {
            int value = running.get(lever);
            boolean ours = value == draft.configuration.get(lever) || value == previous.get(lever);
            result = ours ? result.with(lever, policy.baseline().get(lever)) : result;
        }
        return result;
    }

    /** The configuration with the baseline's value for every lever that is not ours: it is never touched. */
    static Configuration managed(Configuration running, Policy policy) {
        Configuration result = running;
        for (Lever lever : Lever.values()) {
            result = policy.levers().contains(lever) ? result : result.with(lever, policy.baseline().get(lever));
        }
        return result;
    }

    /** A sample that shows a value that was to change confirms the action; where none can be read, time does. */
    private static void confirm(Draft draft, Sample sample, Policy policy) {
        if (draft.pending == null) {
            return;
        }
        boolean visible = policy.levers().stream().anyMatch(lever -> sample.has(lever.metric())
                && draft.pending.previous().get(lever) != draft.configuration.get(lever));
        if (visible || draft.now - draft.pending.since() >= Ledger.patience(policy.coolDown().toMillis())) {
            draft.pending = null;
            draft.ledger = draft.ledger.withFailures(0);
            draft.episode = draft.configuration.equals(policy.baseline()) ? null : draft.episode;
        }
    }

    private static boolean between(Configuration running, Configuration previous, Configuration wanted) {
        for (Lever lever : Lever.values()) {
            int value = running.get(lever);
            if (value != previous.get(lever) && value != wanted.get(lever)) {
                return false;
            }
        }
        return true;
    }

    private static String difference(Configuration expected, Configuration running) {
        StringJoiner text = new StringJoiner(", ");
        for (Lever lever : Lever.values()) {
            if (expected.get(lever) != running.get(lever)) {
                text.add(lever.key() + " from " + lever.format(expected.get(lever)) + " to "
                        + lever.format(running.get(lever)));
            }
        }
        return text.toString();
    }
}

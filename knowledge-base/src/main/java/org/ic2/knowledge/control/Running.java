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
            if (draft.now - draft.pending.since() < policy.coolDown().toMillis()) {
                return Finding.AGREED;
            }
            draft.pending = null;
            draft.configuration = running;
            draft.ledger = draft.ledger.withFailures(draft.ledger.failures() + 1);
            return Finding.NOT_APPLIED;
        }
        draft.foreign++;
        if (draft.foreign < FOREIGN_SAMPLES) {
            return Finding.AGREED;
        }
        draft.manual = "someone else changed " + difference(draft.configuration, running);
        draft.configuration = running;
        draft.pending = null;
        return Finding.FOREIGN;
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
        if (visible || draft.now - draft.pending.since() >= policy.coolDown().toMillis()) {
            draft.pending = null;
            draft.ledger = draft.ledger.withFailures(0);
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

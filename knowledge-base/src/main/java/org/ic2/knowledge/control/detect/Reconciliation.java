// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.Pending;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Compares what runs with what was wanted: an action took effect, did not, or someone else changed a value.
 *
 * @param finding       what the comparison found
 * @param now           the controller's clock, ms
 * @param configuration what is in force as far as known
 * @param pending       an action that no sample has confirmed yet, or null
 * @param ledger        the actions so far
 * @param episode       the present time away from the baseline, or null
 * @param foreign       samples in a row whose running values nobody here set
 * @param manual        why manual mode is on, or null
 * @param manualSettings what is to run on entering manual mode, null unless that is to be done
 */
public record Reconciliation(Finding finding, long now, Settings configuration, Pending pending, ActionHistory ledger,
        Episode episode, int foreign, String manual, Settings manualSettings) {
    /** So many samples in a row must show a foreign value before IC2 enters manual mode. */
    private static final int FOREIGN_SAMPLES = 2;

    /** What the comparison found. */
    public enum Finding {
        /** What was wanted runs, or is still on its way. */
        AGREED,
        /** An action did not take effect in time. */
        NOT_APPLIED,
        /** An action was not even tried. */
        REFUSED,
        /** A value is neither the old nor the wanted one. */
        FOREIGN
    }

    /** What a sample shows of what was wanted. */
    public static Reconciliation of(ControllerState before, Sample sample, Policy policy) {
        Reconciliation wanted = new Reconciliation(Finding.AGREED, before.clockAt(sample.time()),
                managed(before.configuration(), policy), managed(before.pending(), policy), before.ledger(),
                before.episode(), before.counters().foreign(), before.manual(), null);
        if (!policy.acting() || sample.straddlesEpochs()) {
            return wanted;
        }
        Settings running = managed(sample.settings(wanted.configuration), policy);
        if (wanted.manual != null) {
            return wanted.found(Finding.AGREED, running, wanted.pending, wanted.ledger, wanted.foreign);
        }
        if (running.equals(wanted.configuration)) {
            return wanted.confirmed(sample, policy);
        }
        if (wanted.pending != null && between(running, wanted.pending.previous(), wanted.configuration)) {
            return wanted.underWay(running, before.now(), policy);
        }
        if (before.between(sample.time(), policy)) {
            return wanted.found(Finding.AGREED, wanted.configuration, wanted.pending, wanted.ledger, wanted.foreign);
        }
        return wanted.foreign + 1 < FOREIGN_SAMPLES ? wanted.found(Finding.AGREED, wanted.configuration,
                wanted.pending, wanted.ledger, wanted.foreign + 1) : wanted.foreign(running, policy);
    }

    /** The same as if this were in force. */
    public Reconciliation at(Settings seen) {
        return new Reconciliation(finding, now, seen, pending, ledger, episode, foreign, manual, manualSettings);
    }

    private Reconciliation found(Finding what, Settings running, Pending left, ActionHistory actions, int strange) {
        return new Reconciliation(what, now, running, left, actions, episode, strange, manual, null);
    }

    /** A sample that shows a value that was to change confirms the action; where none can be read, time does. */
    private Reconciliation confirmed(Sample sample, Policy policy) {
        boolean confirmed = pending != null && (policy.levers().stream().anyMatch(knob ->
                sample.has(knob.quantity()) && !pending.previous().same(configuration, knob)) || overdue(policy));
        if (!confirmed) {
            return found(Finding.AGREED, configuration, pending, ledger, 0);
        }
        return new Reconciliation(Finding.AGREED, now, configuration, null, ledger.withFailures(0),
                configuration.equals(policy.baseline()) ? null : episode, 0, manual, null);
    }

    private boolean overdue(Policy policy) {
        return now - pending.since() >= ActionHistory.patience(policy.coolDown().toMillis());
    }

    /**
     * What became of an action that no sample shows in force as a whole. Whatever was tried began a new epoch, so an
     * action that the very next sample does not know of was refused; that says nothing about the next one.
     */
    private Reconciliation underWay(Settings running, long before, Policy policy) {
        if (pending.since() == before && running.equals(pending.previous())) {
            return found(Finding.REFUSED, running, null, ledger.refused(), 0);
        }
        if (!overdue(policy)) {
            return found(Finding.AGREED, configuration, pending, ledger, 0);
        }
        return leftOut(running, pending.previous(), configuration, policy.baseline())
                ? found(Finding.AGREED, running, null, ledger.withFailures(0), 0)
                : found(Finding.NOT_APPLIED, running, null, ledger.withFailures(ledger.failures() + 1), 0);
    }

    private Reconciliation foreign(Settings running, Policy policy) {
        Settings without = withoutOurs(running, policy);
        String who = "someone else changed " + configuration.differences(running, " from ", " to ")
                + (without.equals(running) ? "" : "; the agent's own values are restored: " + running.changes(without));
        return new Reconciliation(Finding.FOREIGN, now, running, null, ledger, episode, foreign + 1, who, without);
    }

    /** What runs, with the baseline's value for every knob that runs as this agent had set it. */
    private Settings withoutOurs(Settings running, Policy policy) {
        Settings previous = pending == null ? configuration : pending.previous();
        Settings result = running;
        for (Knob knob : policy.levers()) {
            boolean ours = running.same(configuration, knob) || running.same(previous, knob);
            result = ours ? result.with(knob, policy.baseline().get(knob)) : result;
        }
        return result;
    }

    /** True if an action away from the baseline took effect but for some knobs, which their actuator let rest. */
    private static boolean leftOut(Settings running, Settings previous, Settings wanted, Settings baseline) {
        for (Knob knob : wanted.knobs()) {
            if (!running.same(wanted, knob) && wanted.same(baseline, knob)) {
                return false;
            }
        }
        return !running.equals(previous);
    }

    /** What runs of the levers; the baseline's value for every knob that is none, as it is never touched. */
    private static Settings managed(Settings running, Policy policy) {
        Settings result = policy.baseline();
        for (Knob knob : policy.levers()) {
            result = running.has(knob) ? result.with(knob, running.get(knob)) : result;
        }
        return result;
    }

    /** A pending action, which may be of an earlier configuration, seen through the policy's knobs. */
    private static Pending managed(Pending pending, Policy policy) {
        return pending == null || pending.previous().knobs().equals(policy.baseline().knobs()) ? pending
                : new Pending(managed(pending.previous(), policy), pending.since());
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

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge;

/**
 * The table of situations that a {@link Decision} can be in. Every decision names one, so that a log line explains
 * itself and a chart can count them.
 */
public enum Scenario {
    STEADY("IC2-01", "state and configuration agree"),
    WARMING_UP("IC2-02", "the windows are not full since the start, nothing is applied"),
    NOT_JUDGED("IC2-03", "the sample lacks what a judgement needs"),
    CHANGING("IC2-04", "a change is seen but not confirmed"),
    NOT_NORMAL("IC2-05", "what is measured cannot be normal, so it is not learned"),
    MITIGATION("IC2-10", "interference is confirmed, the mitigation starts"),
    ESCALATION("IC2-11", "interference persists above the target response time, one level up"),
    BELOW_TARGET("IC2-12", "interference, but the response time is within the target"),
    COOLING_DOWN("IC2-13", "an action is due but the last one is too recent"),
    BUDGET_SPENT("IC2-14", "an action is due but the actions of the hour are spent"),
    NOTHING_LEFT("IC2-15", "interference persists and no lever has room left"),
    SHARE_CUT("IC2-16", "interference is confirmed, this server asks for a smaller share of the cluster's requests"),
    CONTEXT("IC2-17", "a rule's own evidence is confirmed without interference, its values hold while it lasts"),
    HIDDEN("IC2-20", "the figures look normal but evidence that mitigation cannot change says interference"),
    HOLDING("IC2-21", "the figures look normal, but mitigation may hide the cause: not yet believed"),
    SHARE_HELD("IC2-22", "no interference is seen, but fewer requests may hide it: the whole share is tried later"),
    RESTORATION("IC2-30", "no interference is confirmed, the paper's values are restored"),
    STEP_DOWN("IC2-31", "no interference, one level down"),
    STEP_UP_AGAIN("IC2-32", "the response time rose after a step down, one level up and a doubled hold"),
    DIRECT_RESTORE("IC2-33", "no interference, and the baseline carries the demand: restored in one step"),
    SHARE_BACK("IC2-34", "no interference, or less of it: this server asks for a larger share of the requests"),
    STALE("IC2-40", "no usable sample for too long while mitigated, the baseline is restored"),
    UNCONFIRMED("IC2-41", "no interference label for too long while mitigated, the baseline is restored"),
    STARVATION("IC2-42", "the accept queue grew after an action, the action is undone"),
    NOT_APPLIED("IC2-50", "an action did not take effect, backing off"),
    FOREIGN_CHANGE("IC2-51", "someone else changed a value: manual mode"),
    MANUAL("IC2-52", "manual mode"),
    SLOW("IC2-60", "users are harmed, and no neighbour is seen"),
    CAUSE_MITIGATION("IC2-61", "users are harmed by a cause that act names, the mitigation starts or grows"),
    QUICK_AGAIN("IC2-62", "users are harmed no longer"),
    ONLY_ADVISED("IC2-63", "act does not name the cause, so what helps is only said");

    private final String id;
    private final String description;

    Scenario(String id, String description) {
        this.id = id;
        this.description = description;
    }

    /** The stable identifier, for logs and charts. */
    public String id() {
        return id;
    }

    /** The situation in words. */
    public String description() {
        return description;
    }
}

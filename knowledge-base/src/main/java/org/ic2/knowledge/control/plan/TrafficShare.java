// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Medians;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.knowledge.control.state.ActionHistory;
import org.ic2.knowledge.control.state.Backoff;
import org.ic2.knowledge.control.state.ShareMemory;
import org.ic2.runtime.knob.Settings;

/**
 * A server's share of a cluster's requests, which is moved before anything that users would notice: down to what is left of
 * the capacity once interference is confirmed and the response time is above the target, further while it stays there, and then only
 * the ladder; back in the reverse order. Where the balancer tells the others' shares, nobody gives up more than they have room for, and
 * who has given up more takes it back once more of them are cut; where none is whole nobody goes below the largest of them; and the last one that takes
 * requests takes all.
 *
 * <p>A server that gets fewer requests shows less of everything. So nothing that it shows at a smaller share is proof that the
 * whole one would do: to go back is a try. It comes a cool-down after the last move, if by then no interference is seen; of tries
 * that fail the next comes four times later, and what the share was before the try is taken up again at once. In an hour the share
 * moves {@value #MAX_MOVES} times at most.
 */
final class TrafficShare {
    /** No move is shorter, %: less is lost in the noise of what it is computed from. */
    static final int DEAD_BAND = 10;
    /**
     * A server that serves this many times its usual requests has more to do. What looks like a neighbour may be that: the load of the
     * others meets a quota of its own. If each of these asked for less, too, the cluster would end where it began.
     */
    private static final double LOAD_INCREASE_RATIO = 1.1;
    /** A server that is given more requests and gets this part of its usual CPU has no strong neighbour, unless users wait for long. */
    private static final double MIN_CPU_RATIO = 0.85;
    /** The most moves in any hour; two of them are kept for the way back and one more cut. */
    static final int MAX_MOVES = 12;
    /** What a cut leaves if the computed one did not suffice or none can be computed: target / response time, within these two. */
    private static final double CUT_RATIO = 2.0 / 3;
    private static final double DEEPEST_CUT_RATIO = 1.0 / 3;
    /** Shares within this distance of the minimum are rounded to it, %. */
    private static final int ROUNDING_TO_LEAST = 3;
    /** A neighbour that leaves this many times the capacity of the last cut has become weaker. */
    private static final double RECOVERY_RATIO = 1.2;
    /** This many samples above the target in a row, at a share that should suffice, are no chance. */
    private static final int SLOW_SAMPLES = 5;
    /** Back-off: how often the wait doubles after each failed try. */
    private static final int RETRY_DOUBLINGS = 2;
    /** Beside a weaker neighbour a larger share is tried after this many cool-downs. */
    private static final int RAISE_HOLD_UNITS = 30;

    private final DecisionContext context;
    private final Policy policy;
    private final Sharing sharing;
    private final ShareMemory memory;
    private final int share;
    private final int whole;
    private final int lowest;
    private final int room;
    private final int least;
    private final boolean slow;
    private final double left;

    private TrafficShare(DecisionContext context, Policy policy) {
        this.context = context;
        this.policy = policy;
        sharing = policy.sharing();
        memory = context.share();
        share = sharing.of(context.current());
        whole = sharing.of(policy.baseline());
        lowest = sharing.of(policy.bounds().lowest());
        room = sharing.room(whole, lowest, context.acted().sample());
        least = sharing.least(whole, lowest, context.acted().sample());
        slow = context.acted().sample().get(policy.felt()) > policy.targetResponseTime();
        left = memory.capacity().left(medians());
    }

    /**
     * What to do.
     *
     * @param rest what is to be done with everything but the share
     */
    static Proposal propose(DecisionContext context, Policy policy, BiFunction<DecisionContext, Policy, Proposal> rest) {
        return new TrafficShare(context, policy).propose(rest);
    }

    private Proposal propose(BiFunction<DecisionContext, Policy, Proposal> rest) {
        if (share < whole && Sharing.alone(context.acted().sample())) {
            return act(Action.RESTORE, Scenario.SHARE_BACK, whole, "no other server of the cluster takes requests");
        }
        if (share <= room - DEAD_BAND && mayFollow()) {
            return act(Action.RESTORE, Scenario.SHARE_BACK, room, "others are cut, too, and " + roomWords());
        }
        boolean confirmed = context.state() == State.I2;
        if (confirmed && roomAgain()) {
            return act(Action.ESCALATE, Scenario.SHARE_CUT, Math.max(least, memory.held()), "the others have room again; "
                    + memory.capacity().describe(medians()));
        }
        int wanted = confirmed ? wanted() : share;
        if (wanted < share) {
            return act(share == whole ? Action.MITIGATE : Action.ESCALATE, Scenario.SHARE_CUT, wanted, cutReason());
        }
        DecisionContext elsewhere = context.at(context.current().with(sharing.knob(), whole));
        Proposal other = rest.apply(elsewhere, policy);
        boolean moves = other.action().applies() && !other.desired().equals(elsewhere.current());
        if (confirmed && moves && !exhausted()) {
            return hold(Scenario.COOLING_DOWN, "the share of the requests comes first, and was moved "
                    + memory.since(context.now()) / 1000 + "s ago; due: " + other.reason());
        }
        boolean atBaseline = elsewhere.current().equals(policy.baseline()) && !moves;
        if (share == whole || !atBaseline) {
            return kept(other);
        }
        boolean settled = context.state() == State.NI2 || other.action().applies();
        return settled ? back() : confirmed && eased() ? raise() : kept(other);
    }

    /** True for a server that had taken back what the others had no room for, and whose neighbour leaves no more than at its last cut. */
    private boolean roomAgain() {
        boolean told = context.acted().sample().has(Sharing.WHOLE);
        return told && share < whole && memory.held() > 0 && Math.max(least, memory.held()) <= share - DEAD_BAND
                && left < RECOVERY_RATIO * memory.then() && mayFollow();
    }

    /** True if the others' shares may be a reason for a move now. */
    private boolean mayFollow() {
        return memory.since(context.now()) >= policy.holdUnit() && !spent() && !memory.unmovable(context.now());
    }

    /** The share that interference asks for; the present one if it asks for no other. */
    private int wanted() {
        long since = memory.since(context.now());
        boolean due = slow && (share == whole || context.counters().slow() >= SLOW_SAMPLES && since >= policy.holdUnit());
        if (!due || exhausted()) {
            return share;
        }
        int computed = Double.isNaN(left) ? whole : (int) Math.round(whole * left);
        if (share == whole && relapsed()) {
            computed = Math.min(computed, memory.held());
        }
        int next = computed <= share - DEAD_BAND ? computed : (int) Math.round(share * further());
        return next < least + ROUNDING_TO_LEAST ? Math.min(share, least) : next;
    }

    /** What another cut leaves. The first one is no cut in an emergency: what waits in a queue then is gone when the cut is in force. */
    private double further() {
        double wanted = policy.targetResponseTime() / context.acted().sample().get(policy.felt());
        return share == whole ? CUT_RATIO : Math.max(DEEPEST_CUT_RATIO, Math.min(CUT_RATIO, wanted));
    }

    private boolean relapsed() {
        return memory.held() > 0 && context.backoff().recent(context.now(), policy.relapseWindow());
    }

    /** True if the share cannot go any further down, so that it is the ladder's turn. */
    private boolean exhausted() {
        return share <= least || laden() || memory.unmovable(context.now())
                || share < whole && memory.inLastHour(context.now()) + 1 > MAX_MOVES;
    }

    /**
     * True for a server with its whole share that does more than in the quiet, as others have given up some of theirs. Where it is known that
     * it is given more the CPU that it gets tells: beside a neighbour who takes half of it that is little, however cheap its pages are.
     */
    private boolean laden() {
        boolean given = given() > LOAD_INCREASE_RATIO;
        double work = memory.capacity().work(medians());
        return share == whole && (given ? work > LOAD_INCREASE_RATIO || work > MIN_CPU_RATIO && context.counters().slow() < SLOW_SAMPLES
                : !relapsed() && memory.capacity().served(medians()) > LOAD_INCREASE_RATIO);
    }

    private String ladenWords() {
        return given() > LOAD_INCREASE_RATIO ? ", but it gets " + Rounded.of(memory.capacity().work(medians())) + " times the CPU without interference"
                : ", but it serves " + Rounded.of(memory.capacity().served(medians())) + " times the requests without interference";
    }

    /** What others have given up comes to this server: the requests that the balancer gives it, of the usual; NaN where nobody tells. */
    private double given() {
        return context.acted().sample().get(Sharing.LOAD);
    }

    private String cutReason() {
        boolean first = share == whole;
        return (first ? "interference confirmed: " : "interference persists: ")
                + (first && relapsed() ? "the whole share was tried too early; " : felt() + ", target "
                + Rounded.of(policy.targetResponseTime()) + "s; ") + memory.capacity().describe(medians());
    }

    private String roomWords() {
        return "who has the whole share has room for " + Rounded.of(sharing.headroom()) + " times the usual requests";
    }

    private String felt() {
        return policy.felt().column() + " " + Rounded.of(context.acted().sample().get(policy.felt())) + "s";
    }

    /** The whole share, once its hold is over. */
    private Proposal back() {
        ActionHistory ledger = context.ledger();
        boolean failed = context.failedBack();
        long hold = failed ? ledger.pauseBack(policy.coolDown().toMillis()) : hold(1);
        long left = hold - memory.since(context.now());
        if (left > 0) {
            return hold(Scenario.SHARE_HELD, "fewer requests may hide a neighbour: the whole share is tried in "
                    + (left + 999) / 1000 + "s, of a hold of " + hold / 1000 + "s");
        }
        if (!failed && spent()) {
            return hold(Scenario.SHARE_HELD, memory.inLastHour(context.now()) + " moves of the share in the last hour, "
                    + MAX_MOVES + " with the way back are allowed");
        }
        return act(Action.RESTORE, Scenario.SHARE_BACK, whole, "no interference is seen");
    }

    private boolean spent() {
        return memory.inLastHour(context.now()) + 2 > MAX_MOVES;
    }

    /** The hold before a try: so many cool-downs, and four times that for each try that failed. */
    private long hold(int units) {
        return Math.min(policy.longestHold(), units * policy.holdUnit() << RETRY_DOUBLINGS * context.backoff().relapses());
    }

    /** True if the neighbour leaves much more than at the last cut, for long enough. */
    private boolean eased() {
        return !slow && earned() - share > Math.min(DEAD_BAND, share / 2.0) && memory.since(context.now()) >= hold(RAISE_HOLD_UNITS) && !spent();
    }

    /** What the share would have been cut to with as much left as now. */
    private double earned() {
        return Math.min(whole, share * left / memory.then());
    }

    private Proposal raise() {
        int half = (int) Math.round((share + earned()) / 2);
        return act(Action.RESTORE, Scenario.SHARE_BACK, half, "interference, but less of it: "
                + memory.capacity().describe(medians()));
    }

    private Medians medians() {
        return context.features().medians();
    }

    private Proposal act(Action action, Scenario scenario, int to, String reason) {
        Settings current = context.current();
        return explained(Proposal.move(action, scenario, current, current.with(sharing.knob(), to), reason + "; "));
    }

    private Proposal hold(Scenario scenario, String reason) {
        return explained(Proposal.hold(scenario, context.current(), reason));
    }

    /** What is to be done with everything else, with the share as it is. */
    private Proposal kept(Proposal other) {
        Proposal with = other.to(sharing.kept(other.desired(), context.current()));
        return share == whole && with.action().applies() ? with : explained(with);
    }

    private Proposal explained(Proposal proposal) {
        if (share == whole && memory.capacity().seconds() == 0) {
            return proposal;
        }
        Map<String, Double> numbers = new LinkedHashMap<>(proposal.numbers());
        numbers.put("share.now", (double) share);
        numbers.put("share.moves_in_last_hour", (double) memory.inLastHour(context.now()));
        if (!Double.isNaN(left)) {
            numbers.put("share.capacity_left", left);
        }
        List<String> evidence = memory.capacity().seconds() == 0 ? proposal.evidence()
                : new ExplainedSettings(context.current(), proposal.evidence()).to(context.current(),
                "share " + share + ": " + memory.capacity().describe(medians())
                + (laden() ? ladenWords() + ", so it asks for no smaller share" : "")
                + (room > lowest ? "; " + room + " at the least, as " + roomWords() : "")).evidence();
        return proposal.because(proposal.rules(), evidence, numbers);
    }
}

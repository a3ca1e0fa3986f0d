// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.UserHarm;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.knowledge.Wall;
import org.ic2.knowledge.control.policy.Ladder;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.HarmMemory;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.knowledge.rules.CauseLevers;
import org.ic2.knowledge.rules.Move;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What is said and done where users are harmed and no neighbour is seen. What helps against a cause is in the rules; it is done
 * only for a cause that the configuration names, while the response time is above the target, and said otherwise. A neighbour
 * goes before: once interference is confirmed, {@link Escalation} decides.
 */
public final class HarmPlan {
    /** Reasons to do nothing that would say that all is well, or as good as. */
    private static final Set<Scenario> QUIET = EnumSet.of(Scenario.STEADY, Scenario.CHANGING, Scenario.NOT_JUDGED);
    private static final double MORE_WORKERS = 1.5;

    private final DecisionContext context;
    private final Policy policy;
    private final HarmMemory users;
    private final Settings current;

    private HarmPlan(DecisionContext context, Policy policy) {
        this.context = context;
        this.policy = policy;
        this.users = context.users();
        this.current = context.current();
    }

    /** The confirmed harm with what helps, or nothing. */
    public static Optional<UserHarm> harm(DecisionContext context, Policy policy) {
        HarmMemory users = context.users();
        return users.cause() == null ? Optional.empty() : Optional.of(new UserHarm(users.felt(), users.finding(),
                new HarmPlan(context, policy).advice(), Instant.ofEpochMilli(users.since())));
    }

    /** True if it is decided here: a cause is acted on, or may be. */
    static boolean decides(DecisionContext context, Policy policy) {
        HarmMemory users = context.users();
        return context.state() != State.I2 && (users.acted() != null && context.episode() != null || takesOver(context, policy)
                || context.episode() == null && users.cause() != null && new HarmPlan(context, policy).may(users.cause()));
    }

    /** True if a neighbour is gone who had the tier away from its baseline, and users still wait for a cause that levels help against. */
    static boolean takesOver(DecisionContext context, Policy policy) {
        Cause cause = context.users().cause();
        return context.state() == State.NI2 && context.users().acted() == null && context.episode() != null
                && !context.episode().apart() && cause != null && new HarmPlan(context, policy).may(cause)
                && policy.knowledge().causes().get(cause).first() > 0;
    }

    /**
     * The step that the cause asks for, or the way back from it.
     *
     * @param again true if a step back was taken too early
     * @param back  the way back
     */
    static Proposal propose(DecisionContext context, Policy policy, boolean again, Supplier<Proposal> back) {
        return new HarmPlan(context, policy).step(again, back);
    }

    /** The same proposal; where it would say that all is well, the harm, or its end. Of what only a neighbour asks for, advice. */
    static Proposal told(Proposal proposal, DecisionContext context, Policy policy) {
        HarmMemory users = context.users();
        HarmMemory before = context.before().harm();
        boolean away = proposal.action() == Action.MITIGATE || proposal.action() == Action.ESCALATE || proposal.action() == Action.STEP_UP;
        if (away && proposal.scenario() != Scenario.CAUSE_MITIGATION && !policy.acts().contains(Cause.NEIGHBOUR)) {
            return proposal.postponed(Scenario.ONLY_ADVISED, context.current(), "act does not name neighbour");
        }
        if (!QUIET.contains(proposal.scenario()) || context.judgement().believed() == Label.INTERFERENCE) {
            return proposal;
        }
        if (users.cause() != null && users.cause() != Cause.NEIGHBOUR) {
            return Proposal.hold(Scenario.SLOW, context.current(), harm(context, policy).orElseThrow().describe()
                    + (proposal.scenario() == Scenario.STEADY ? "" : "; " + proposal.reason()));
        }
        boolean over = before.cause() != null && before.cause() != Cause.NEIGHBOUR && !users.confirmed();
        return !over ? proposal : Proposal.hold(Scenario.QUICK_AGAIN, context.current(), "users are harmed no longer, after "
                + (users.changed() - before.changed()) / 1000 + " s; the cause was " + before.cause().key());
    }

    private boolean may(Cause cause) {
        CauseLevers levers = policy.knowledge().causes().get(cause);
        return levers != null && levers.any() && policy.acts().contains(cause);
    }

    private Proposal step(boolean again, Supplier<Proposal> back) {
        if (!users.confirmed() && !again) {
            return back(back);
        }
        long unseen = context.now() - users.suffered();
        if (!again && unseen >= policy.longestHold()) {
            return back.get().noting("users have not waited for " + unseen / 1000 + "s, so it is tried whether the level is still needed");
        }
        boolean known = again || users.cause() == null || may(users.cause());
        Cause cause = users.cause() != null && may(users.cause()) ? users.cause() : users.acted();
        if (!may(cause)) {
            return back.get();      // it is acted on no longer
        }
        String felt = harm(context, policy).map(UserHarm::describe).orElse("the response time rose after a step back");
        CauseLevers levers = policy.knowledge().causes().get(cause);
        Settings least = within(levers);
        // a cause may swing back as quickly as it came
        boolean stays = due(users.turned());
        if (context.state() == State.NI2 && !least.equals(current) && stays) {
            return Proposal.move(Action.RESTORE, Scenario.RESTORATION, current, least, felt + "; " + cause.key() + " asks for no more: ");
        }
        if (!known && hasWall() && current.get(Wall.FLAG) == Wall.UP && stays) {
            return Proposal.move(Action.RESTORE, Scenario.RESTORATION, current, current.with(Wall.FLAG, policy.baseline().get(Wall.FLAG)),
                    felt + "; the wall was against " + cause.key() + ": ");
        }
        if (!known || !(context.acted().sample().get(policy.felt()) > policy.targetResponseTime())) {
            return Proposal.hold(Scenario.SLOW, current, felt);
        }
        ExplainedSettings reached = moved(levers, climbed(levers));
        boolean first = current.equals(policy.baseline());
        String said = felt + (wallDue(levers) ? withoutWall() : "");
        return reached.values().equals(current) ? Proposal.hold(Scenario.SLOW, current, said + "; no lever has room left")
                : Proposal.move(first ? Action.MITIGATE : Action.ESCALATE, Scenario.CAUSE_MITIGATION, current, reached.values(),
                said + "; ").because(List.of(cause.key()), reached.evidence(), Map.of());
    }

    /** That it goes on without the wall, and why; empty if nothing keeps it down. */
    private String withoutWall() {
        Refusal why = users.noWallAt(context.now());
        return why == null ? "" : "; " + why.reason() + ", so it is left out for " + (why.until() - context.now()) / 1000 + " s";
    }

    /** Once the harm is over for a cool-down, doubled for each relapse; from the first level down on the way itself has a hold. */
    private Proposal back(Supplier<Proposal> way) {
        return due(users.changed()) ? way.get() : Proposal.hold(Scenario.COOLING_DOWN, current,
                "users are harmed no longer, the way back begins " + hold() / 1000 + "s after");
    }

    private long hold() {
        long coolDown = policy.coolDown().toMillis();
        return context.backoff().lastBack() >= 0 ? coolDown : Math.max(coolDown, context.backoff().doubled(coolDown, policy.longestHold()));
    }

    /** True if what a step back goes by has lasted for the hold, and so has the last action. */
    private boolean due(long since) {
        return context.now() - since >= hold() && context.ledger().since(context.now()) >= hold();
    }

    /** What runs, without what only a neighbour asks for: levels beyond the cause's last, and the rules' values. */
    private Settings within(CauseLevers levers) {
        Ladder ladder = policy.ladder();
        int last = levers.first() == 0 ? 0 : level(levers.last());
        Settings kept = levers.moves().isEmpty() ? ladder.withOthersAtBaseline(current) : current;
        if (hasWall()) {
            kept = kept.with(Wall.FLAG, (levers.wall() >= 0 ? current : policy.baseline()).get(Wall.FLAG));
        }
        while (ladder.reached(kept) > last) {
            kept = ladder.down(kept).orElseThrow();
        }
        return kept;
    }

    /** The first level of the cause, or one more, up to its last; and the wall in its turn. */
    private ExplainedSettings climbed(CauseLevers levers) {
        Ladder ladder = policy.ladder();
        ExplainedSettings from = new ExplainedSettings(current, users.evidence());
        if (wallDue(levers) && users.noWallAt(context.now()) == null) {
            return from.to(current.with(Wall.FLAG, Wall.UP));
        }
        if (levers.first() == 0 || ladder.highest() < 1) {
            return from;
        }
        int reached = Math.max(0, ladder.reached(current));
        int last = level(levers.last());
        int level = Math.min(last, Math.max(reached + 1, level(levers.first())));
        return level <= reached ? from : StarvationGuard.level(from.to(ladder.up(current, level)), context.refusal(), policy,
                context.acted().sample());
    }

    private boolean wallDue(CauseLevers levers) {
        return levers.wall() >= 0 && hasWall() && current.get(Wall.FLAG) != Wall.UP && policy.ladder().reached(current) >= upTo(levers.wall());
    }

    private boolean hasWall() {
        return policy.levers().contains(Wall.FLAG) && policy.bounds().highest().get(Wall.FLAG) == Wall.UP;
    }

    /** The highest level that sets the mitigation to no more than a number; at least the first. */
    private int level(int number) {
        return Math.min(policy.ladder().highest(), Math.max(1, upTo(number)));
    }

    /** The highest level that sets the mitigation to no more than a number; 0 if none does. */
    private int upTo(int number) {
        Ladder ladder = policy.ladder();
        int level = Math.min(number, ladder.highest());
        if (ladder.knobs().contains(Lever.MITIGATION)) {
            level = Math.min(ladder.highest(), Ladder.MAX_LEVELS);
            while (level > 0 && ladder.level(level).get(Lever.MITIGATION) > number) {
                level--;
            }
        }
        return level;
    }

    /** With the values of the knobs that no level moves, where their conditions hold. */
    private ExplainedSettings moved(CauseLevers levers, ExplainedSettings from) {
        Features features = context.acted();
        if (!levers.may(features)) {
            return from;
        }
        Settings values = from.values();
        for (Move move : levers.moves()) {
            Knob knob = move.knob();
            if (policy.levers().contains(knob) && !policy.ladder().knobs().contains(knob)) {
                double target = move.target(policy.baseline().get(knob), features);
                values = Double.isNaN(target) ? values : values.with(knob, policy.bounds().clamp(knob, target));
            }
        }
        return StarvationGuard.limit(from.to(values), policy, context.acted().sample());
    }

    private String advice() {
        Cause cause = users.cause();
        CauseLevers levers = policy.knowledge().causes().get(cause);
        if (cause == Cause.NEIGHBOUR || levers == null) {
            return cause == Cause.NEIGHBOUR ? "the mitigation levels" : "none is known";
        }
        String wall = levers.wall() >= 0 && !hasWall() ? "; there is no wall here (docs/wall.md)" : "";
        String line = cause == Cause.LIMIT && !policy.levers().contains(Lever.MAX_REQUEST_WORKERS) ? line() : "";
        boolean open = levers.any() && !policy.acts().contains(cause);
        return levers.advice() + wall + line + (open ? " (act: [" + cause.key() + "] lets IC2 use " + levers.does() + ")" : "");
    }

    /** What to write where the agent cannot move the limit. */
    private String line() {
        Sample sample = context.acted().sample();
        double workers = sample.has(Metric.MXC) ? sample.get(Metric.MXC) : sample.get(Metric.BUSY_WORKERS);
        return Double.isNaN(workers) ? "" : ": the line \"MaxRequestWorkers " + Rounded.of(Math.ceil(MORE_WORKERS * workers))
                + "\" in httpd's configuration, now " + Rounded.of(workers);
    }
}

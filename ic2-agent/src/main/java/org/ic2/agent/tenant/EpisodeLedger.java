// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.tenant;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.knowledge.control.worth.EndedEpisode;
import org.ic2.knowledge.control.worth.EpisodeWorth;
import org.ic2.knowledge.control.worth.WorthInterval;

/**
 * Adds up what a time away from the baseline is worth, and tells it when that is over. A restart of the agent forgets it. Not for use by
 * more than one thread.
 */
final class EpisodeLedger {
    /** An onset of more slow seconds is told by its last ones. */
    private static final double FADE = 0.9;
    private static final double MILLIS = 1000;

    private final Set<String> causes = new LinkedHashSet<>();
    private EpisodeWorth worth;
    private Instant begin;
    private int level;
    private double slowRequests;
    private double slowSeconds;
    private double onset;

    /**
     * Takes a turn in.
     *
     * @param before what was remembered before the sample
     * @param after  the same after it
     * @param policy its target, and the baseline
     * @return the episode that is over with it
     */
    Optional<EndedEpisode> turn(ControllerState before, Sample sample, Decision decision, ControllerState after, Policy policy) {
        if (worth == null) {
            slow(sample, policy.targetResponseTime(), policy.felt());
        } else {
            double seconds = (after.now() - before.now()) / MILLIS;
            int now = decision.current().has(Lever.MITIGATION) ? decision.current().get(Lever.MITIGATION) : 0;
            level = Math.max(level, now);
            worth = worth.plus(WorthInterval.of(sample, seconds, decision.current(), policy.baseline(), before.learning()), onset);
        }
        boolean away = after.episode() != null && after.manualReason().isEmpty();
        if (away && worth == null) {
            begin(sample.time());
        }
        if (away) {
            name(decision);
        }
        return worth != null && !away ? Optional.of(end(sample.time())) : Optional.empty();
    }

    /** How long users waited before anything was done: the mean over the requests of the last slow seconds. */
    private void slow(Sample sample, double target, Metric felt) {
        double time = sample.get(Metric.RESPONSE_TIME);
        double requests = sample.get(Metric.REQUESTS);
        double slowest = sample.get(felt);
        boolean tells = slowest > target && requests > 0 && time * requests < Double.POSITIVE_INFINITY;
        if (tells || slowest <= target) {
            slowSeconds = tells ? FADE * slowSeconds + time * requests : 0;
            slowRequests = tells ? FADE * slowRequests + requests : 0;
        }
    }

    private void begin(Instant time) {
        begin = time;
        worth = EpisodeWorth.none();
        onset = slowRequests > 0 ? slowSeconds / slowRequests : Double.NaN;
    }

    private void name(Decision decision) {
        switch (decision.scenario()) {
            case MITIGATION, ESCALATION, SHARE_CUT -> causes.add(Cause.NEIGHBOUR.key());
            case CAUSE_MITIGATION -> causes.add(decision.rules().isEmpty() ? Cause.UNKNOWN.key() : decision.rules().get(0));
            case CONTEXT -> causes.add("a rule's own evidence");
            default -> { }
        }
    }

    private EndedEpisode end(Instant time) {
        EndedEpisode ended = new EndedEpisode(begin, time, causes.isEmpty() ? Cause.UNKNOWN.key() : String.join(", ", causes), level, worth);
        causes.clear();
        worth = null;
        level = 0;
        slowSeconds = 0;
        slowRequests = 0;
        return ended;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.Episode;
import org.ic2.knowledge.control.state.Refusal;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Keeps the paper's recipe from starving users. In the worker MPM a kept-alive connection holds a thread: MXC below
 * the connected users together with KAT above their think time gives the threads to some users for good, and the
 * others get nothing, while the mean of the completed requests looks splendid.
 */
final class StarvationGuard {
    /** How each line of evidence about what was changed begins. */
    static final String CHANGED = "starvation guard: ";
    /** How the line begins that says why what harmed is not tried again. */
    static final String REFUSED = "the paper's values are not used: ";
    /** What can starve users. */
    private static final Set<Knob> STARVING_KNOBS = Set.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT);
    /** So many samples in a row must show the harm before an action is undone. */
    static final int HARM_SAMPLES = 2;
    /** The accept queue may wait so much longer than before the action: this share of what users wait in all... */
    private static final double TOLERATED_SHARE = 0.1;
    /** ...but at least so many seconds. */
    private static final double TOLERATED_SECONDS = 0.02;
    /** A single connection that is seen there is on its way, no queue. */
    private static final double CONNECTIONS_IN_TRANSIT = 1;

    private StarvationGuard() {
    }

    /**
     * The nearest configuration to {@code wanted} that cannot starve anybody as far as the sample tells. Unknown
     * users or an unknown think time count as the worst case. MXC gives way before KAT, which is the honest lever.
     * Each change is a line of evidence.
     */
    static ExplainedSettings limit(ExplainedSettings wanted, Policy policy, Sample sample) {
        Settings baseline = policy.baseline();
        Settings asked = wanted.values();
        if (!policy.safeguards().starvation() || keepAlive(asked) <= sample.get(Metric.THINK_TIME)) {
            return wanted;
        }
        ExplainedSettings result = wanted;
        double users = users(sample);
        if (!(threads(asked) >= users) && threads(asked) < threads(baseline)) {
            int enough = Double.isNaN(users) ? threads(baseline)
                    : (int) Math.min(threads(baseline), Math.ceil(users));
            result = wanted.to(asked.with(Lever.MAX_REQUEST_WORKERS, enough), CHANGED + "max-request-workers "
                    + enough + " instead of " + threads(asked) + ", connected users " + Rounded.of(users)
                    + ", think time " + Rounded.of(sample.get(Metric.THINK_TIME)));
        }
        Settings values = result.values();
        if (threads(values) < users && keepAlive(values) > keepAlive(baseline)) {
            return result.to(values.with(Lever.KEEP_ALIVE_TIMEOUT, baseline.get(Lever.KEEP_ALIVE_TIMEOUT)),
                    CHANGED + "keep-alive-timeout stays, connected users " + Rounded.of(users)
                    + " exceed the baseline's threads");
        }
        return result;
    }

    /**
     * A level of a ladder that moves what can starve users: limited like the rules' values, and without it while what
     * harmed is not tried again.
     */
    static ExplainedSettings level(ExplainedSettings wanted, Refusal refusal, Policy policy, Sample sample) {
        if (Collections.disjoint(policy.ladder().knobs(), STARVING_KNOBS)) {
            return wanted;
        }
        Set<Knob> watched = Knob.set(STARVING_KNOBS);
        watched.retainAll(policy.ladder().knobs());
        return refusal == null ? limit(wanted, policy, sample)
                : wanted.to(wanted.values().with(policy.baseline().only(watched)));
    }

    /** Those lines of evidence that say what the guard changes, for people; empty if it changes nothing. */
    static String words(List<String> evidence) {
        return evidence.stream().filter(line -> line.startsWith(CHANGED) || line.startsWith(REFUSED)).distinct()
                .collect(Collectors.joining("; "));
    }

    /** What is left when the harm is taken back: the rules' values go, and of a level what can starve users. */
    static Settings undone(Settings current, Policy policy) {
        return policy.ladder().withOthersAtBaseline(current).with(policy.baseline().only(STARVING_KNOBS));
    }

    /** What harm a sample shows, in words, if what runs can have done it; else null. */
    static String harm(Settings running, Episode episode, Sample sample, Policy policy) {
        boolean ours = policy.safeguards().starvation() && policy.acting() && episode != null && !sample.straddlesEpochs()
                && (threads(running) < threads(policy.baseline())
                || keepAlive(running) > keepAlive(policy.baseline()));
        if (!ours) {
            return null;
        }
        double users = users(sample);
        if (threads(running) < Math.min(users, threads(policy.baseline()))
                && !(keepAlive(running) <= sample.get(Metric.THINK_TIME))) {
            return Rounded.of(users) + " users share " + threads(running) + " threads with keep-alive "
                    + Lever.KEEP_ALIVE_TIMEOUT.format(running.get(Lever.KEEP_ALIVE_TIMEOUT))
                    + " above their think time";
        }
        if (sample.get(Metric.ACCEPT_QUEUE) <= CONNECTIONS_IN_TRANSIT) {
            return null;
        }
        double before = episode.queueWait();
        double now = queueWait(sample);
        double all = sample.get(Metric.RESPONSE_TIME);
        double felt = all > policy.targetResponseTime() ? all : policy.targetResponseTime();
        double tolerated = Math.max(Math.max(TOLERATED_SECONDS, before), TOLERATED_SHARE * felt);
        return now > before + tolerated ? "the accept queue waits " + Rounded.of(now) + "s, " + Rounded.of(before)
                + "s before the action" : null;
    }

    private static int threads(Settings settings) {
        return settings.get(Lever.MAX_REQUEST_WORKERS);
    }

    /** Seconds. */
    private static double keepAlive(Settings settings) {
        return (double) settings.get(Lever.KEEP_ALIVE_TIMEOUT) / Lever.KEEP_ALIVE_TIMEOUT.unitsPerColumn();
    }

    /** How many users the tier has, NaN if unknown. */
    private static double users(Sample sample) {
        double connected = sample.get(Metric.CONNECTED_USERS);
        double held = sample.get(Metric.BUSY_WORKERS) + sample.get(Metric.ACCEPT_QUEUE);
        return Double.isNaN(connected) ? held : Double.isNaN(held) ? connected : Math.max(connected, held);
    }

    /** The accept queue's wait, s; by Little's law where only its length is known; NaN if unknown. */
    static double queueWait(Sample sample) {
        double wait = sample.get(Metric.ACCEPT_QUEUE_WAIT);
        double length = sample.get(Metric.ACCEPT_QUEUE);
        if (!Double.isNaN(wait) || Double.isNaN(length) || length == 0) {
            return Double.isNaN(wait) ? length : wait;
        }
        double throughput = sample.get(Metric.THROUGHPUT);
        return throughput > 0 ? length / throughput : throughput == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control;

import java.util.List;
import org.ic2.knowledge.Configuration;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;

/**
 * Keeps the paper's recipe from starving users. In the worker MPM a kept-alive connection holds a thread: MXC below
 * the connected users together with KAT above their think time gives the threads to some users for good, and the
 * others get nothing, while the mean of the completed requests looks splendid.
 */
final class StarvationGuard {
    /** So many samples in a row must show the harm before an action is undone. */
    private static final int SAMPLES = 2;
    /** The accept queue may wait so much longer than before the action: this share of the target response time... */
    private static final double TOLERATED_SHARE = 0.1;
    /** ...but at least so many seconds. */
    private static final double TOLERATED_SECONDS = 0.02;

    private StarvationGuard() {
    }

    /**
     * The nearest configuration to {@code wanted} that cannot starve anybody as far as the sample tells. Unknown
     * users or an unknown think time count as the worst case. MXC gives way before KAT, which is the honest lever.
     *
     * @param notes gets one line for each change
     */
    static Configuration limit(Configuration wanted, Policy policy, Sample sample, List<String> notes) {
        Configuration baseline = policy.baseline();
        boolean longKeepAlive = !(wanted.keepAliveSeconds() <= sample.get(Metric.THINK_TIME));
        if (wanted.samePaperValues(baseline) || !longKeepAlive) {
            return wanted;
        }
        Configuration result = wanted;
        double users = users(sample);
        if (!(wanted.maxRequestWorkers() >= users) && wanted.maxRequestWorkers() < baseline.maxRequestWorkers()) {
            int enough = Double.isNaN(users) ? baseline.maxRequestWorkers()
                    : (int) Math.min(baseline.maxRequestWorkers(), Math.ceil(users));
            result = wanted.with(Lever.MAX_REQUEST_WORKERS, enough);
            notes.add("starvation guard: max-request-workers " + enough + " instead of " + wanted.maxRequestWorkers()
                    + ", connected users " + Rounded.of(users) + ", think time "
                    + Rounded.of(sample.get(Metric.THINK_TIME)));
        }
        boolean tooFewThreads = result.maxRequestWorkers() < users;
        if (tooFewThreads && result.keepAliveMillis() > baseline.keepAliveMillis()) {
            result = result.with(Lever.KEEP_ALIVE_TIMEOUT, baseline.keepAliveMillis());
            notes.add("starvation guard: keep-alive-timeout stays, connected users " + Rounded.of(users)
                    + " exceed the baseline's threads");
        }
        return result;
    }

    /** Counts the samples that show harm; returns what harm it is once it is sure, else null. */
    static String harm(Draft draft, Policy policy, Sample sample) {
        Configuration running = draft.configuration;
        boolean ours = policy.acting() && draft.episode != null && !sample.straddlesEpochs()
                && (running.maxRequestWorkers() < policy.baseline().maxRequestWorkers()
                || running.keepAliveMillis() > policy.baseline().keepAliveMillis());
        String harm = ours ? seen(draft, policy, sample) : null;
        draft.waiting = harm == null ? 0 : draft.waiting + 1;
        return draft.waiting >= SAMPLES ? harm : null;
    }

    private static String seen(Draft draft, Policy policy, Sample sample) {
        Configuration running = draft.configuration;
        double users = users(sample);
        if (running.maxRequestWorkers() < Math.min(users, policy.baseline().maxRequestWorkers())
                && !(running.keepAliveSeconds() <= sample.get(Metric.THINK_TIME))) {
            return Rounded.of(users) + " users share " + running.maxRequestWorkers() + " threads with keep-alive "
                    + Lever.KEEP_ALIVE_TIMEOUT.format(running.keepAliveMillis()) + " above their think time";
        }
        double before = draft.episode.queueWait();
        double now = queueWait(sample);
        double tolerated = Math.max(TOLERATED_SECONDS, TOLERATED_SHARE * policy.targetResponseTime());
        return now > before + tolerated ? "the accept queue waits " + Rounded.of(now) + "s, " + Rounded.of(before)
                + "s before the action" : null;
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

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import java.util.ArrayList;
import java.util.List;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Label;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.learn.MetricBaseline;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.state.HarmMemory;
import org.ic2.runtime.knob.Settings;

/**
 * Whether a sample shows that users are harmed, whatever the cause: they wait longer than the target, they wait to be accepted,
 * or they ask for more CPU than is left. What is not measured says nothing, neither that they are nor that they are not.
 *
 * @param label INTERFERENCE: harmed; NO_INTERFERENCE: not; null: nothing that is measured tells
 * @param felt  what they suffer, in words; empty if nothing
 * @param seen  true if they are seen to wait; false if it is only reckoned that they would without the level
 */
public record HarmLabel(Label label, String felt, boolean seen) {
    /** The share of the CPU that is left of which demand may take so much, before queues grow. */
    public static final double MAX_UTILISATION = 0.8;
    /** A demand that is so near to the usual one harms nobody, or nobody would be content with the tier. */
    private static final double USUAL_RATIO = 1.1;
    /** A single connection that is seen in the queue is on its way. */
    private static final double CONNECTIONS_IN_TRANSIT = 1;
    /** So long may a connection wait, s; and such a share of the target. */
    private static final double TOLERATED_WAIT = 0.02;
    private static final double TOLERATED_SHARE = 0.1;
    /** What waits is to be served in so many seconds. */
    private static final double DRAIN_TIME = 10;

    /** What a sample shows. */
    static HarmLabel of(AccumulatedSample gathered, MetricBaseline learning, Settings running, Policy policy) {
        Sample sample = gathered.judged();
        List<String> felt = new ArrayList<>();
        double time = sample.get(policy.felt());
        double target = policy.targetResponseTime();
        boolean slow = time > target;
        if (slow) {
            felt.add((policy.felt() == Metric.RESPONSE_TIME ? "response time " : policy.felt().column() + " ") + Rounded.of(time)
                    + " s, target " + Rounded.of(target) + " s");
        }
        boolean waiting = waiting(gathered.interval(), target, policy);
        if (waiting) {
            felt.add(queued(gathered.interval(), policy));
        }
        double need = need(new Features(sample, learning.medians()), learning, running, policy);
        double limit = MAX_UTILISATION * left(sample);
        boolean lacking = need > limit && need > USUAL_RATIO * learning.medians().get(Metric.CPU_USED);
        if (lacking) {
            felt.add("requests ask for " + Rounded.of(100 * need) + " % of the CPU, " + Rounded.of(100 * limit) + " % may be used");
        }
        boolean known = sample.has(policy.felt()) || gathered.interval().has(Metric.ACCEPT_QUEUE);
        return new HarmLabel(slow || waiting || lacking ? Label.INTERFERENCE : known ? Label.NO_INTERFERENCE : null,
                String.join("; ", felt), slow || waiting);
    }

    /** What is remembered after a sample; one between two whole intervals, or in which something changed, tells nothing. */
    public static HarmMemory step(HarmMemory before, AccumulatedSample gathered, MetricBaseline learning, Reconciliation running,
            Policy policy) {
        boolean silent = before.heard() > 0 && running.now() - before.heard() >= policy.staleAfter().toMillis();
        HarmMemory known = silent ? before.forgotten(running.now()) : before;
        if (gathered.between() || gathered.interval().straddlesEpochs()) {
            return known;
        }
        HarmLabel shown = of(gathered, learning, running.configuration(), policy);
        return shown.label == null ? known : known.to(FiveStates.step(known.state(), shown.label).to(),
                shown.label == Label.INTERFERENCE ? shown.felt : known.felt(), gathered.interval().time().toEpochMilli(),
                running.now()).suffering(shown.seen);
    }

    private static double left(Sample sample) {
        return 1 - (sample.has(Metric.STEAL) ? sample.get(Metric.STEAL) : 0);
    }

    /** The share of the CPU that the requests would take at the baseline, those included that are turned away; NaN if that is not known. */
    private static double need(Features features, MetricBaseline learning, Settings running, Policy policy) {
        Sample sample = features.sample();
        double usual = features.medians().get(Metric.LOAD_PER_OPERATION_USED);
        double throughput = sample.get(Metric.THROUGHPUT);
        double queue = sample.has(Metric.ACCEPT_QUEUE) ? sample.get(Metric.ACCEPT_QUEUE) : 0;
        double more = throughput > 0 ? 1 + Math.min(1, queue / DRAIN_TIME / throughput) : Double.NaN;
        boolean mitigated = policy.ladder().reached(running) > 0;
        double now = !mitigated ? sample.get(Metric.CPU_USED) : learning.mix().known() ? learning.mix().built(sample) : throughput * usual;
        // whoever gets his answer at once asks again at once: so many are not known, only that they are too many
        double away = sample.get(Metric.TURNED_AWAY) > 0 ? Math.min(1, sample.get(Metric.TURNED_AWAY) * usual) : 0;
        return learning.ready() ? more * now + away : Double.NaN;
    }

    /** Who waits to be accepted, or would: all workers are busy, and nobody tells who waits. */
    private static boolean waiting(Sample sample, double target, Policy policy) {
        if (!sample.has(Metric.ACCEPT_QUEUE)) {
            return allBusy(sample, policy);
        }
        return sample.get(Metric.ACCEPT_QUEUE) > CONNECTIONS_IN_TRANSIT && (allBusy(sample, policy)
                || sample.get(Metric.ACCEPT_QUEUE_WAIT) > Math.max(TOLERATED_WAIT, TOLERATED_SHARE * target));
    }

    /** True if no worker is idle, or as many are busy as the baseline has. */
    static boolean allBusy(Sample sample, Policy policy) {
        double busy = sample.get(Metric.BUSY_WORKERS);
        double most = policy.levers().contains(Lever.MAX_REQUEST_WORKERS) ? policy.baseline().get(Lever.MAX_REQUEST_WORKERS)
                : sample.get(Metric.MXC);
        return busy > 0 && (sample.get(Metric.IDLE_WORKERS) == 0 || busy >= most);
    }

    private static String queued(Sample sample, Policy policy) {
        String workers = allBusy(sample, policy) ? "all " + Rounded.of(sample.get(Metric.BUSY_WORKERS)) + " workers are busy" : "";
        return sample.has(Metric.ACCEPT_QUEUE) ? Rounded.of(sample.get(Metric.ACCEPT_QUEUE)) + " connections wait"
                + (workers.isEmpty() ? "" : ", " + workers) : workers;
    }
}

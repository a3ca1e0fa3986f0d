// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.detect;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.ic2.knowledge.Attribute;
import org.ic2.knowledge.Attribute.Form;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.CauseFinding;
import org.ic2.knowledge.CauseFinding.Confidence;
import org.ic2.knowledge.Features;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Rounded;
import org.ic2.knowledge.control.policy.Policy;

/**
 * From a sample that shows harm to the cause: each has a signature, in what is measured and in what that was without harm. The
 * causes are asked in the order of {@link Cause}; the first whose signature fits is the answer. What is not measured and could
 * tell it from another, and another whose signature fits too, lower the confidence by a step each. Nothing fits: unknown.
 */
public final class CauseFinder {
    /** A CPU that is so busy is what requests wait for; one that is less busy is not. */
    private static final double CPU_SHORT = 0.85;
    private static final double CPU_FREE = 0.75;
    /** So many times the usual throughput, CPU of a mix, CPU of a request of whatever mix, and time of a request. */
    private static final double MORE = 1.3;
    private static final double DEARER_MIX = 1.3;
    private static final double DEARER_REQUEST = 1.5;
    /** The same where more is asked for than usual: a tier at its end takes more CPU for everything, and a mix is then less well known. */
    private static final double DEARER_AT_END = 1.7;
    private static final double SLOWER = 2;
    private static final double AS_QUICK = 1.5;
    /** A share that is so much larger than usual is another public. */
    private static final double OTHER_PUBLIC = 0.2;
    /** An address that asks for so many times its usual pages, and for so many, is no person's. */
    private static final double MANY_PAGES_RATIO = 2;
    private static final double MANY_PAGES = 4;
    /** A crowd asks for the same few pages; crawlers do not. */
    private static final double CROWD_SPREAD_RATIO = 1;
    /** Other work that takes so much more of the CPU than usual. */
    private static final double OTHER_WORK = 0.15;
    /** A share of the segments that is sent again, above the usual one: TCP's rate falls with the square root of what is lost. */
    private static final double LOST = 0.05;
    private static final double MEMORY_FREE = 0.2;
    /** What waits is to be served in so many seconds. */
    private static final double DRAIN_TIME = 10;

    private final Features features;
    private final Policy policy;
    private final Map<Cause, Candidate> candidates = new EnumMap<>(Cause.class);

    /** What speaks for a cause, and what is not measured that could speak against it. */
    private record Candidate(List<String> evidence, List<String> missing) {
    }

    private CauseFinder(Features features, Policy policy) {
        this.features = features;
        this.policy = policy;
    }

    /**
     * The cause that fits best.
     *
     * @param neighbour true if the classifier's interference is confirmed, or is about to be
     */
    public static CauseFinding find(Features features, boolean neighbour, Policy policy) {
        CauseFinder finder = new CauseFinder(features, policy);
        finder.neighbour(neighbour);
        finder.otherWork();
        finder.crawlers();
        finder.dearer();
        finder.surge();
        finder.network();
        finder.waiting();
        return finder.best();
    }

    private CauseFinding best() {
        if (candidates.isEmpty()) {
            return new CauseFinding(Cause.UNKNOWN, Confidence.LOW, unknown());
        }
        Cause first = candidates.keySet().iterator().next();
        List<String> evidence = new ArrayList<>(candidates.get(first).evidence);
        candidates.forEach((cause, candidate) -> {
            if (cause != first) {
                evidence.add("also " + cause.key() + ": " + String.join(", ", candidate.evidence));
            }
        });
        evidence.addAll(candidates.get(first).missing);
        return new CauseFinding(first, Confidence.HIGH.lower(candidates.size() - 1 + candidates.get(first).missing.size()), evidence);
    }

    private void fits(Cause cause, List<String> evidence, List<String> missing) {
        candidates.put(cause, new Candidate(evidence, missing));
    }

    private void neighbour(boolean neighbour) {
        if (neighbour) {
            List<String> raised = policy.knowledge().independentSignals().stream().filter(signal -> signal.holds(features))
                    .map(signal -> signal.describe(features)).toList();
            fits(Cause.NEIGHBOUR, raised.isEmpty() ? List.of("the classifier says interference") : raised, List.of());
        }
    }

    private void otherWork() {
        double excess = excess(Metric.OTHER_CPU);
        if (excess > OTHER_WORK) {
            fits(Cause.OWN_BATCH_WORK, List.of("another group of processes on this machine takes " + percent(Metric.OTHER_CPU)), List.of());
        }
    }

    private void crawlers() {
        List<String> evidence = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        boolean listed = excess(Metric.LISTED_CRAWLERS) > OTHER_PUBLIC;
        boolean many = ratio(Metric.PAGES_PER_ADDRESS) > MANY_PAGES_RATIO && get(Metric.PAGES_PER_ADDRESS) > MANY_PAGES;
        boolean fresh = excess(Metric.NEW_ADDRESSES) > OTHER_PUBLIC;
        boolean bare = excess(Metric.NO_COOKIE) > OTHER_PUBLIC;
        boolean wide = ratio(Metric.PAGE_SPREAD) >= CROWD_SPREAD_RATIO;
        boolean narrow = ratio(Metric.PAGE_SPREAD) < CROWD_SPREAD_RATIO;
        add(evidence, listed, percent(Metric.LISTED_CRAWLERS) + " of the requests name a listed crawler");
        add(evidence, many, Rounded.of(get(Metric.PAGES_PER_ADDRESS)) + " different pages an address"
                + usually(Metric.PAGES_PER_ADDRESS));
        add(evidence, fresh, percent(Metric.NEW_ADDRESSES) + " of the requests from new addresses");
        add(evidence, bare, percent(Metric.NO_COOKIE) + " of the pages without a cookie");
        add(evidence, wide && fresh, "as many different pages for so many requests as usual, unlike a crowd");
        if (!listed && !many) {
            add(missing, !known(Metric.NO_COOKIE), "cookies are not measured");
            add(missing, !wide && !narrow, "how many different pages are asked for is not known");
        }
        if (listed || many || fresh && !narrow && (bare || wide && !known(Metric.NO_COOKIE))) {
            fits(Cause.CRAWLERS, evidence, missing);
        }
    }

    /** The CPU of a mix tells it from another mix; that of a request does so only where it is known who asks. */
    private void dearer() {
        boolean mix = dearerMix();
        boolean each = dearerRequest() && !candidates.containsKey(Cause.CRAWLERS) && known(Metric.NEW_ADDRESSES);
        if (!isShort() || !(mix || each) || candidates.containsKey(Cause.NEIGHBOUR)) {
            return;     // beside a neighbour everything takes more CPU
        }
        List<String> missing = new ArrayList<>();
        add(missing, each, "which pages are asked for is not known");
        add(missing, !counted(),
                "a neighbour that takes no CPU would look the same, and no counters are measured");
        fits(Cause.DEARER_PAGES, List.of(mix ? "the same mix of requests takes " + Rounded.of(ratio(Metric.COST_PER_MIX))
                + " times the usual CPU" : "a request takes " + Rounded.of(ratio(Metric.LOAD_PER_OPERATION_USED))
                + " times the usual CPU"), missing);
    }

    private boolean dearerMix() {
        return ratio(Metric.COST_PER_MIX) > (wanted() > MORE ? DEARER_AT_END : DEARER_MIX);
    }

    private boolean dearerRequest() {
        return Double.isNaN(ratio(Metric.COST_PER_MIX)) && ratio(Metric.LOAD_PER_OPERATION_USED) > (wanted() > MORE ? DEARER_AT_END : DEARER_REQUEST);
    }

    private void surge() {
        double more = wanted();
        if (!isShort() || !(more > MORE) || dearerMix() || dearerRequest() || candidates.containsKey(Cause.CRAWLERS)) {
            return;
        }
        List<String> missing = new ArrayList<>();
        add(missing, !known(Metric.NEW_ADDRESSES), "who asks is not measured: crawlers would look the same");
        fits(Cause.SURGE, List.of(Rounded.of(more) + " times the usual requests are asked for, at the usual CPU of each"), missing);
    }

    /** Nothing on this machine is short, and packets get lost on their way. */
    private void network() {
        if (excess(Metric.RETRANSMITS) > LOST && get(Metric.CPU_UTIL) < CPU_FREE) {
            List<String> evidence = new ArrayList<>(List.of(percent(Metric.RETRANSMITS) + " of the segments are sent again"));
            add(evidence, get(Metric.SEND_DROPS) > 0, "the send queue drops " + Rounded.of(get(Metric.SEND_DROPS)) + " packets/s");
            add(evidence, wanted() > MORE, Rounded.of(wanted()) + " times the usual requests are asked for: their answers may fill it");
            fits(Cause.NETWORK, evidence, List.of());
        }
    }

    /** The CPU is free, and requests wait: for an answer from elsewhere, or for a worker. */
    private void waiting() {
        if (!(get(Metric.CPU_UTIL) < CPU_FREE)) {
            return;
        }
        boolean full = HarmLabel.allBusy(features.sample(), policy);
        double served = get(Metric.RESPONSE_TIME) - (features.sample().has(Metric.ACCEPT_QUEUE_WAIT) ? get(Metric.ACCEPT_QUEUE_WAIT) : 0);
        double slower = served / features.medians().get(Metric.RESPONSE_TIME);
        List<String> missing = new ArrayList<>();
        add(missing, !features.sample().has(Metric.ACCEPT_QUEUE_WAIT), "how long connections wait is not measured");
        String idle = "the CPU is " + Rounded.of(100 * (1 - get(Metric.CPU_UTIL))) + " % idle";
        if (slower > SLOWER) {
            add(missing, !features.sample().has(Metric.BUSY_WORKERS), "busy workers are not measured");
            add(missing, !known(Metric.RETRANSMITS), "packets that get lost on the network are not measured");
            fits(Cause.SLOW_DEPENDENCY, List.of(idle, "a request takes " + Rounded.of(slower) + " times the usual time once it has a worker"),
                    missing);
        } else if (full && slower < AS_QUICK) {
            add(missing, !features.sample().has(Metric.MEMORY_IDLE), "free memory is not measured");
            fits(Cause.LIMIT, List.of("all " + Rounded.of(get(Metric.BUSY_WORKERS)) + " workers are busy", idle
                    + (get(Metric.MEMORY_IDLE) > MEMORY_FREE ? ", " + percent(Metric.MEMORY_IDLE) + " of the memory free" : ""),
                    "a request takes no longer than usual once it has a worker"), missing);
        }
    }

    /** What is seen all the same, and what is not measured. */
    private List<String> unknown() {
        List<String> seen = new ArrayList<>();
        double dear = ratio(Metric.LOAD_PER_OPERATION_USED);
        add(seen, dear > DEARER_REQUEST, "a request takes " + Rounded.of(dear) + " times the usual CPU: dearer pages, crawlers on pages"
                + " that few people ask for" + (counted() ? "" : ", or a neighbour that takes no CPU"));
        add(seen, wanted() > MORE, Rounded.of(wanted()) + " times the usual requests are asked for");
        add(seen, !features.sample().has(Metric.CPU_UTIL), "the CPU is not measured");
        add(seen, !known(Metric.RESPONSE_TIME), "what is normal is not known yet");
        add(seen, !known(Metric.NEW_ADDRESSES), "who asks is not measured");
        add(seen, Double.isNaN(ratio(Metric.COST_PER_MIX)), "what a mix of requests costs is not known");
        return seen;
    }

    /** True if hardware counters are there, which show a neighbour who takes no CPU; the latency of memory may miss him. */
    private boolean counted() {
        return known(Metric.CPI) || known(Metric.CMR);
    }

    private boolean isShort() {
        return get(Metric.CPU_UTIL) >= CPU_SHORT;
    }

    /** Requests that are asked for, those that wait included, over the usual ones. */
    private double wanted() {
        double throughput = get(Metric.THROUGHPUT);
        double queue = features.sample().has(Metric.ACCEPT_QUEUE) ? get(Metric.ACCEPT_QUEUE) : 0;
        return (throughput + Math.min(throughput, queue / DRAIN_TIME)) / features.medians().get(Metric.THROUGHPUT);
    }

    private boolean known(Metric metric) {
        return features.sample().has(metric) && !Double.isNaN(features.medians().get(metric));
    }

    private double get(Metric metric) {
        return features.sample().get(metric);
    }

    private double ratio(Metric metric) {
        return features.get(new Attribute(metric, Form.RATIO));
    }

    private double excess(Metric metric) {
        return features.get(new Attribute(metric, Form.EXCESS));
    }

    private String percent(Metric metric) {
        return Rounded.of(100 * get(metric)) + " %" + usually(metric, 100);
    }

    private String usually(Metric metric) {
        return usually(metric, 1);
    }

    private String usually(Metric metric, double scale) {
        double median = features.medians().get(metric);
        return Double.isNaN(median) ? "" : " (usually " + Rounded.of(scale * median) + ")";
    }

    private static void add(List<String> list, boolean holds, String text) {
        if (holds) {
            list.add(text);
        }
    }
}

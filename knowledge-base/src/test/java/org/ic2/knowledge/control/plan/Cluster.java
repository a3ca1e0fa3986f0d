// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Decision;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.control.Controller;
import org.ic2.knowledge.control.DecisionResult;
import org.ic2.knowledge.control.Tier;
import org.ic2.knowledge.control.policy.Detector;
import org.ic2.knowledge.control.policy.Policy;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.control.state.ControllerState;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * Three web servers behind a load balancer on paper: requests come at random and are shared by weight, each server has a
 * queue, and an agent of its own that knows nothing but its samples (and what the balancer says of the others, where it is
 * asked). Time goes in tenths of a second.
 */
final class Cluster {
    /** The share of the cluster's requests, %. */
    enum Share implements Knob {
        KNOB;

        @Override
        public String key() {
            return "share";
        }

        @Override
        public String column() {
            return "share";
        }

        @Override
        public String unit() {
            return "%";
        }

        @Override
        public int least() {
            return 5;
        }
    }

    /** How a neighbour does harm. */
    enum Neighbour {
        /** Takes a part of whatever CPU the server asks for: the steal of what is asked for is the same at every load. */
        SLICES,
        /** The host gives each half: who asks for less than that gets it, and sees next to no steal. */
        FAIR,
        /** Takes all CPU for a part of each tenth of a second: of little that is asked for more is stolen, in proportion. */
        THROTTLES,
        /** Evicts the caches: every request costs more CPU, nothing is stolen. */
        CACHES
    }

    static final int STEPS = 10;
    private static final double STEP = 1.0 / STEPS;
    private static final double PAGE = 0.0052;
    static final double RATE = 115;
    static final Settings BASE = Tier.BASE.with(Share.KNOB, 100);
    private static final SamplingInterval PACE = new SamplingInterval(Duration.ofSeconds(1), Duration.ofMillis(200));

    /** A server and its agent. */
    final class Server {
        Policy policy;
        ControllerState state = ControllerState.initial(BASE);
        Settings running = BASE;
        /** What was ordered and when it is in force. */
        private Settings ordered = BASE;
        private long due;
        Neighbour neighbour;
        /** The part of the CPU that SLICES and THROTTLES take. */
        double taken = 0.5;
        final List<Decision> decisions = new ArrayList<>();
        final List<Long> times = new ArrayList<>();
        private double backlog;
        private double completed;
        private double waited;
        private double used;
        private double stolen;
        private double observed;
        private long next = STEPS;
        private long epoch;
        private long seen;
        double failed;

        int share() {
            return running.get(Share.KNOB);
        }

        /** The moves of the share so far. */
        List<Decision> moves() {
            return decisions.stream().filter(decision -> decision.applies()
                    && !decision.desired().same(decision.current(), Share.KNOB)).toList();
        }

        private void step(double requests) {
            if (clock >= due) {
                running = ordered;
            }
            double cost = PAGE * fewer * (running.get(Lever.MITIGATION) > 0 ? 0.5 : 1) * (neighbour == Neighbour.CACHES ? 1.7 : 1)
                    * noise(spread / Math.sqrt(Math.max(1, requests)));
            backlog = Math.min(60, backlog + requests * cost);
            double available = neighbour == Neighbour.SLICES || neighbour == Neighbour.THROTTLES ? 1 - taken : neighbour == Neighbour.FAIR ? 0.5 : 1;
            double work = Math.min(backlog, available * STEP * noise(0.02));
            double busy = Math.min(1, work / (available * STEP));
            backlog -= work;
            double done = work / cost;
            completed += done;
            waited += done * (0.0083 * cost / PAGE / available / Math.max(0.05, 1 - 0.95 * busy) * noise(0.1)
                    + backlog / available);
            used += work;
            stolen += steal(work, busy);
            observed += STEP;
        }

        private double steal(double work, double busy) {
            double chance = (0.01 + quota * busy * busy) * work * noise(0.3);
            return chance + (neighbour == null ? 0 : switch (neighbour) {
                case SLICES -> work * taken / (1 - taken);
                case FAIR -> busy > 0.99 ? work : 0.02 * work;
                case THROTTLES -> work * (2 - busy);
                case CACHES -> 0;
            });
        }

        private double noise(double deviation) {
            return Math.max(0.2, 1 + deviation * random.nextGaussian());
        }

        private void sample(UnaryOperator<Sample.Builder> seeing) {
            double cpu = used / observed;
            double steal = Math.min(1 - cpu, stolen / observed);
            Sample.Builder sample = Sample.at(Tier.START.plusMillis(100 * clock)).settings(running)
                    .epochs(seen, epoch).set(Metric.THROUGHPUT, completed / observed)
                    .set(Metric.REQUESTS, Math.round(completed)).set(Metric.CPU_UTIL, cpu + steal).set(Metric.STEAL, steal)
                    .set(Metric.ERROR_RATE, 0).set(Metric.CONNECTED_USERS, 50).set(Metric.THINK_TIME, 60)
                    .set(Metric.ACCEPT_QUEUE_WAIT, 0);
            if (completed > 0) {
                sample.set(Metric.RESPONSE_TIME, waited / completed);
            }
            completed = 0;
            waited = 0;
            used = 0;
            stolen = 0;
            observed = 0;
            decide(seeing.apply(sample).build());
        }

        private void decide(Sample sample) {
            seen = epoch;
            DecisionResult decided = Controller.decide(state, sample, policy);
            state = decided.state();
            Decision decision = decided.decision();
            decisions.add(decision);
            times.add(clock);
            if (decision.applies()) {
                ordered = decision.desired();
                due = clock + STEPS / 2;        // HAProxy asks every half second
                epoch++;
            }
            next = clock + (state.suspicious(policy) ? close : STEPS);
        }

        /** Seconds from a time to the first decision on an action of that kind; infinite if there is none. */
        double until(long since, Action action) {
            for (int i = 0; i < decisions.size(); i++) {
                if (times.get(i) >= since && decisions.get(i).action() == action) {
                    return (times.get(i) - since) * STEP;
                }
            }
            return Double.POSITIVE_INFINITY;
        }
    }

    final List<Server> servers = new ArrayList<>();
    final Random random;
    /** True: agents learn from the balancer what shares the others have. */
    boolean asking;
    /** How far apart samples of fast sampling are, in steps. */
    int close = 2;
    /** What the sensors of all agents see of their samples. */
    UnaryOperator<Sample.Builder> sensors = sample -> sample;
    double load = 1;
    /** How much of what they use the servers' own quota throttles them by at full use: more with more load, and no neighbour. */
    double quota;
    /** The deviation of one request's cost, relative. */
    double spread;
    /** How many times fewer requests there are, each as many times dearer. */
    double fewer = 1;
    long clock;

    Cluster(long seed, UnaryOperator<Policy.Builder> policy) {
        this(seed, 20, policy);
    }

    /** @param least the least share that may be asked for, % */
    Cluster(long seed, int least, UnaryOperator<Policy.Builder> policy) {
        random = new Random(seed);
        Bounds bounds = new Bounds(Tier.BOUNDS.lowest().with(Share.KNOB, least), Tier.BOUNDS.highest().with(Share.KNOB, 100));
        for (int i = 0; i < 3; i++) {
            Server server = new Server();
            server.policy = policy.apply(Policy.builder(BASE, bounds, new Detector.Tree(Shipped.classifier()), Shipped.rules())
                    .levers(Knob.set(List.of(Share.KNOB, Lever.MITIGATION))).targetResponseTime(0.2).pace(PACE)
                    .sharing(new Sharing(Share.KNOB))).build();
            server.next = STEPS + 3 * i;
            servers.add(server);
        }
    }

    Server first() {
        return servers.get(0);
    }

    /** So many seconds pass. */
    void pass(double seconds) {
        for (long end = clock + Math.round(seconds * STEPS); clock < end;) {
            clock++;
            double weights = servers.stream().mapToInt(Server::share).sum();
            for (Server server : servers) {
                double mean = load * 3 * RATE / fewer * STEP * server.share() / weights;
                server.step(Math.max(0, mean + Math.sqrt(mean) * random.nextGaussian()));
            }
            for (Server server : servers) {
                if (clock >= server.next) {
                    server.sample(builder -> sensors.apply(asking ? builder.set(Sharing.PEERS, peers(server)).set(Sharing.WHOLE, whole(server))
                            .set(Sharing.LOAD, 3.0 * server.share() / servers.stream().mapToInt(Server::share).sum()) : builder));
                }
            }
        }
    }

    private double whole(Server server) {
        return servers.stream().filter(other -> other != server && other.share() > 90).count() / 3.0;
    }

    private double peers(Server server) {
        return servers.stream().filter(other -> other != server).mapToInt(Server::share).max().orElseThrow() / 100.0;
    }

    /** The mean response time of all servers' last samples, weighted by their requests, s. */
    double responseTime() {
        double all = 0;
        double requests = 0;
        for (Server server : servers) {
            Decision last = server.decisions.get(server.decisions.size() - 1);
            double rate = last.numbers().getOrDefault("throughput", 0.0);
            all += rate * last.numbers().getOrDefault("response_time", 0.0);
            requests += rate;
        }
        return all / requests;
    }
}

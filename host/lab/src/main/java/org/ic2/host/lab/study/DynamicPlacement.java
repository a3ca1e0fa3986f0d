// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.control.LatencyPredictor;
import org.ic2.host.control.LatencyPredictor.Load;
import org.ic2.host.control.LatencyPredictor.Service;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Migration;
import org.ic2.host.lab.sim.MemoryUse;
import org.ic2.host.lab.study.MemoryHost.Watched;

/**
 * Changing work on four hosts (figures 10 and 11): every 30 s a guest somewhere begins to use memory much. Nobody migrates, the
 * cache alone does, or others do too. Each period is shown by a moment of it, in which nobody is pinned; a migration
 * takes none of it.
 */
public final class DynamicPlacement implements Simulation {
    private static final int HOSTS = 4;
    private static final int GUESTS = 12;
    private static final int PERIODS = 30;
    private static final double MOMENT = 1.2;
    /** A little more than three quarters of the peak throughput beside six memory-intensive guests, 1/s. */
    private static final double RATE = 1300;
    /** Beside so many memory-intensive guests the cache is just well. */
    private static final int WELL = 4;
    /** Above what is measured there. */
    private static final double MARGIN = 1.25;
    /** Above what is predicted there: it varies less. */
    private static final double PREDICTED_MARGIN = 1.07;
    /** How many are memory-intensive at first, by host. */
    private static final List<Integer> LBM = List.of(3, 5, 4, 1);

    /**
     * How latency is predicted, and what is wanted: both as they are beside {@value #WELL} memory-intensive guests.
     *
     * @param objective mean response time beyond which the cache is in violation, s
     */
    private record Calibrated(LatencyPredictor predictor, double objective) {
        static Calibrated of(long seed) {
            Watched well = new MemoryHost(MemoryHost.mix(true, WELL, GUESTS - WELL), false, seed).loaded(RATE).watch(4 * MOMENT);
            LatencyPredictor any = predictor(1);
            return new Calibrated(predictor(PREDICTED_MARGIN * predicted(any, well)), MARGIN * well.mean());
        }

        private static LatencyPredictor predictor(double threshold) {
            return new LatencyPredictor(Service.AFFINE, MemoryHost.REQUEST, 5 * MemoryHost.REQUEST, Load.OF_MOST, 0,
                    OptionalDouble.of(2 / MemoryHost.REQUEST), Duration.ZERO, threshold);
        }
    }

    /** A packet for each request. */
    private static double predicted(LatencyPredictor predictor, Watched watched) {
        return predictor.latency(watched.intensity(MemoryHost.CACHE), predictor.load(watched.throughput(), Double.NaN, predictor.begin()));
    }

    /** Who may migrate. */
    private enum Arm {
        NONE("nobody migrates"), SENSITIVE("the cache alone"), ALL("the cache, then others");

        private final String words;

        Arm(String words) {
            this.words = words;
        }

        boolean allows(Migration move) {
            return this == ALL || this == SENSITIVE && move.uuid().equals(MemoryHost.CACHE);
        }
    }

    /** How an arm went. */
    private record Way(int violated, int moves, double latency, double predicted) {
    }

    @Override
    public String name() {
        return "dynamic-placement";
    }

    @Override
    public String about() {
        return "workload-aware placement, figures 10, 11: time in violation while guests turn memory-intensive, by who may migrate";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            Calibrated calibrated = Calibrated.of(seed);
            for (Arm arm : Arm.values()) {
                Way way = go(arm, seed, calibrated, progress);
                findings.add(new Finding(name(), seed, arm.words, "time in violation", 100.0 * way.violated() / PERIODS, "%"));
                findings.add(new Finding(name(), seed, arm.words, "mean latency", 1000 * way.latency(), "ms"));
                findings.add(new Finding(name(), seed, arm.words, "mean prediction", 1000 * way.predicted(), "ms"));
                findings.add(new Finding(name(), seed, arm.words, "migrations", way.moves(), ""));
            }
        }
        return findings;
    }

    private static Way go(Arm arm, long seed, Calibrated calibrated, Consumer<String> progress) {
        List<Map<String, MemoryUse>> hosts = begin();
        SplittableRandom random = new SplittableRandom(seed);
        MigrationPlanner planner = MigrationPlanner.of(calibrated.predictor().threshold());
        MigrationPlanner.State state = MigrationPlanner.State.none();
        Instant now = Instant.EPOCH;
        int violated = 0;
        int moves = 0;
        double latency = 0;
        double predicted = 0;
        for (int period = 0; period < PERIODS; period++) {
            change(hosts.get(random.nextInt(HOSTS)));
            List<FleetHost> seen = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++) {
                boolean cache = hosts.get(i).containsKey(MemoryHost.CACHE);
                MemoryHost host = new MemoryHost(hosts.get(i), false, 10_000 * seed + 10L * period + i);
                Watched watched = (cache ? host.loaded(RATE) : host).watch(MOMENT);
                violated += cache && watched.mean() > calibrated.objective() ? 1 : 0;
                latency += cache ? watched.mean() / PERIODS : 0;
                seen.add(host(i, now, watched, calibrated.predictor()));
                if (cache) {
                    progress.accept(String.format(java.util.Locale.ROOT, "seed %d, %s, period %d, host %d with %d: %.2f ms, predicted %.2f ms", seed, arm.words,
                            period, i, hosts.get(i).values().stream().filter(use -> use == MemoryUse.LBM).count(), 1000 * watched.mean(), 1000 * sensitive(seen.get(i))));
                }
                predicted += cache ? sensitive(seen.get(i)) / PERIODS : 0;
            }
            MigrationPlanner.Step step = planner.step(state, now, seen);
            state = step.state();
            for (Migration move : step.moves()) {
                if (arm.allows(move)) {
                    hosts.get(number(move.to())).put(move.uuid(), hosts.get(number(move.from())).remove(move.uuid()));
                    moves++;
                }
            }
            now = now.plus(MigrationPlanner.PERIOD);
        }
        return new Way(violated, moves, latency, predicted);
    }

    private static List<Map<String, MemoryUse>> begin() {
        List<Map<String, MemoryUse>> hosts = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++) {
            Map<String, MemoryUse> guests = new LinkedHashMap<>();
            if (i == 0) {
                guests.put(MemoryHost.CACHE, MemoryUse.CACHE);
            }
            for (int j = 0; j < GUESTS; j++) {
                guests.put("h" + i + "g" + j, j < LBM.get(i) ? MemoryUse.LBM : MemoryUse.SJENG);
            }
            hosts.add(guests);
        }
        return hosts;
    }

    /** The first guest there that hardly uses memory begins to. */
    private static void change(Map<String, MemoryUse> guests) {
        guests.entrySet().stream().filter(guest -> guest.getValue() == MemoryUse.SJENG).findFirst()
                .ifPresent(guest -> guest.setValue(MemoryUse.LBM));
    }

    private static FleetHost host(int number, Instant now, Watched watched, LatencyPredictor predictor) {
        List<Resident> residents = watched.counted().keySet().stream().map(name -> {
            boolean cache = name.equals(MemoryHost.CACHE);
            return new Resident(name, name, name, cache ? GuestClass.LS1 : GuestClass.NLS, watched.intensity(name), 0, 0,
                    cache ? predicted(predictor, watched) : Double.NaN);
        }).toList();
        return new FleetHost("host" + number, now, 1, 1, residents);
    }

    private static double sensitive(FleetHost host) {
        return host.guests().stream().filter(guest -> guest.guestClass().latencySensitive()).findFirst().orElseThrow().latency();
    }

    private static int number(String host) {
        return Integer.parseInt(host.substring("host".length()));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.FleetHost.Resident;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.Migration;
import org.ic2.host.lab.study.MemoryHost.Watched;

/**
 * Workload-aware placement among four hosts (figure 9): each with twelve guests, as many of them memory-intensive as is drawn. A cache
 * starts on the first host, as the filter scheduler put it, and goes where the planner sends it.
 */
public final class GlobalPlacement implements Simulation {
    private static final int HOSTS = 4;
    private static final int GUESTS = 12;
    private static final int MIXES = 4;
    private static final double SECONDS = 1;
    private static final double LOOK = 0.3;
    private static final MigrationPlanner PLANNER = new MigrationPlanner(0.001, 1, 0.9, java.time.Duration.ofMinutes(5),
            java.time.Duration.ofMinutes(2));

    @Override
    public String name() {
        return "global-placement";
    }

    @Override
    public String about() {
        return "workload-aware placement, figure 9: to which of four hosts a cache is sent, in four mixes a seed, and its throughput there";
    }

    /** How many memory-intensive guests each host has, each another number; the first, where the cache is, the most but one. */
    private static List<Integer> mix(long seed) {
        List<Integer> counts = new ArrayList<>(IntStream.rangeClosed(0, GUESTS).boxed().toList());
        Collections.shuffle(counts, new Random(seed));
        List<Integer> drawn = new ArrayList<>(counts.subList(0, HOSTS).stream().sorted().toList());
        int here = drawn.remove(HOSTS - 2);
        Collections.shuffle(drawn, new Random(seed + 1));
        drawn.add(0, here);
        return drawn;
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            int lowest = 0;
            for (int i = 0; i < MIXES; i++) {
                long drawn = 100 * seed + i;
                List<Integer> lbm = mix(drawn);
                int to = destination(lbm, drawn);
                lowest += lbm.get(to).equals(Collections.min(lbm)) ? 1 : 0;
                double here = throughput(lbm.get(0), false, drawn);
                double there = throughput(lbm.get(to), false, drawn);
                double pinned = throughput(lbm.get(to), true, drawn);
                findings.add(new Finding(name(), drawn, "first host, nobody pinned", "throughput", here, "1/s"));
                findings.add(new Finding(name(), drawn, "chosen host, nobody pinned", "throughput over the first's", there / here, ""));
                findings.add(new Finding(name(), drawn, "chosen host, by the plan", "throughput over the first's", pinned / here, ""));
            }
            findings.add(new Finding(name(), seed, "the planner", "lowest host chosen of " + MIXES, lowest, ""));
            progress.accept("seed " + seed);
        }
        return findings;
    }

    /** Where the planner sends it, by what is counted on each host; where it is if nowhere. */
    private static int destination(List<Integer> lbm, long seed) {
        List<FleetHost> hosts = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++) {
            boolean cache = i == 0;
            MemoryHost host = new MemoryHost(MemoryHost.mix(cache, lbm.get(i), GUESTS - lbm.get(i)), false, seed + i);
            Watched watched = (cache ? host.saturated() : host).watch(LOOK);
            String called = "host" + (i + 1);
            hosts.add(new FleetHost(called, Instant.EPOCH, 1, 1, watched.counted().keySet().stream().map(name -> name.equals(MemoryHost.CACHE)
                    ? new Resident(name, name, name, GuestClass.LS1, watched.intensity(name), 0, 0, watched.mean())
                    : new Resident(called + " " + name, name, name, GuestClass.NLS, watched.intensity(name), 0, 0, Double.NaN)).toList()));
        }
        List<Migration> moves = PLANNER.step(MigrationPlanner.State.none(), Instant.EPOCH, hosts).moves();
        return moves.stream().filter(move -> move.uuid().equals(MemoryHost.CACHE)).findFirst()
                .map(move -> Integer.parseInt(move.to().substring("host".length())) - 1).orElse(0);
    }

    private static double throughput(int lbm, boolean planned, long seed) {
        return new MemoryHost(MemoryHost.mix(true, lbm, GUESTS - lbm), planned, seed).saturated().watch(SECONDS).throughput();
    }
}

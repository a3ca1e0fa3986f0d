// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.ic2.host.lab.sim.MemoryBus.Counted;
import org.ic2.host.lab.sim.MemoryUse;
import org.ic2.host.lab.study.MemoryHost.Watched;

/**
 * Which count tells how much guests are slowed down (figures 5 and 6): one to eight of the same program on as many cores, their
 * refused requests and their misses of the last cache. What comes out was put into the model, and is no evidence for either count.
 */
public final class MemoryMetrics implements Simulation {
    private static final double SECONDS = 0.2;

    /** One run: means over its guests. */
    private record Run(double slowdown, double refused, double missed) {
        /** As figure 5 has it: over one alone. */
        Run over(Run alone) {
            return new Run(slowdown / alone.slowdown(), refused / alone.refused(), missed / alone.missed());
        }
    }

    @Override
    public String name() {
        return "memory-metrics";
    }

    @Override
    public String about() {
        return "workload-aware placement, figures 5, 6: slowdown against refused requests and cache misses, in our memory model";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        Map<String, MemoryUse> programs = new LinkedHashMap<>();
        programs.put("lbm", MemoryUse.LBM);
        programs.put("GemsFDTD", MemoryUse.GEMS);
        programs.put("zeusmp", MemoryUse.ZEUSMP);
        programs.put("sjeng", MemoryUse.SJENG);
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            List<Run> all = new ArrayList<>();
            List<Run> normal = new ArrayList<>();
            programs.forEach((name, use) -> {
                List<Run> runs = IntStream.rangeClosed(1, MemoryHost.CORES).mapToObj(count -> run(use, count, seed)).toList();
                all.addAll(runs);
                runs.forEach(run -> normal.add(run.over(runs.get(0))));
                findings.add(new Finding(name(), seed, name, "slowdown of eight", runs.get(runs.size() - 1).slowdown(), ""));
            });
            for (Map.Entry<String, List<Run>> of : new TreeMap<>(Map.of("over one alone's", normal, "as counted", all)).entrySet()) {
                findings.add(new Finding(name(), seed, of.getKey(), "r of slowdown with refused requests",
                        correlation(of.getValue(), Run::slowdown, Run::refused), ""));
                findings.add(new Finding(name(), seed, of.getKey(), "r of slowdown with cache misses",
                        correlation(of.getValue(), Run::slowdown, Run::missed), ""));
            }
            progress.accept("seed " + seed);
        }
        return findings;
    }

    private static Run run(MemoryUse use, int count, long seed) {
        Map<String, MemoryUse> work = new LinkedHashMap<>();
        IntStream.range(0, count).forEach(i -> work.put("g" + i, use));
        Watched watched = new MemoryHost(work, false, seed).watch(SECONDS);
        return new Run(mean(watched, Counted::slowdown), mean(watched, Counted::refused), mean(watched, Counted::missed));
    }

    private static double mean(Watched watched, ToDoubleFunction<Counted> of) {
        return watched.counted().values().stream().mapToDouble(of).average().orElseThrow();
    }

    private static double correlation(List<Run> runs, ToDoubleFunction<Run> one, ToDoubleFunction<Run> other) {
        double meanOne = runs.stream().mapToDouble(one).average().orElseThrow();
        double meanOther = runs.stream().mapToDouble(other).average().orElseThrow();
        double both = 0;
        double squaresOne = 0;
        double squaresOther = 0;
        for (Run run : runs) {
            double a = one.applyAsDouble(run) - meanOne;
            double b = other.applyAsDouble(run) - meanOther;
            both += a * b;
            squaresOne += a * a;
            squaresOther += b * b;
        }
        return both / Math.sqrt(squaresOne * squaresOther);
    }
}

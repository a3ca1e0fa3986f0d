// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.ic2.host.learn.Annealer;
import org.ic2.host.learn.Objective;
import org.ic2.host.learn.PairedTest;
import org.ic2.host.learn.RegionSettings;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.learn.Trial;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The search for a region's settings, and its options, whatever the host is that they are tried on. */
public final class SettingsSearch {

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Of the search. Default ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--acceptance", paramLabel = "metropolis|greedy", defaultValue = "metropolis",
            description = "greedy: only what is better, the paper's arm. Default ${DEFAULT-VALUE}.")
    private String acceptance;

    @Option(names = "--evaluations", paramLabel = "N", defaultValue = "" + Annealer.Effort.STANDARD_EVALUATIONS,
            description = "How many settings are tried at most, the default counted; the pairs come after it. Default ${DEFAULT-VALUE}.")
    private int evaluations;

    private Annealer.Acceptance accept;

    /**
     * Looks at the options.
     *
     * @throws ConfigException if one is not right
     */
    public void check() throws ConfigException {
        accept = Annealer.Acceptance.of(acceptance).orElseThrow(() ->
                new ConfigException("--acceptance: expected metropolis or greedy, got \"" + acceptance + "\""));
        if (evaluations < 3) {
            throw new ConfigException("--evaluations: expected at least 3, got " + evaluations);
        }
    }

    /** Of the search. */
    public long seed() {
        return seed;
    }

    /**
     * Searches and confirms; {@link #check()} comes first.
     *
     * @param pairs      on what the pairs are tried
     * @param provenance of the settings, for the library
     * @return what is confirmed
     * @throws X when a setting cannot be tried
     */
    public <X extends Exception> Optional<RegionSettings> run(CommandLine line, Trial<X> trial, SchedulerVector base,
            IntFunction<Trial<X>> pairs, String provenance) throws X, InterruptedException {
        PrintWriter out = line.getOut();
        PrintWriter err = line.getErr();
        Annealer annealer = new Annealer(accept, Annealer.Effort.of(evaluations), one -> err.printf(Locale.ROOT, "%d: %s: %s%n", one.number(),
                one.vector().describe(), one.infeasible().orElse(String.format(Locale.ROOT, "%.2f %%", one.cost()))));
        Objective objective = Objective.waitAndThrottled();
        Annealer.Found found = annealer.anneal(trial, objective, base, new SplittableRandom(seed));
        out.printf(Locale.ROOT, "default %s: cost %.2f %%%nbest %s: cost %.2f %% (%d trials)%n", found.base().describe(), found.baseCost(),
                found.best().describe(), found.cost(), found.evaluations().size());
        out.flush();
        if (found.candidates(trial.spread()).isEmpty()) {
            out.println("nothing is better than the default");
            out.flush();
            return Optional.empty();
        }
        Optional<PairedTest.Tried> kept = PairedTest.standard().first(pairs, objective, found, tried -> tell(out, found, tried));
        out.println(kept.map(tried -> "confirmed: " + tried.candidate().vector().describe()).orElse("not confirmed"));
        out.flush();
        return kept.map(tried -> RegionSettings.of(found, tried, provenance));
    }

    private static void tell(PrintWriter out, Annealer.Found found, PairedTest.Tried tried) {
        if (!tried.candidate().vector().equals(found.best())) {
            out.printf(Locale.ROOT, "next %s: cost %.2f %%%n", tried.candidate().vector().describe(), tried.candidate().cost());
        }
        PairedTest.Confirmation sure = tried.confirmation();
        out.printf(Locale.ROOT, "better in %d of %d pairs (p = %.3f), cost %.2f %% less: %s%n", sure.wins(), sure.pairs(), sure.p(),
                100 * sure.gain(), sure.why());
        out.flush();
    }
}

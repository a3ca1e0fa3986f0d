// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Compares the winner of a search with the default again, in pairs, each measured first in every other pair. A search's own
 * best figure is the luckiest of many; what is kept must win most of the pairs (sign test).
 *
 * @param pairs  how many pairs
 * @param needed how many of them the winner must win
 */
public record PairedTest(int pairs, int needed) {
    public PairedTest {
        if (needed < 1 || pairs < needed) {
            throw new IllegalArgumentException("paired test: expected 1 pair to win at least, and no more than there are, got "
                    + needed + " of " + pairs);
        }
    }

    /** How many candidates of a search are put to the test, one after the other, until one is confirmed. */
    public static final int CANDIDATES = 3;

    /** 9 of 10: by chance alone with p = 0.011, and with 0.032 for one of {@link #CANDIDATES}. */
    public static PairedTest standard() {
        return new PairedTest(10, 9);
    }

    /**
     * What came of it.
     *
     * @param wins      pairs in which the winner cost less
     * @param pairs     pairs that were measured: fewer than wanted where it could no longer win
     * @param baseCost  the default's mean cost, percent
     * @param cost      the winner's mean cost, percent
     * @param confirmed whether the winner is to be kept
     * @param why       in words
     */
    public record Confirmation(int wins, int pairs, double baseCost, double cost, boolean confirmed, String why) {
        /** The share of the default's cost that is gone, 0 to 1; negative where it grew, 0 where there was none. */
        public double gain() {
            return baseCost > 0 ? 1 - cost / baseCost : 0;
        }

        /** How likely that many wins are if both are alike. */
        public double p() {
            return chance(wins, pairs);
        }
    }

    /** A candidate, and what came of its pairs. */
    public record Tried(Annealer.Evaluation candidate, Confirmation confirmation) {
    }

    /**
     * The first of a search's candidates that is confirmed, of the best {@link #CANDIDATES}: the best figure of many may be mere
     * luck, and the next ones real.
     *
     * @param ofPair as of {@link #confirm}
     * @param told   each as soon as it is known
     * @throws X where the host could not be set or measured
     */
    public <X extends Exception> Optional<Tried> first(IntFunction<Trial<X>> ofPair, Objective objective, Annealer.Found found,
            Consumer<Tried> told) throws X, InterruptedException {
        for (Annealer.Evaluation candidate : found.candidates(ofPair.apply(0).spread()).stream().limit(CANDIDATES).toList()) {
            Tried tried = new Tried(candidate, confirm(ofPair, objective, found.base(), candidate.vector()));
            told.accept(tried);
            if (tried.confirmation().confirmed()) {
                return Optional.of(tried);
            }
        }
        return Optional.empty();
    }

    /**
     * Measures the pairs.
     *
     * @param ofPair the host of a pair, from 0: always the same live one; in the simulator one of another seed each, none of
     *               which the search has seen
     * @throws X where the host could not be set or measured
     */
    public <X extends Exception> Confirmation confirm(IntFunction<Trial<X>> ofPair, Objective objective, SchedulerVector base,
            SchedulerVector winner) throws X, InterruptedException {
        Sum before = new Sum();
        Sum after = new Sum();
        int wins = 0;
        int done = 0;
        while (done < pairs && wins + pairs - done >= needed) {
            Trial<X> trial = ofPair.apply(done);
            boolean baseFirst = done % 2 == 0;
            Outcome first = trial.measure(baseFirst ? base : winner);
            Outcome second = trial.measure(baseFirst ? winner : base);
            Outcome ofBase = baseFirst ? first : second;
            Outcome ofWinner = baseFirst ? second : first;
            wins += objective.value(ofWinner) < objective.value(ofBase) ? 1 : 0;
            before.add(ofBase);
            after.add(ofWinner);
            done++;
        }
        Outcome meanBase = before.mean(done);
        Outcome meanWinner = after.mean(done);
        Optional<String> infeasible = objective.infeasible(meanWinner, meanBase);
        boolean confirmed = wins >= needed && infeasible.isEmpty();
        String why = "better in " + wins + " of " + done + " pairs, " + needed + " of " + pairs + " needed"
                + infeasible.map(reason -> "; over all pairs " + reason).orElse("");
        return new Confirmation(wins, done, objective.value(meanBase), objective.value(meanWinner), confirmed, why);
    }

    /** The chance of at least that many heads in so many throws of a coin. */
    static double chance(int wins, int pairs) {
        double term = Math.pow(0.5, pairs);
        double sum = 0;
        for (int heads = pairs; heads >= wins; heads--) {
            sum += term;
            term *= heads / (pairs - heads + 1.0);
        }
        return sum;
    }

    /** The shares of each guest, added up. */
    private static final class Sum {
        private final Map<String, CpuShare> byGuest = new LinkedHashMap<>();
        private Optional<String> refused = Optional.empty();

        void add(Outcome outcome) {
            refused = refused.or(outcome::refused);
            for (CpuShare share : outcome.shares()) {
                byGuest.merge(share.guest(), share, (a, b) -> new CpuShare(a.guest(), a.guestClass(), a.run() + b.run(),
                        a.waited() + b.waited(), a.throttled() + b.throttled()));
            }
        }

        Outcome mean(int count) {
            return new Outcome(byGuest.values().stream().map(sum -> new CpuShare(sum.guest(), sum.guestClass(), sum.run() / count,
                    sum.waited() / count, sum.throttled() / count)).toList(), refused);
        }
    }
}

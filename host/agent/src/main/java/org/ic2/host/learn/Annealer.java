// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.DoublePredicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Seeks a scheduler's setting by simulated annealing (paper T, 3.5.2). The paper names neither temperature nor cooling; here
 * a fifth of the trials looks anywhere first, the first temperature is one at which half of the usual worsenings are accepted, and
 * moves become shorter as it falls.
 */
public final class Annealer {
    /** How far a move goes at the first temperature: places on the grid, times the amount of a standard normal number. */
    static final double REACH = 30;

    /** One trial of so many looks anywhere on the grid, before the search goes on from where that was best. */
    private static final int SCOUTED = 5;

    /** Which moves are made. */
    public enum Acceptance {
        /** Better ones always, worse ones by exp(-difference / temperature). */
        METROPOLIS,
        /** Better ones only: what the class of that name in the paper's library does. */
        GREEDY;

        /** The name in the command. */
        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The acceptance of a name. */
        public static Optional<Acceptance> of(String key) {
            return Stream.of(values()).filter(acceptance -> acceptance.key().equals(key)).findFirst();
        }
    }

    /**
     * How long it seeks.
     *
     * @param probes      moves from the start that give the first temperature
     * @param evaluations how often a setting is tried at most, the default, a fifth that looks anywhere, and the probes counted
     * @param withoutGain after how many trials in a row without a new best it stops
     * @param cooling     the factor of the temperature from one trial to the next, above 0 and below 1
     */
    public record Effort(int probes, int evaluations, int withoutGain, double cooling) {
        /** How often settings are tried at most by default. */
        public static final int STANDARD_EVALUATIONS = 150;

        public Effort {
            if (probes < 1 || evaluations < probes + 2 || withoutGain < 1 || !(cooling > 0 && cooling < 1)) {
                throw new IllegalArgumentException("effort of a search: expected at least 1 probe, 2 trials more than probes, "
                        + "1 trial without gain and a cooling between 0 and 1, got " + probes + ", " + evaluations + ", "
                        + withoutGain + ", " + cooling);
            }
        }

        /** 10 probes, 150 trials, 40 without gain, 0.93. */
        public static Effort standard() {
            return of(STANDARD_EVALUATIONS);
        }

        /**
         * The same course in fewer or more trials: a quarter of them are probes, 10 at most, and the temperature falls as far.
         *
         * @param evaluations 3 or more
         */
        public static Effort of(int evaluations) {
            int probes = Math.max(1, Math.min(10, evaluations / 4));
            return new Effort(probes, evaluations, 40, Math.pow(0.93, 140.0 / Math.max(1, evaluations - probes)));
        }
    }

    /**
     * One trial.
     *
     * @param number      from 1; 1 is the default
     * @param vector      what was tried
     * @param cost        its cost, percent; infinite if infeasible
     * @param infeasible  why, if it is
     * @param accepted    whether the search went on from there
     * @param temperature percent; NaN before there is one
     */
    public record Evaluation(int number, SchedulerVector vector, double cost, Optional<String> infeasible, boolean accepted,
            double temperature) {
    }

    /**
     * What came of it.
     *
     * @param base        the default
     * @param baseOutcome what it gave
     * @param baseCost    its cost, percent
     * @param best        the best vector; the default where nothing was better
     * @param outcome     what it gave
     * @param cost        its cost, percent
     * @param evaluations all trials in their order
     */
    public record Found(SchedulerVector base, Outcome baseOutcome, double baseCost, SchedulerVector best, Outcome outcome,
            double cost, List<Evaluation> evaluations) {
        public Found {
            evaluations = List.copyOf(evaluations);
        }

        /**
         * The trials of what may be better than the default, the best first, each vector once.
         *
         * @param spread of the {@link Trial}: the default's own figure is a measurement, too, and a lucky one ends no search
         */
        public List<Evaluation> candidates(double spread) {
            Set<SchedulerVector> seen = new HashSet<>(Set.of(base));
            return evaluations.stream().filter(one -> one.cost() < baseCost * (1 + spread)).sorted(Comparator.comparingDouble(Evaluation::cost))
                    .filter(one -> seen.add(one.vector())).toList();
        }
    }

    private final Acceptance acceptance;
    private final Effort effort;
    private final Consumer<Evaluation> progress;

    /**
     * A way to seek.
     *
     * @param progress told of each trial when it is over
     */
    public Annealer(Acceptance acceptance, Effort effort, Consumer<Evaluation> progress) {
        this.acceptance = acceptance;
        this.effort = effort;
        this.progress = progress;
    }

    /**
     * Seeks, from the default on. What moves is what the default vector has.
     *
     * @param base   the default, with which everything is compared
     * @param random draws the moves: the same one and the same host seek the same way
     * @throws X where the host could not be set or measured
     */
    public <X extends Exception> Found anneal(Trial<X> trial, Objective objective, SchedulerVector base, RandomGenerator random)
            throws X, InterruptedException {
        VectorGrid grid = new VectorGrid(base);
        Search<X> search = new Search<>(trial, objective, base);
        search.begin(grid);
        search.scout(grid, random, effort.evaluations() / SCOUTED);
        double first = search.probe(grid, random);
        double temperature = first;
        while (search.done.size() < effort.evaluations() && search.withoutGain < effort.withoutGain()) {
            int[] next = grid.neighbour(search.here, REACH * Math.sqrt(temperature / first), random);
            search.move(grid, next, temperature, random);
            temperature *= effort.cooling();
        }
        return search.found();
    }

    /** The state of one search. */
    private final class Search<X extends Exception> {
        private final Trial<X> trial;
        private final Objective objective;
        private final SchedulerVector base;
        private final List<Evaluation> done = new ArrayList<>();
        private Outcome baseOutcome;
        private double baseCost;
        private SchedulerVector best;
        private Outcome bestOutcome;
        private double bestCost;
        private int withoutGain;
        private int[] here;
        private double costHere;

        Search(Trial<X> trial, Objective objective, SchedulerVector base) {
            this.trial = trial;
            this.objective = objective;
            this.base = base;
        }

        /** Tries the default, and the allowed point that is nearest to it. */
        void begin(VectorGrid grid) throws X, InterruptedException {
            baseOutcome = trial.measure(base);
            baseCost = objective.value(baseOutcome);
            best = base;
            bestOutcome = baseOutcome;
            bestCost = baseCost;
            note(new Evaluation(1, base, baseCost, Optional.empty(), true, Double.NaN));
            here = grid.nearest(base);
            costHere = grid.vector(here).equals(base) ? baseCost : cost(grid.vector(here), Double.NaN, cost -> true);
        }

        /** Looks at so many points anywhere, and goes to the best of them. */
        void scout(VectorGrid grid, RandomGenerator random, int points) throws X, InterruptedException {
            for (int i = 0; i < points; i++) {
                int[] point = grid.anywhere(random);
                double cost = cost(grid.vector(point), Double.NaN, any -> false);
                if (cost < costHere) {
                    here = point;
                    costHere = cost;
                }
            }
        }

        /** The first temperature: the median worsening of some moves from the start over ln 2. Goes to the best of them. */
        double probe(VectorGrid grid, RandomGenerator random) throws X, InterruptedException {
            List<Double> worse = new ArrayList<>();
            int[] lowest = here;
            double lowestCost = costHere;
            for (int i = 0; i < effort.probes(); i++) {
                int[] next = grid.neighbour(here, REACH, random);
                double cost = cost(grid.vector(next), Double.NaN, any -> false);
                if (cost > costHere && Double.isFinite(cost)) {
                    worse.add(cost - costHere);
                }
                if (cost < lowestCost) {
                    lowest = next;
                    lowestCost = cost;
                }
            }
            here = lowest;
            costHere = lowestCost;
            withoutGain = 0;
            return (worse.isEmpty() ? Math.max(1, baseCost / 20) : median(worse)) / Math.log(2);
        }

        void move(VectorGrid grid, int[] next, double temperature, RandomGenerator random) throws X, InterruptedException {
            double luck = random.nextDouble();
            double from = costHere;
            double cost = cost(grid.vector(next), temperature, to -> accepts(from, to, temperature, luck));
            if (accepts(from, cost, temperature, luck)) {
                here = next;
                costHere = cost;
            }
        }

        private double cost(SchedulerVector vector, double temperature, DoublePredicate accepted)
                throws X, InterruptedException {
            Outcome outcome = trial.measure(vector);
            Optional<String> infeasible = objective.infeasible(outcome, baseOutcome);
            double cost = infeasible.isPresent() ? Double.POSITIVE_INFINITY : objective.value(outcome);
            withoutGain++;
            if (cost < bestCost) {
                best = vector;
                bestOutcome = outcome;
                bestCost = cost;
                withoutGain = 0;
            }
            note(new Evaluation(done.size() + 1, vector, cost, infeasible, accepted.test(cost), temperature));
            return cost;
        }

        private void note(Evaluation evaluation) {
            done.add(evaluation);
            progress.accept(evaluation);
        }

        Found found() {
            return new Found(base, baseOutcome, baseCost, best, bestOutcome, bestCost, done);
        }
    }

    private boolean accepts(double from, double to, double temperature, double luck) {
        return to < from || acceptance == Acceptance.METROPOLIS && Double.isFinite(to)
                && luck < Math.exp((from - to) / temperature);
    }

    private static double median(List<Double> some) {
        List<Double> sorted = some.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }
}

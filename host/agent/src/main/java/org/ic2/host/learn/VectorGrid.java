// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.ic2.host.model.GuestClass;

/**
 * The values among which the annealer seeks, and the way from one point to its neighbours. A point has a place on the grid
 * for each coordinate that the default vector has: time slice, rate limit, and the weight of each class, the best first.
 *
 * <p>Two rules hold at every point: weights fall strictly by class (paper T, rule 1; the host's own domain, which does the
 * guests' I/O, stands above them as in Table 3), and the rate limit is not above the time slice.
 */
final class VectorGrid {
    /** 100 values with equal ratios, as whole ms; the shortest fall together. */
    static final int[] TSLICES = logSpaced(1, SchedulerVector.LONGEST_TSLICE, 100);
    static final int[] RATELIMITS = logSpaced(SchedulerVector.SHORTEST_RATELIMIT, SchedulerVector.LONGEST_RATELIMIT, 100);
    static final int[] WEIGHTS = IntStream.rangeClosed(1, SchedulerVector.LARGEST_WEIGHT / SchedulerVector.NORMAL_WEIGHT)
            .map(i -> i * SchedulerVector.NORMAL_WEIGHT).toArray();

    private final int tslice;
    private final int ratelimit;
    private final int firstWeight;
    private final List<GuestClass> classes;

    VectorGrid(SchedulerVector base) {
        tslice = base.tslice().isPresent() ? 0 : -1;
        ratelimit = base.ratelimit().isPresent() ? tslice + 1 : -1;
        firstWeight = (tslice < 0 ? 0 : 1) + (ratelimit < 0 ? 0 : 1);
        classes = List.copyOf(base.weights().keySet());
        if (coordinates() == 0) {
            throw new IllegalArgumentException("a search of settings: expected something to move, got a vector of nothing");
        }
    }

    private static int[] logSpaced(int least, int most, int count) {
        return IntStream.range(0, count)
                .map(i -> (int) Math.rint(least * Math.pow((double) most / least, i / (count - 1.0)))).distinct().toArray();
    }

    int coordinates() {
        return firstWeight + classes.size();
    }

    private int[] values(int coordinate) {
        return coordinate == tslice ? TSLICES : coordinate == ratelimit ? RATELIMITS : WEIGHTS;
    }

    /** The allowed point that is nearest to a vector. */
    int[] nearest(SchedulerVector vector) {
        List<Integer> wanted = new ArrayList<>();
        vector.tslice().ifPresent(wanted::add);
        vector.ratelimit().ifPresent(wanted::add);
        wanted.addAll(vector.weights().values());
        int[] point = new int[coordinates()];
        for (int i = 0; i < point.length; i++) {
            point[i] = place(values(i), wanted.get(i));
        }
        for (int i = 0; i < classes.size(); i++) {
            point[firstWeight + i] = inRange(i, point[firstWeight + i]);
        }
        repair(point, point.length - 1);
        return point;
    }

    /** The place of the value whose ratio to the wanted one is nearest to 1. */
    private static int place(int[] values, int wanted) {
        int nearest = 0;
        for (int i = 1; i < values.length; i++) {
            if (Math.abs(Math.log((double) values[i] / Math.max(1, wanted)))
                    < Math.abs(Math.log((double) values[nearest] / Math.max(1, wanted)))) {
                nearest = i;
            }
        }
        return nearest;
    }

    /** The vector of a point. */
    SchedulerVector vector(int[] point) {
        Map<GuestClass, Integer> weights = new EnumMap<>(GuestClass.class);
        for (int i = 0; i < classes.size(); i++) {
            weights.put(classes.get(i), WEIGHTS[point[firstWeight + i]]);
        }
        return new SchedulerVector(tslice < 0 ? OptionalInt.empty() : OptionalInt.of(TSLICES[point[tslice]]),
                ratelimit < 0 ? OptionalInt.empty() : OptionalInt.of(RATELIMITS[point[ratelimit]]), weights);
    }

    /** A neighbour: one coordinate is moved by about {@code reach} places, one at least, and the others make room. */
    int[] neighbour(int[] point, double reach, RandomGenerator random) {
        int coordinate = random.nextInt(coordinates());
        int steps = Math.max(1, (int) Math.rint(reach * Math.abs(random.nextGaussian()))) * (random.nextBoolean() ? 1 : -1);
        int[] next = moved(point, coordinate, steps);
        return Arrays.equals(next, point) ? moved(point, coordinate, -steps) : next;
    }

    /** A point anywhere: times drawn evenly from the grid, weights evenly by their logarithm, since it is ratios that work. */
    int[] anywhere(RandomGenerator random) {
        int[] point = new int[coordinates()];
        for (int i = 0; i < firstWeight; i++) {
            point[i] = random.nextInt(values(i).length);
        }
        int[] places = IntStream.range(firstWeight, point.length)
                .map(i -> (int) Math.rint(Math.pow(WEIGHTS.length, random.nextDouble())) - 1).sorted().toArray();
        for (int i = 0; i < places.length; i++) {
            point[firstWeight + i] = inRange(i, places[places.length - 1 - i]);
        }
        repair(point, point.length - 1);
        return point;
    }

    /** One coordinate moved, as far as the grid goes, and the others repaired. */
    int[] moved(int[] point, int coordinate, int steps) {
        int[] next = point.clone();
        int wanted = Math.max(0, Math.min(values(coordinate).length - 1, point[coordinate] + steps));
        next[coordinate] = coordinate >= firstWeight ? inRange(coordinate - firstWeight, wanted) : wanted;
        repair(next, coordinate);
        return next;
    }

    /** The place of a class's weight that leaves room for the classes above and below it. */
    private int inRange(int classNumber, int place) {
        return Math.max(classes.size() - 1 - classNumber, Math.min(WEIGHTS.length - 1 - classNumber, place));
    }

    /** What was moved stays; the others give way as little as they can. */
    private void repair(int[] point, int moved) {
        if (!classes.isEmpty()) {
            int fixed = Math.max(moved, firstWeight);
            for (int i = fixed - 1; i >= firstWeight; i--) {
                point[i] = Math.max(point[i], point[i + 1] + 1);
            }
            for (int i = fixed + 1; i < point.length; i++) {
                point[i] = Math.min(point[i], point[i - 1] - 1);
            }
        }
        if (tslice >= 0 && ratelimit >= 0) {
            while (RATELIMITS[point[ratelimit]] > 1000 * TSLICES[point[tslice]]) {
                if (moved == ratelimit) {
                    point[tslice]++;
                } else {
                    point[ratelimit]--;
                }
            }
        }
    }
}

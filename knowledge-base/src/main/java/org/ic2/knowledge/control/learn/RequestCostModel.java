// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import java.util.Arrays;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;

/**
 * What requests of each class take of the CPU in the quiet, so that what a second has taken can be compared with what its
 * mix of requests takes: a change of the mix is no interference. Immutable; plain numbers in JSON.
 *
 * <p>The CPU used in a second is the sum over {@link Metric#MIX} of requests times cost, what a member's page costs more or
 * less than a visitor's, and what the tier needs without requests: weighted least squares in which older seconds count less
 * and less, with no cost below a floor. The chance by which mixes differ from second to second tells the classes apart; as
 * long as it has not, a class is near its assumed share of the mean.
 */
public final class RequestCostModel {
    /** After so many samples one counts half: log(0.5) / log(0.998) = 346. */
    private static final double DECAY = 0.998;
    /** What a request of a class costs, as far as nothing is known, against a built page; none: a member's beyond a visitor's, and without requests. */
    private static final double[] ASSUMED_COSTS = {0.05, 0.1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    /** By how much of a built page a member's may cost more or less than a visitor's, which is stored as well. */
    private static final double MEMBER_SPREAD = 0.5;
    /** A cost is at least this share of the assumed one, but for what members' pages cost beyond others'. */
    private static final double FLOOR_RATIO = 0.05;
    /** One second's CPU is only known to such a share: what began before it or ends after it. */
    private static final double NOISE_RATIO = 0.1;
    /** A class is known when so many of its requests were seen. */
    private static final double MIN_REQUESTS = 30;
    /** Where classes that are not known make up more of a mix, nothing is said of it. */
    private static final double MAX_UNKNOWN_RATIO = 0.2;
    private static final int STORED_INDEX = Metric.MIX.indexOf(Metric.MIX_STORED);
    private static final int FIRST_PAGE = Metric.MIX.indexOf(Metric.MIX_HOME);
    private static final int MEMBERS_INDEX = Metric.MIX.size();
    private static final int BASE_INDEX = MEMBERS_INDEX + 1;
    private static final int SIZE = BASE_INDEX + 1;

    private static final RequestCostModel NONE = new RequestCostModel(0, new double[SIZE * SIZE], new double[SIZE]);

    private final int count;
    private final double[] products;
    private final double[] moments;
    private final double[] costs;

    private RequestCostModel(int count, double[] products, double[] moments) {
        this.count = count;
        this.products = products;
        this.moments = moments;
        this.costs = count < MedianWindow.MIN_VALUES ? null : solved(products, moments);
    }

    /** Nothing learned. */
    public static RequestCostModel none() {
        return NONE;
    }

    /**
     * What was persisted; that of other classes is of no use.
     *
     * @throws IllegalArgumentException if a number is none
     */
    public static RequestCostModel of(int count, double[] products, double[] moments) {
        if (products == null || moments == null || products.length != SIZE * SIZE || moments.length != SIZE) {
            return NONE;
        }
        if (count < 0 || !finite(products) || !finite(moments)) {
            throw new IllegalArgumentException("mix: expected a count and finite numbers");
        }
        return new RequestCostModel(count, products.clone(), moments.clone());
    }

    /** How many samples taught. */
    public int count() {
        return count;
    }

    /** For JSON: the sums of products of two classes, row by row. */
    public double[] products() {
        return products.clone();
    }

    /** For JSON: the sums of products of a class and the CPU used. */
    public double[] moments() {
        return moments.clone();
    }

    /** The same with one more sample without interference; one that lacks the mix or CPU_USED teaches nothing. */
    public RequestCostModel plus(Sample sample) {
        double used = sample.get(Metric.CPU_USED);
        double[] mix = mix(sample);
        if (mix == null || Double.isNaN(used)) {
            return this;
        }
        double[] sums = products.clone();
        double[] with = moments.clone();
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                sums[i * SIZE + j] = DECAY * sums[i * SIZE + j] + mix[i] * mix[j];
            }
            with[i] = DECAY * with[i] + mix[i] * used;
        }
        return finite(sums) && finite(with) ? new RequestCostModel(Math.min(count, Integer.MAX_VALUE - 1) + 1, sums, with) : this;
    }

    /** CPU that a sample's mix takes in the quiet, as a share of the tier's; NaN if that is not known. */
    public double expected(Sample sample) {
        double[] mix = costs == null ? null : mix(sample);
        if (mix == null) {
            return Double.NaN;
        }
        double known = costs[BASE_INDEX];
        double unknown = 0;
        for (int i = 0; i < BASE_INDEX; i++) {
            if (i == MEMBERS_INDEX || products[BASE_INDEX * SIZE + i] >= MIN_REQUESTS) {
                known += mix[i] * costs[i];
            } else {
                unknown += mix[i] * costs[i];
            }
        }
        return unknown > MAX_UNKNOWN_RATIO * (known + unknown) ? Double.NaN : known + unknown;
    }

    /** True if enough has taught. */
    public boolean known() {
        return costs != null;
    }

    /** The same as if every page had been built: what a mix would take on the baseline of a tier that a level relieves; NaN if unknown. */
    public double built(Sample sample) {
        double[] mix = costs == null ? null : mix(sample);
        if (mix == null) {
            return Double.NaN;
        }
        double all = costs[BASE_INDEX];
        for (int i = 0; i < BASE_INDEX; i++) {
            all += i == STORED_INDEX ? 0 : mix[i] * costs[i];
        }
        double page = page();
        return all + mix[STORED_INDEX] * (Double.isNaN(page) ? costs[STORED_INDEX] : page);
    }

    /** CPU of a page that is built, as a share of the tier's for one a second: the mean of those that were seen; NaN if none was. */
    public double page() {
        double pages = 0;
        double taken = 0;
        for (int i = FIRST_PAGE; costs != null && i < MEMBERS_INDEX; i++) {
            pages += products[BASE_INDEX * SIZE + i];
            taken += products[BASE_INDEX * SIZE + i] * costs[i];
        }
        return pages > 0 ? taken / pages : Double.NaN;
    }

    /** So many of a sample's pages a second were from a store at the baseline, too, by their usual share; NaN if that is not known. */
    public double usuallyStored(Sample sample) {
        double[] mix = costs == null ? null : mix(sample);
        if (mix == null) {
            return Double.NaN;
        }
        double stored = products[BASE_INDEX * SIZE + STORED_INDEX];
        double all = stored;
        double now = mix[STORED_INDEX];
        for (int i = FIRST_PAGE; i < MEMBERS_INDEX; i++) {
            all += products[BASE_INDEX * SIZE + i];
            now += mix[i];
        }
        return all > 0 ? now * stored / all : 0;
    }

    /** Requests of each class a second, and a 1 for what is needed without them; null if not measured, or nobody asked. */
    private static double[] mix(Sample sample) {
        double[] mix = new double[SIZE];
        double all = 0;
        for (int i = 0; i < MEMBERS_INDEX; i++) {
            mix[i] = sample.get(Metric.MIX.get(i));
            all += mix[i];
        }
        mix[MEMBERS_INDEX] = sample.has(Metric.MIX_MEMBERS) ? sample.get(Metric.MIX_MEMBERS) : 0;
        mix[BASE_INDEX] = 1;
        return all > 0 ? mix : null;
    }

    /** Costs as near to the sums as their floors allow: one that comes out below is held there, and the others follow. */
    private static double[] solved(double[] products, double[] moments) {
        double seconds = products[BASE_INDEX * SIZE + BASE_INDEX];
        double used = moments[BASE_INDEX] / seconds;
        double pages = 0;
        for (int i = 0; i < BASE_INDEX; i++) {
            pages += ASSUMED_COSTS[i] * products[BASE_INDEX * SIZE + i];
        }
        double page = pages > 0 ? moments[BASE_INDEX] / pages : 0;
        double[] matrix = products.clone();
        double[] right = moments.clone();
        double[] floors = new double[SIZE];
        for (int i = 0; i < SIZE; i++) {
            double assumed = ASSUMED_COSTS[i] * page;
            double spread = i == BASE_INDEX ? NOISE_RATIO * used : i == MEMBERS_INDEX ? MEMBER_SPREAD * page : assumed;
            double weight = spread > 0 ? NOISE_RATIO * NOISE_RATIO * used * used / (spread * spread) : 1;
            matrix[i * SIZE + i] += weight;
            right[i] += weight * assumed;
            floors[i] = i == MEMBERS_INDEX ? -spread : FLOOR_RATIO * assumed;
        }
        boolean[] held = new boolean[SIZE];
        double[] costs = floors;
        for (int turn = 0; turn <= SIZE; turn++) {
            costs = SymmetricSystem.solve(matrix, right, held, floors);
            boolean fits = true;
            for (int i = 0; i < SIZE; i++) {
                if (!(costs[i] >= floors[i])) {
                    held[i] = true;
                    fits = false;
                }
            }
            if (fits) {
                return costs;
            }
        }
        return floors;
    }

    private static boolean finite(double[] values) {
        for (double value : values) {
            if (!(Math.abs(value) < Double.POSITIVE_INFINITY)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RequestCostModel that && count == that.count && Arrays.equals(products, that.products)
                && Arrays.equals(moments, that.moments);
    }

    @Override
    public int hashCode() {
        return 31 * count + Arrays.hashCode(moments);
    }

    @Override
    public String toString() {
        return "RequestCostModel[" + count + " samples, " + Arrays.toString(costs) + "]";
    }
}

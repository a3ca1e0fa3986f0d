// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Points around the centres of iTune's Table 1: CPU %, ratio, VMs, Mbit/s. */
final class Table1 {
    static final double[][] CENTRES = {{91.8, 5.71, 15.60, 24.28}, {19.5, 1.30, 10.17, 0.54}, {21.12, 2.28, 10.96, 109.90},
        {59.06, 4.82, 12.73, 22.18}, {31.43, 4.26, 12.57, 1.39}};
    static final double[] TIGHT = {2, 0.12, 0.4, 2};
    static final double[] WIDE = {5, 0.35, 1, 5};
    /** 12 hours of a sample every 15 s. */
    static final int POINTS = 2880;

    private Table1() {
    }

    /** 2880 points, the same number around each centre. */
    static double[][] points(double[] spread, long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        double[][] points = new double[POINTS][CENTRES[0].length];
        for (int i = 0; i < POINTS; i++) {
            for (int d = 0; d < spread.length; d++) {
                points[i][d] = CENTRES[i % CENTRES.length][d] + spread[d] * random.nextGaussian();
            }
        }
        return points;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.Random;

/** The operation mix as a Markov chain. Every user starts with operation 0, as on Faban. Immutable. */
final class MatrixChain {
    private static final int MAX_STEPS = 10_000;
    private static final double CONVERGED = 1e-12;

    private final double[][] cumulative;

    /**
     * A chain.
     *
     * @param weights row i: weights of the operations that may follow operation i; need not add up to one
     * @throws ConfigError when the matrix is not square, has a negative weight or an empty row
     */
    MatrixChain(double[][] weights) throws ConfigError {
        cumulative = new double[weights.length][];
        for (int i = 0; i < weights.length; i++) {
            if (weights[i].length != weights.length) {
                throw new ConfigError("@MatrixMix: row " + i + ": expected " + weights.length + " weights, got "
                        + weights[i].length);
            }
            double sum = 0;
            double[] row = new double[weights.length];
            for (int j = 0; j < row.length; j++) {
                if (!(weights[i][j] >= 0)) {
                    throw new ConfigError("@MatrixMix: row " + i + ": expected weights of at least 0, got " + weights[i][j]);
                }
                sum += weights[i][j];
                row[j] = sum;
            }
            if (!(sum > 0)) {
                throw new ConfigError("@MatrixMix: row " + i + ": expected a positive weight, got only zeros");
            }
            cumulative[i] = row;
        }
    }

    int size() {
        return cumulative.length;
    }

    /** Draws the operation that follows. */
    int next(int operation, Random random) {
        double[] row = cumulative[operation];
        double u = random.nextDouble() * row[row.length - 1];
        int j = 0;
        while (row[j] <= u) {
            j++;
        }
        return j;
    }

    /** Shares of the operations in the long run; they add up to one. */
    double[] stationary() {
        int n = size();
        double[] share = new double[n];
        share[0] = 1;
        for (int step = 0; step < MAX_STEPS; step++) {
            double[] after = new double[n];
            double change = 0;
            for (int i = 0; i < n; i++) {
                double total = cumulative[i][n - 1];
                for (int j = 0; j < n; j++) {
                    double weight = cumulative[i][j] - (j == 0 ? 0 : cumulative[i][j - 1]);
                    after[j] += share[i] * weight / total;
                }
            }
            for (int j = 0; j < n; j++) {
                // half a step: a chain that alternates would not converge otherwise
                double mixed = (after[j] + share[j]) / 2;
                change = Math.max(change, Math.abs(mixed - share[j]));
                share[j] = mixed;
            }
            if (change < CONVERGED) {
                break;
            }
        }
        return share;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

/** A few linear equations whose matrix is symmetric and positive definite. */
final class SymmetricSystem {
    private SymmetricSystem() {
    }

    /**
     * Solves it by Gaussian elimination, which needs no pivots here.
     *
     * @param matrix row by row
     * @param held   which unknowns have their value in {@code values} already
     */
    static double[] solve(double[] matrix, double[] right, boolean[] held, double[] values) {
        int size = right.length;
        double[] rows = matrix.clone();
        double[] result = right.clone();
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                if (held[j] && !held[i]) {
                    result[i] -= rows[i * size + j] * values[j];
                }
                if (held[i] || held[j]) {
                    rows[i * size + j] = i == j ? 1 : 0;
                }
            }
            result[i] = held[i] ? values[i] : result[i];
        }
        for (int i = 0; i < size; i++) {
            for (int below = i + 1; below < size; below++) {
                double factor = rows[below * size + i] / rows[i * size + i];
                if (factor != 0) {
                    for (int j = i; j < size; j++) {
                        rows[below * size + j] -= factor * rows[i * size + j];
                    }
                    result[below] -= factor * result[i];
                }
            }
        }
        for (int i = size - 1; i >= 0; i--) {
            for (int j = i + 1; j < size; j++) {
                result[i] -= rows[i * size + j] * result[j];
            }
            result[i] /= rows[i * size + i];
        }
        return result;
    }
}

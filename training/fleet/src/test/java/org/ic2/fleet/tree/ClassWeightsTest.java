// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.ic2.knowledge.tree.CostMatrix;
import org.junit.jupiter.api.Test;

/** Rows weigh what it costs to miss them, and together as much as before. */
class ClassWeightsTest {
    @Test
    void fiveOneTenIsSixToTwoToEleven() {
        double[] weights = ClassWeights.of(CostMatrix.parse("5:1:10"), new long[] {700, 100, 200});
        assertThat(weights[1] / weights[0]).isCloseTo(2 / 6.0, within(1e-12));
        assertThat(weights[2] / weights[0]).isCloseTo(11 / 6.0, within(1e-12));
        assertThat(700 * weights[0] + 100 * weights[1] + 200 * weights[2]).isCloseTo(1000, within(1e-9));
    }
}

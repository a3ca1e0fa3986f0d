// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class BootstrapTest {
    private final Bootstrap bootstrap = new Bootstrap(1);

    @Test
    void theChangeOfSumsHasAnIntervalFromFiveRunsOn() {
        Estimate change = bootstrap.change(new double[] {50, 60, 70, 40, 55}, new double[] {100, 100, 100, 100, 100});
        assertThat(change.value()).isCloseTo(-0.45, within(1e-9));
        assertThat(change.low()).isBetween(-0.6, -0.5);
        assertThat(change.high()).isBetween(-0.4, -0.3);
        assertThat(bootstrap.change(new double[] {50, 60, 70, 40}, new double[] {100, 100, 100, 100}).known()).isFalse();
        assertThat(bootstrap.change(new double[0], new double[0]).value()).isNaN();
    }
}

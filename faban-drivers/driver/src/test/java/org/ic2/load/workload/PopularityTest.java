// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PopularityTest {
    @Test
    void staysInsideTheIds() {
        Popularity popularity = new Popularity(2000, 1.1, 3);
        assertThat(popularity.at(0)).isEqualTo(1);
        assertThat(popularity.at(Math.nextDown(1.0))).isEqualTo(2000);
        assertThat(new Popularity(1, 1.1, 3).at(0.999)).isEqualTo(1);
    }

    @Test
    void followsThePowerLaw() {
        for (double exponent : new double[] {0.8, 1.0, 1.1, 2.0}) {
            Popularity popularity = new Popularity(400, exponent, 3);
            Random random = new Random(1);
            int[] counts = new int[401];
            for (int i = 0; i < 400_000; i++) {
                counts[popularity.at(random.nextDouble())]++;
            }
            double ratio = (double) counts[1] / counts[20];
            double expected = Math.pow((3 + 19.5) / (3 + 0.5), exponent);
            assertThat(ratio).as("exponent %s", exponent).isCloseTo(expected, within(expected * 0.1));
        }
    }

    @Test
    void refusesNonsense() {
        assertThatThrownBy(() -> new Popularity(0, 1.1, 3)).hasMessageContaining("n >= 1");
        assertThatThrownBy(() -> new Popularity(5, 1.1, 0)).hasMessageContaining("offset > 0");
    }
}

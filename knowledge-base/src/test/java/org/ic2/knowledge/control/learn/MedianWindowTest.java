// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MedianWindowTest {
    @Test
    void isTheMedianOfTheNewestValues() {
        Random random = new Random(3);
        MedianWindow window = MedianWindow.of();
        List<Double> all = new ArrayList<>();
        assertThat(window.median()).isNaN();
        for (int i = 0; i < 1000; i++) {
            double value = random.nextInt(50);
            window = window.plus(value);
            all.add(value);
            double[] newest = all.subList(Math.max(0, all.size() - MedianWindow.SIZE), all.size()).stream()
                    .mapToDouble(Double::doubleValue).toArray();
            assertThat(window.values()).isEqualTo(newest);
            java.util.Arrays.sort(newest);
            int size = newest.length;
            assertThat(window.median()).isEqualTo((newest[(size - 1) / 2] + newest[size / 2]) / 2);
        }
    }

    @Test
    void refusesWhatIsNoNumber() {
        assertThatThrownBy(() -> MedianWindow.of(1, Double.NaN)).hasMessageContaining("finite");
    }
}

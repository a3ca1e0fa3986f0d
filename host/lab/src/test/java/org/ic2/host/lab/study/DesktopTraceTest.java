// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DesktopTraceTest {
    private static final int[] ALL = {0, 1, 2, 3};

    @Test
    void nobodyAsksForMoreThanItMayHaveAndTheSumHasItsPeak() {
        for (long seed = 1; seed <= 20; seed++) {
            DesktopTrace trace = DesktopTrace.draw(new SplittableRandom(seed), 4, 300, 0.35).withPeak(3100, 921.6, ALL);

            assertThat(greatestSum(trace, ALL)).as("seed " + seed).isCloseTo(3100, within(0.01));
            assertThat(Arrays.stream(ALL).mapToDouble(trace::most)).as("seed " + seed).allMatch(most -> most <= 921.6);
        }
    }

    @Test
    void othersStayAsTheyWere() {
        DesktopTrace drawn = DesktopTrace.draw(new SplittableRandom(1), 4, 300, 0.15);
        DesktopTrace scaled = drawn.withPeak(0.85, 1, 2, 3);

        assertThat(scaled.values()[0]).isEqualTo(drawn.values()[0]);
        assertThat(greatestSum(scaled, 1, 2, 3)).isCloseTo(0.85, within(1e-5));
    }

    @Test
    void aPeakThatTheyMayNotHaveIsRefused() {
        DesktopTrace drawn = DesktopTrace.draw(new SplittableRandom(1), 4, 300, 0.35);

        assertThatIllegalArgumentException().isThrownBy(() -> drawn.withPeak(3100, 700, ALL))
                .withMessage("expected a peak of at most 4 times 700.0, got 3100.0");
    }

    private static double greatestSum(DesktopTrace trace, int... guests) {
        return IntStream.range(0, trace.values()[0].length)
                .mapToDouble(minute -> Arrays.stream(guests).mapToDouble(guest -> trace.values()[guest][minute]).sum()).max().orElseThrow();
    }
}

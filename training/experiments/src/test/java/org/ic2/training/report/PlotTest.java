// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlotTest {
    private static final double[] X = {0, 1};

    private static List<Double> attributes(String svg, String name) {
        return Pattern.compile("<circle[^>]*" + name + "=\"([0-9.]+)\"").matcher(svg).results()
                .map(found -> Double.valueOf(found.group(1))).toList();
    }

    @Test
    void largerValuesStandHigherAndNamesAreEscaped() {
        String svg = new Plot("x", "y").ticks(List.of("<x>", "y")).curve("s & t", "#123456", X, new double[] {1, 2},
                new double[] {0.5, 1.5}, new double[] {1.5, 2.5}).svg();
        assertThat(attributes(svg, "cy")).hasSize(2).isSortedAccordingTo((a, b) -> Double.compare(b, a));
        assertThat(svg).contains("&lt;x&gt;", "s &amp; t").doesNotContain("<x>");
    }

    @Test
    void seriesSideBySideDoNotHideEachOther() {
        Plot plot = new Plot("x", "y").ticks(List.of("a", "b"));
        for (int i = 0; i < 3; i++) {
            plot.sideBySide("s" + i, "#123456", X, new double[] {1, 2}, new double[] {0.5, 1.5}, new double[] {1.5, 2.5});
        }
        assertThat(attributes(plot.svg(), "cx")).doesNotHaveDuplicates().hasSize(6);
        String grid = new PlotGrid("t").add(plot).add(plot).svg();
        assertThat(attributes(grid, "cx")).hasSize(12);
        assertThat(grid.split(">s1<")).as("one legend").hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"0.031, 0.04", "1.0, 1.0", "1.01, 1.2", "97, 100", "240, 250"})
    void axesEndAtRoundNumbers(double largest, double end) {
        Axis axis = Axis.around(new double[] {0, largest}, true);
        assertThat(axis.high()).isCloseTo(end, within(1e-9));
        assertThat(Arrays.stream(axis.marks()).max().orElseThrow()).isCloseTo(end, within(1e-9));
    }
}

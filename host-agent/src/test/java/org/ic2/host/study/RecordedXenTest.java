// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.ic2.host.study.RecordedXen.Setting;
import org.ic2.host.study.RecordedXen.Simulated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator beside what was recorded of Xen 4.17: shares within 3 points, the mean run within a third. */
class RecordedXenTest {
    private static final double CYCLES_PER_MILLISECOND = 2.596e6;

    @ParameterizedTest
    @MethodSource("org.ic2.host.study.RecordedXen#settings")
    void agrees(Setting setting) {
        Simulated simulated = RecordedXen.simulate(setting, 1);

        for (int i = 0; i < setting.shares().size(); i++) {
            assertThat(simulated.shares().get(i)).as(setting.name() + ", g" + (i + 1))
                    .isCloseTo(setting.shares().get(i), within(3.0));
        }
        if (!Double.isNaN(setting.meanRun())) {
            assertThat(simulated.meanRun()).as(setting.sample())
                    .isBetween(setting.meanRun() * 2 / 3, setting.meanRun() * 4 / 3);
        }
    }

    static Stream<Setting> recorded() {
        return Stream.concat(RecordedXen.settings().stream(), RecordedXen.more().stream());
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void figuresAreThoseOfTheRecording(Setting setting) throws IOException {
        String text = sample(setting.sample());
        for (int i = 0; i < setting.shares().size(); i++) {
            Pattern row = Pattern.compile("(?m)^ +g" + (i + 1) + " [-a-z]{6} +\\d+ +(\\d+\\.\\d) ");
            double mean = row.matcher(text).results().skip(1).mapToDouble(one -> Double.parseDouble(one.group(1)))
                    .average().orElseThrow();
            assertThat(setting.shares().get(i)).as(setting.sample() + ", g" + (i + 1)).isCloseTo(mean, within(0.06));
        }
        if (!Double.isNaN(setting.meanRun())) {
            Pattern guest = Pattern.compile("(?s)Domain [123] --\\|.*?  running: +(\\d+) +\\S+s (\\d+) ");
            double runs = guest.matcher(text).results().mapToDouble(one -> number(one, 1)).sum();
            double cycles = guest.matcher(text).results().mapToDouble(one -> number(one, 1) * number(one, 2)).sum();
            assertThat(setting.meanRun()).as(setting.sample()).isCloseTo(cycles / runs / CYCLES_PER_MILLISECOND, within(0.06));
        }
    }

    private static double number(MatchResult one, int group) {
        return Double.parseDouble(one.group(group));
    }

    private static String sample(String name) throws IOException {
        try (InputStream in = RecordedXenTest.class.getResourceAsStream("/xen/" + name + ".txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

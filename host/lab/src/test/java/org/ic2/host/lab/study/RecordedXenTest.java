// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.ic2.host.lab.study.InteractiveGuest.Setup;
import org.ic2.host.lab.study.RecordedXen.Setting;
import org.ic2.host.lab.study.RecordedXen.Simulated;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator beside what was recorded of Xen 4.17: shares within 3 points, the mean run within a third. */
class RecordedXenTest {
    private static final Pattern CLOCK = Pattern.compile("--cpu-hz ([0-9.]+)G");

    @ParameterizedTest
    @MethodSource("org.ic2.host.lab.study.RecordedXen#settings")
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

    /** The exact recordings hold it closer: shares within 1.5 points, mean runs within 2 %. */
    @ParameterizedTest
    @MethodSource("org.ic2.host.lab.study.RecordedXen#exact")
    void agreesCloselyWithTheExactRecordings(Setting setting) {
        Simulated simulated = RecordedXen.simulate(setting, 1);

        for (int i = 0; i < setting.shares().size(); i++) {
            assertThat(simulated.shares().get(i)).as(setting.name() + ", g" + (i + 1))
                    .isCloseTo(setting.shares().get(i), within(1.5));
        }
        if (!Double.isNaN(setting.meanRun())) {
            assertThat(simulated.meanRun()).as(setting.sample()).isBetween(setting.meanRun() * 0.98, setting.meanRun() * 1.02);
        }
    }

    static Stream<Setting> recorded() {
        return Stream.concat(RecordedXen.settings().stream(), RecordedXen.exact().stream());
    }

    /** Of the clock that the recording's command was told. */
    private static double cyclesPerMillisecond(String text) {
        return CLOCK.matcher(text).results().mapToDouble(one -> number(one, 1)).findFirst().orElseThrow() * 1e6;
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
            double millis = cycles / runs / cyclesPerMillisecond(text);
            assertThat(setting.meanRun()).as(setting.sample()).isCloseTo(millis, within(0.06));
        }
    }

    /** As in the traces: a short slice, or Table 3, takes 70 % of an interactive guest's waiting away. */
    @Test
    void shortSliceAndGreatWeightTakeWaitingFromAnInteractiveGuest() {
        List<Setup> setups = InteractiveGuest.setups();
        double usual = InteractiveGuest.simulate(setups.get(0), 1).waited();

        for (Setup setup : setups.subList(1, 3)) {
            assertThat(setup.recorded()).isLessThan(0.3 * setups.get(0).recorded());
            assertThat(InteractiveGuest.simulate(setup, 1).waited()).as(setup.name()).isLessThan(0.3 * usual);
        }
        assertThat(InteractiveGuest.simulate(setups.get(3), 1).waited()).as("more on Credit2, as recorded").isGreaterThan(usual);
    }

    static Stream<Setup> traced() {
        return InteractiveGuest.setups().stream();
    }

    @ParameterizedTest
    @MethodSource("traced")
    void waitingIsThatOfTheTrace(Setup setup) throws IOException {
        Pattern waiting = Pattern.compile("(?s)Domain 4 --\\|.*?  runnable: +(\\d+) +\\S+s (\\d+) ");
        MatchResult guest = waiting.matcher(sample(setup.sample())).results().findFirst().orElseThrow();
        double seconds = number(guest, 1) * number(guest, 2) / cyclesPerMillisecond(sample(setup.sample())) / 1000;
        assertThat(setup.recorded()).isCloseTo(100 * seconds / 4, within(0.06));
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

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.ic2.host.study.RecordedXen.Setting;
import org.ic2.host.study.RecordedXen.Simulated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator beside what was recorded of Xen 4.17: shares within 3 points, the mean run within a third. */
class RecordedXenTest {

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
}

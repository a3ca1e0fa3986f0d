// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The smallest sensor, which others take as their example. */
class LoadAverageSensorTest {

    @Test
    void readsTheKernelsLineAndNothingElse() throws IOException {
        assertThat(LoadAverageSensor.parse("0.20 0.18 0.12 3/80 11206\n").extras()).containsEntry("runnable_tasks", 3.0);
        assertThatThrownBy(() -> LoadAverageSensor.parse("nonsense")).isInstanceOf(IOException.class);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CounterFilesTest {
    private static final List<String> STAT = List.of("cpu  1 2 3 4 5 6 7 8 0 0", "cpu1 100 200 300 400 500 600 700 800 0 0", "procs_running 3");

    @Test
    void aCpusTimesAreSecondsBusyIdleAndStolen() throws RunException {
        assertThat(CounterFiles.times(STAT, "cpu1")).isEqualTo(new CounterFiles.CpuTimes(9, 19, 8));
        assertThat(CounterFiles.value(STAT, "procs_running")).isEqualTo("3");
    }

    @Test
    void aMissingCpuIsNamed() {
        assertThatThrownBy(() -> CounterFiles.times(STAT, "cpu2")).isInstanceOf(RunException.class).hasMessage("/proc/stat: no line 'cpu2'");
    }

    @Test
    void endedChildrenCountOnlyIfAskedFor() throws Exception {
        Process child = new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done").start();
        assertThat(child.waitFor()).isZero();

        long self = ProcessHandle.current().pid();
        assertThat(CounterFiles.used(self, true)).isGreaterThan(CounterFiles.used(self, false));
        assertThat(CounterFiles.used(child.pid(), true)).as("it has ended").isZero();
    }
}

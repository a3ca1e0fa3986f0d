// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResponseTimesCsvTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;

    @TempDir
    private Path folder;

    @Test
    void aBucketHoldsAtMostWhatItIsCalledAndIsNarrow() {
        long before = -1;
        for (long nanos = 0; nanos < 100 * SECOND; nanos = nanos + 1 + nanos / 1000) {
            long micros = (nanos + 999) / 1000;
            long most = ResponseTimesCsv.bucket(nanos);
            assertThat(most).isBetween(micros, micros + micros / 128).isGreaterThanOrEqualTo(before);
            assertThat(ResponseTimesCsv.bucket(1000 * most)).as("the name of a bucket lies in it").isEqualTo(most);
            before = most;
        }
    }

    @Test
    void eachIntervalHasAllItsRequestsOfAllKinds() throws IOException {
        StatsRecorder recorder = new StatsRecorder(Samples.probe(), 1);
        recorder.begin(new Timeline(0, 0, 10 * SECOND, 0), SECOND);
        for (int i = 0; i < 20; i++) {
            recorder.finished(0, i % 2, i * 10 * MILLI, i * 10 * MILLI + (i < 19 ? 2 * MILLI : 700 * MILLI), true);
        }
        recorder.finished(0, 0, 0, 5 * MILLI, false);
        try (ResponseTimesCsv csv = new ResponseTimesCsv(folder)) {
            csv.write(Instant.ofEpochSecond(1000), 1, recorder.cut(SECOND));
            csv.write(Instant.ofEpochSecond(1001), 2, recorder.cut(2 * SECOND));
        }
        assertThat(Files.readAllLines(folder.resolve(ResponseTimesCsv.FILE))).isEqualTo(List.of(ResponseTimesCsv.HEADER,
                "1000.000,1.000,steady,0.700000,2007:19 700415:1,20", "1001.000,2.000,steady,,,0"));
    }
}

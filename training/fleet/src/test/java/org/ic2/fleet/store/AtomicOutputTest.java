// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.api.java.JavaSparkContext;
import org.ic2.fleet.Spark;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was begun and not finished leaves nothing. */
class AtomicOutputTest {
    private static final CountDownLatch BEGUN = new CountDownLatch(1);
    private static final CountDownLatch FAILED = new CountDownLatch(1);
    private static final CountDownLatch WRITTEN = new CountDownLatch(1);
    /** So that a folder that is removed too early is removed before the task writes. */
    private static final int LATE_MS = 300;

    @TempDir
    private Path folder;

    private static void write(int task, String file) throws Exception {
        if (task == 0) {
            BEGUN.await();
            throw new IllegalStateException("the first task fails");
        }
        BEGUN.countDown();
        FAILED.await();
        Thread.sleep(LATE_MS);
        Files.createDirectories(Path.of(file).getParent());
        Files.writeString(Path.of(file), "late");
        WRITTEN.countDown();
    }

    @Test
    void aTaskThatGoesOnAfterAnotherHasFailedLeavesNothing() throws Exception {
        JavaSparkContext spark = new JavaSparkContext(Spark.session().sparkContext());
        Path target = folder.resolve("out");
        AtomicOutput out = AtomicOutput.into(spark.hadoopConfiguration(), target.toString());
        String file = out.folder().toUri().getPath() + "/part";
        assertThatThrownBy(() -> spark.parallelize(List.of(0, 1), 2).foreach(task -> write(task, file)))
                .hasMessageContaining("the first task fails");
        FAILED.countDown();
        out.close();
        WRITTEN.await();
        assertThat(folder).isEmptyDirectory();
    }
}

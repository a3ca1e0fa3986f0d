// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.store;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.sql.SparkSession;

/** Spark's session: in our own process, unless spark-submit says where. */
public final class Sessions {
    private static final Map<String, String> USUAL = Map.of(
            "spark.master", "local[*]",
            "spark.ui.enabled", "false",
            "spark.sql.shuffle.partitions", "64",
            // one process loses no executor; a laptop that slept, or Ctrl-Z, would cost all that was done
            "spark.network.timeout", "24h",
            "spark.driver.bindAddress", "127.0.0.1",
            "spark.driver.host", "127.0.0.1");
    /** What rows mean depends on these, so they are set here alone. */
    private static final Map<String, String> OURS = Map.of(
            "spark.sql.session.timeZone", "UTC",
            "spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS",
            "spark.sql.sources.partitionColumnTypeInference.enabled", "false",
            "spark.sql.files.ignoreCorruptFiles", "false");

    private Sessions() {
    }

    /** A session under this name; what spark-submit or {@code -Dspark...} says counts before what is usual. */
    public static SparkSession open(String name) {
        SparkConf conf = new SparkConf();
        boolean submitted = conf.contains("spark.master") && !conf.get("spark.master").startsWith("local");
        USUAL.forEach((key, value) -> {
            if (!submitted || key.startsWith("spark.sql.") || key.equals("spark.ui.enabled")) {
                conf.setIfMissing(key, value);
            }
        });
        OURS.forEach(conf::set);
        return SparkSession.builder().appName(name).config(conf).getOrCreate();
    }

    /**
     * Waits until no task runs, a minute at most: of a job that has failed, those that had begun go on, and would write again where
     * something was removed.
     */
    static void awaitTasks() {
        if (SparkSession.getDefaultSession().isEmpty()) {
            return;
        }
        SparkContext context = SparkSession.getDefaultSession().get().sparkContext();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!context.isStopped() && running(context) && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Spark's status is told later than it is; its scheduler knows. */
    private static boolean running(SparkContext context) {
        boolean running = false;
        if (context.taskScheduler() instanceof TaskSchedulerImpl scheduler) {
            for (var tasks = scheduler.runningTasksByExecutors().valuesIterator(); tasks.hasNext();) {
                running |= (int) tasks.next() > 0;
            }
        }
        return running;
    }
}

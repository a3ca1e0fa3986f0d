// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What does not come back holds up neither the caller nor the others. */
class KeyedTaskRunnerTest {
    private final KeyedTaskRunner errands = new KeyedTaskRunner(Duration.ofMillis(50));
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void end() {
        never.countDown();
        errands.close();
    }

    private void stuck() {
        try {
            never.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void until(java.util.function.BooleanSupplier condition, Map<String, Runnable> again) throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            errands.run(again);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void oneThreadDoesWhatComesBack() throws Exception {
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            String key = "k" + i % 3;
            until(() -> !errands.isOpen(key), Map.of());
            errands.run(Map.of(key, done::incrementAndGet));
        }
        until(() -> done.get() == 100, Map.of());
        assertThat(errands.threads()).isEqualTo(1);
    }

    @Test
    void aHangingTaskKeepsItsKeyAndOneThread() throws Exception {
        AtomicInteger others = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        Map<String, Runnable> both = new LinkedHashMap<>();
        both.put("stuck", () -> {
            begun.incrementAndGet();
            stuck();
        });
        both.put("other", others::incrementAndGet);
        until(() -> others.get() > 20, both);
        assertThat(begun).hasValue(1);
        assertThat(errands.threads()).isBetween(2, 3);

        never.countDown();
        until(() -> begun.get() > 1, both);
        until(() -> errands.threads() == 1, Map.of());
    }

    @Test
    void finishedTasksComeAfterOpenOnesAndWaitForNoOther() throws Exception {
        AtomicInteger other = new AtomicInteger();
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        errands.run(Map.of("slow", () -> {
            stuck();
            order.add("first");
        }));
        Map<String, Runnable> last = new LinkedHashMap<>();
        last.put("slow", () -> order.add("last"));
        last.put("other", () -> {
            other.incrementAndGet();
            never.countDown();
        });
        errands.finish(last, Duration.ofSeconds(60));
        assertThat(order).containsExactly("first", "last");
        assertThat(other).hasValue(1);
    }

    @Test
    void withoutAWaitAllTasksStillBegin() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (KeyedTaskRunner hurried = new KeyedTaskRunner(Duration.ZERO)) {
            hurried.run(Map.of("key", done::countDown));
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void thereAreNeverMoreThreadsThanEight() throws Exception {
        Map<String, Runnable> all = new LinkedHashMap<>();
        for (int i = 0; i < 20; i++) {
            all.put("stuck " + i, this::stuck);
        }
        until(() -> errands.threads() == KeyedTaskRunner.MOST_THREADS, all);
        for (int i = 0; i < 5; i++) {
            errands.run(all);
        }
        assertThat(errands.threads()).isEqualTo(KeyedTaskRunner.MOST_THREADS);
    }
}

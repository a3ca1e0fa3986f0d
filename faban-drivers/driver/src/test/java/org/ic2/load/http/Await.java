// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition in tests. */
public final class Await {
    private Await() {
    }

    /** Returns as soon as the condition holds; fails after 60 s. */
    public static void until(String what, BooleanSupplier condition) {
        long limit = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("not within 60 s: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}

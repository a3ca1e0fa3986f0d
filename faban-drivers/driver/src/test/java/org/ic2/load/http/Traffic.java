// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.load.spi.LoadObserver;

/** Counts what a client reports. */
public final class Traffic implements LoadObserver {
    public final AtomicInteger connects = new AtomicInteger();
    public final AtomicInteger reconnects = new AtomicInteger();
    public final AtomicInteger resumed = new AtomicInteger();
    public final AtomicInteger leaks = new AtomicInteger();
    public final List<Double> ages = new CopyOnWriteArrayList<>();
    public final AtomicInteger files = new AtomicInteger();
    public final AtomicInteger unchanged = new AtomicInteger();
    public final AtomicInteger anonymous = new AtomicInteger();
    public final AtomicLong bytes = new AtomicLong();

    @Override
    public void connected(boolean again, boolean tlsResumed) {
        connects.incrementAndGet();
        reconnects.addAndGet(again ? 1 : 0);
        resumed.addAndGet(tlsResumed ? 1 : 0);
    }

    @Override
    public void received(long count) {
        bytes.addAndGet(count);
    }

    @Override
    public void leaked() {
        leaks.incrementAndGet();
    }

    @Override
    public void page(double age) {
        ages.add(age);
    }

    @Override
    public void file(boolean isUnchanged) {
        files.incrementAndGet();
        unchanged.addAndGet(isUnchanged ? 1 : 0);
    }

    @Override
    public void anonymous() {
        anonymous.incrementAndGet();
    }
}

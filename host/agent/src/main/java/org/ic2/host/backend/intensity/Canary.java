// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.ic2.host.model.Guest;

/**
 * A pointer chase through more memory than caches hold: how much slower it is than it has ever been. It feels the traffic of
 * the whole host on the way to memory, and cannot tell whose it is, so that it says nothing of a guest unless there is only one.
 * It runs for some milliseconds each time, and is blind to what happens between.
 */
final class Canary implements IntensityMeter {
    private static final int WORDS = 16 << 20;      // 64 MiB
    private static final int STEP = 1_048_573;      // a prime, far from a page and from a stride that a prefetcher follows
    private static final int CHASES = 200_000;

    private final LongSupplier nanos;
    private int[] next = new int[0];
    private int at;
    private double fastest = Double.POSITIVE_INFINITY;

    Canary(LongSupplier nanos) {
        this.nanos = nanos;
    }

    @Override
    public String source() {
        return "canary: slowdown of a pointer chase, 0 = none; of the host, not of a guest";
    }

    @Override
    public boolean dear() {
        return true;
    }

    @Override
    public Map<String, Intensity> read(List<Guest> guests) {
        double slowdown = slowdown();
        Map<String, Intensity> values = new LinkedHashMap<>();
        guests.forEach(guest -> values.put(guest.uuid(), guests.size() == 1 ? new Intensity(slowdown, "")
                : Intensity.none(String.format(Locale.ROOT, "a canary feels the host, not a guest: %.2f slower now than ever",
                        slowdown))));
        return values;
    }

    /** Share by which a step takes longer now than the fastest so far. */
    double slowdown() {
        if (next.length == 0) {
            next = IntStream.range(0, WORDS).map(i -> (int) ((i + (long) STEP) % WORDS)).toArray();
        }
        long begun = nanos.getAsLong();
        for (int i = 0; i < CHASES; i++) {
            at = next[at];
        }
        double step = Math.max(1, nanos.getAsLong() - begun) / (double) CHASES;
        fastest = Math.min(fastest, step);
        return step / fastest - 1;
    }

    @Override
    public void close() {
        next = new int[0];
    }
}

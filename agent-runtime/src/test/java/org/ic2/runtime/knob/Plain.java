// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import java.util.Set;

/** A knob for tests, by its words. The first four are those of a tier with a web server and a pool behind it. */
public record Plain(String key, String column, int rank, int least, int unitsPerColumn) implements Knob {
    public static final Knob THREADS = new Plain("threads", "thr", 0, 1, 1);
    public static final Knob TIMEOUT = new Plain("timeout", "tmo", 1, 0, 1000);
    public static final Knob POOL = new Plain("pool", "pool", 2, 1, 1);
    public static final Knob LEVEL = new Plain("level", "level", 3, 0, 1);
    public static final Set<Knob> TIER = Set.of(THREADS, TIMEOUT, POOL, LEVEL);
    public static final Knob ZOOM = new Plain("zoom", "zoom", Integer.MAX_VALUE, 0, 1);
    public static final Knob BURST = new Plain("burst", "burst", Integer.MAX_VALUE, 0, 1);

    /** One value for each knob of {@link #TIER}. */
    public static Settings settings(int threads, int timeout, int pool, int level) {
        return Settings.none().with(THREADS, threads).with(TIMEOUT, timeout).with(POOL, pool).with(LEVEL, level);
    }

    @Override
    public String unit() {
        return "1";
    }
}

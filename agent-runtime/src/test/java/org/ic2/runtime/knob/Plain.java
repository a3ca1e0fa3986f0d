// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.knob;

import java.util.List;

/** A knob by its words, as a plug-in may bring one. */
record Plain(String key, String column, int rank, int least, int unitsPerColumn) implements Knob {
    static final Knob THREADS = new Plain("threads", "thr", 0, 1, 1);
    static final Knob TIMEOUT = new Plain("timeout", "tmo", 1, 0, 1000);
    static final Knob ZOOM = new Plain("zoom", "zoom", Integer.MAX_VALUE, 0, 1);
    static final Knob BURST = new Plain("burst", "burst", Integer.MAX_VALUE, 0, 1);

    @Override
    public String unit() {
        return "1";
    }

    @Override
    public List<String> formerKeys() {
        return List.of("old-" + key);
    }
}

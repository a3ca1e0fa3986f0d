// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.io.IOException;
import org.ic2.agent.history.HistoryFile.Ring;

/** Goes through the steps of a time, a few at once: whoever reads neither keeps the file from others nor all steps in memory. */
final class HistoryCursor {

    /** At most; some 12 KB. */
    private static final int AT_ONCE = 64;

    private final HistoryFile file;
    private final Ring ring;
    private final long until;
    private final byte[] bytes;
    private long time;
    private int next;
    private int count;
    private int read;

    HistoryCursor(HistoryFile file, Ring ring, long since, long until) {
        this.file = file;
        this.ring = ring;
        this.until = until;
        bytes = new byte[(int) Math.max(0, Math.min(AT_ONCE, (until - since) / ring.seconds() + 1)) * file.size()];
        time = (Math.max(0, since) + ring.seconds() - 1) / ring.seconds() * ring.seconds();
    }

    /** The next one; null after the last. */
    HistoryPoint next() throws IOException {
        while (next < count || time <= until) {
            if (next == count) {
                fill();
            }
            int start = next++ * file.size();
            long expected = time;
            time += ring.seconds();
            HistoryPoint point = start + file.size() <= read ? file.point(bytes, start) : null;
            if (point != null && point.time() == expected) {
                return point;
            }
        }
        return null;
    }

    private void fill() throws IOException {
        long place = HistoryFile.place(ring, time);
        next = 0;
        count = (int) Math.min(Math.min(bytes.length / file.size(), ring.places() - place), (until - time) / ring.seconds() + 1);
        read = file.fill(ring, place, bytes, count * file.size());
    }
}

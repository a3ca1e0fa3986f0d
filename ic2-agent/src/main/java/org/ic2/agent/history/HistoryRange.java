// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.history;

import java.io.IOException;
import java.util.Optional;
import org.ic2.agent.history.HistoryFile.Ring;

/** What there is of a time, in steps of one length; it is read from the file each time somebody goes through it. */
public final class HistoryRange {

    private final History history;
    private final Optional<HistoryFile> file;
    private final Ring ring;
    private final long since;
    private final long until;
    private boolean failed;

    /** What is done with a step. */
    public interface Use {
        void use(HistoryPoint point) throws IOException;
    }

    HistoryRange(History history, Optional<HistoryFile> file, Ring ring, long since, long until) {
        this.history = history;
        this.file = file;
        this.ring = ring;
        this.since = since;
        this.until = until;
    }

    /** Seconds of a step. */
    public int step() {
        return ring.seconds();
    }

    /**
     * Goes through the steps, oldest first; one in which nothing was measured is not there. A file that cannot be read has no more.
     *
     * @throws IOException of the use
     */
    public void forEach(Use use) throws IOException {
        if (file.isEmpty()) {
            return;
        }
        HistoryCursor cursor = file.get().read(ring, since, until);
        for (HistoryPoint point = next(cursor); point != null; point = next(cursor)) {
            use.use(point);
        }
    }

    private HistoryPoint next(HistoryCursor cursor) {
        try {
            return failed ? null : cursor.next();
        } catch (IOException e) {
            failed = true;
            history.failed(e);
            return null;
        }
    }
}

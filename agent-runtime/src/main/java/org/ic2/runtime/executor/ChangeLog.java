// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.IOException;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Settings;

/** Writes requests and what came of them into the journal. */
final class ChangeLog {

    private static final Logger LOG = Logger.getLogger(ChangeLog.class.getName());

    private final Journal journal;

    ChangeLog(Journal journal) {
        this.journal = journal;
    }

    /** What is about to be done; why it could not be written, if so. */
    Optional<String> intent(ChangeRequest request, Settings before) {
        return write(new Entry.Intent(journal.now(), request(request), Optional.of(before), Optional.of(request.desired()),
                request.decision()));
    }

    /** @param running what runs now; empty while that is unknown of a lever */
    void applied(ChangeRequest request, Result.Applied result, Optional<Settings> running, long epoch) {
        write(new Entry.Applied(journal.now(), request(request), result.millis(), epoch, running,
                String.join("; ", result.leftOut())));
    }

    void failed(ChangeRequest request, String problem, Result.Failed result, long epoch) {
        write(new Entry.Failed(journal.now(), request(request), problem, result.rolledBack(), epoch, result.running()));
        LOG.warning(() -> request.id() + " " + request.action() + " failed: " + problem
                + (result.rolledBack() ? "; rolled back" : ""));
    }

    void refused(ChangeRequest request, Settings before, String problem) {
        write(new Entry.Refused(journal.now(), request(request), problem, Optional.of(before),
                Optional.of(request.desired())));
    }

    private static Entry.Request request(ChangeRequest request) {
        return new Entry.Request(request.id(), request.origin().name(), request.action(), request.reason(), request.by());
    }

    private Optional<String> write(Entry entry) {
        try {
            journal.append(entry);
            return Optional.empty();
        } catch (IOException e) {
            LOG.log(Level.SEVERE, e.getMessage());
            return Optional.of(e.getMessage());
        }
    }
}

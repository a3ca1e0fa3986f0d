// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import java.io.IOException;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Settings;

/** Writes orders and what came of them into the journal. */
final class OrderLog {

    private static final Logger LOG = Logger.getLogger(OrderLog.class.getName());

    private final Journal journal;

    OrderLog(Journal journal) {
        this.journal = journal;
    }

    /** What is about to be done; why it could not be written, if so. */
    Optional<String> intent(Order order, Settings before) {
        return write(new Entry.Intent(journal.now(), request(order), Optional.of(before), Optional.of(order.desired()),
                order.decision()));
    }

    void applied(Order order, Result.Applied result, long epoch) {
        write(new Entry.Applied(journal.now(), request(order), result.millis(), epoch,
                Optional.of(result.configuration()), String.join("; ", result.leftOut())));
    }

    void failed(Order order, String problem, Result.Failed result, long epoch) {
        write(new Entry.Failed(journal.now(), request(order), problem, result.rolledBack(), epoch, result.running()));
        LOG.warning(() -> order.id() + " " + order.action() + " failed: " + problem
                + (result.rolledBack() ? "; rolled back" : ""));
    }

    void refused(Order order, Settings before, String problem) {
        write(new Entry.Refused(journal.now(), request(order), problem, Optional.of(before),
                Optional.of(order.desired())));
    }

    private static Entry.Request request(Order order) {
        return new Entry.Request(order.id(), order.origin().name(), order.action(), order.reason());
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

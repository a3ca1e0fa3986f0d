// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.executor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.knowledge.Configuration;

/** Writes orders and what came of them into the journal. */
final class OrderLog {

    private static final Logger LOG = Logger.getLogger(OrderLog.class.getName());
    private static final String CONFIGURATION = "configuration";

    private final Journal journal;

    OrderLog(Journal journal) {
        this.journal = journal;
    }

    /** What is about to be done; why it could not be written, if so. */
    Optional<String> intent(Order order, Configuration before) {
        ObjectNode entry = start(order, "intent");
        ConfigurationJson.put(entry.putObject("before"), before);
        ConfigurationJson.put(entry.putObject("desired"), order.desired());
        order.decision().ifPresent(decision -> entry.set("decision", decision));
        return write(entry);
    }

    void applied(Order order, Result.Applied result, long epoch) {
        ObjectNode entry = start(order, "applied").put("millis", result.millis()).put("epoch", epoch);
        ConfigurationJson.put(entry.putObject(CONFIGURATION), result.configuration());
        if (!result.leftOut().isEmpty()) {
            entry.put("left_out", String.join("; ", result.leftOut()));
        }
        write(entry);
    }

    void failed(Order order, String problem, Result.Failed result, long epoch) {
        ObjectNode entry = start(order, "failed").put("problem", problem).put("rolled_back", result.rolledBack())
                .put("epoch", epoch);
        result.running().ifPresent(running -> ConfigurationJson.put(entry.putObject(CONFIGURATION), running));
        write(entry);
        LOG.warning(() -> order.id() + " " + order.action() + " failed: " + problem
                + (result.rolledBack() ? "; rolled back" : ""));
    }

    void refused(Order order, Configuration before, String problem) {
        ObjectNode entry = start(order, "refused").put("problem", problem);
        ConfigurationJson.put(entry.putObject(CONFIGURATION), before);
        ConfigurationJson.put(entry.putObject("desired"), order.desired());
        write(entry);
    }

    private ObjectNode start(Order order, String kind) {
        return journal.entry(kind).put("id", order.id()).put("origin", order.origin().name())
                .put("action", order.action()).put("reason", order.reason());
    }

    private Optional<String> write(ObjectNode entry) {
        try {
            journal.append(entry);
            return Optional.empty();
        } catch (IOException e) {
            LOG.log(Level.SEVERE, e.getMessage());
            return Optional.of(e.getMessage());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import org.ic2.agent.config.AgentConfig;
import org.ic2.runtime.serve.ControlSocket;

/** Talks to the running agent through its control socket. */
final class AgentClient {

    private final Path socket;

    AgentClient(AgentConfig config) {
        socket = ControlSocket.beside(config.journal());
    }

    static ObjectNode request(String verb) {
        return new JsonMapper().createObjectNode().put("verb", verb);
    }

    /** The answer; an error says that no agent runs, or that we may not talk to it. */
    JsonNode ask(ObjectNode request) throws IOException {
        try {
            return ControlSocket.ask(socket, request);
        } catch (IOException e) {
            throw new IOException("no agent answers at " + socket + " (" + e.getMessage()
                    + "): is it running, and are you in its group?", e);
        }
    }

    JsonNode status() throws IOException {
        return ask(request("status")).get("status");
    }

    /** True when an agent answers. */
    boolean runs() {
        try {
            ask(request("status"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}

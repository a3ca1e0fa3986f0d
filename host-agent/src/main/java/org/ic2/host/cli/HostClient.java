// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.ic2.host.config.HostConfig;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.Access;
import org.ic2.runtime.serve.ControlSocket;
import picocli.CommandLine;

/** Talks to the running agent through its sockets. */
final class HostClient {

    private final Path control;
    private final Path looking;

    HostClient(HostConfig config) {
        control = ControlSocket.beside(config.journal(), Access.OPERATORS);
        looking = ControlSocket.beside(config.journal(), Access.READERS);
    }

    /** The answer; empty where no agent listens, or we may not ask. */
    Optional<JsonNode> ask(String verb) {
        return ask(control, verb);
    }

    private static Optional<JsonNode> ask(Path socket, String verb) {
        try {
            return Optional.of(ControlSocket.ask(socket, Json.object().put("verb", verb)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    JsonNode status() throws IOException {
        JsonNode answer = ask(control, "status").or(() -> ask(looking, "status")).orElseThrow(() ->
                new IOException("no agent answers at " + control + ": is it running, and may you ask it?"));
        if (!answer.has("status")) {
            throw new IOException("the agent answered: " + answer.path("text").asText("nothing"));
        }
        return answer.get("status");
    }

    /** Prints an answer; the exit status. */
    static int print(JsonNode answer, CommandLine line) {
        PrintWriter out = line.getOut();
        out.println(clean(answer.path("text").asText()));
        out.flush();
        return answer.path("ok").asBoolean() ? 0 : Ic2Host.FAILED;
    }

    /** Names of guests may hold anything. */
    static String clean(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }
}

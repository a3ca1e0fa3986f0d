// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.serve.SocketPermissions;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.Durations;
import picocli.CommandLine;

/** Talks to the running agent through its sockets. */
public final class AgentClient {

    private final Path control;
    private final Path looking;

    /** @param journal the agent's */
    public AgentClient(Path journal) {
        control = ControlSocket.beside(journal, SocketPermissions.OPERATORS);
        looking = ControlSocket.beside(journal, SocketPermissions.READERS);
    }

    /** A request without anything but its verb. */
    public static ObjectNode request(String verb) {
        return Json.object().put("verb", verb);
    }

    /**
     * A request for manual mode.
     *
     * @param time for how long, as a person writes it; null: until it is told to go on
     */
    public static ObjectNode request(String verb, String time) throws ConfigException {
        if (time == null) {
            return request(verb);
        }
        try {
            Durations.parse(time);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--for: " + e.getMessage(), e);
        }
        return request(verb).put("for", time);
    }

    /** The answer; an error says that no agent runs, or that we may not operate it. */
    public JsonNode ask(ObjectNode request) throws IOException {
        return ask(control, request, "may you operate it (as its user, as root, or in the group " + SocketPermissions.GROUP + ")");
    }

    private static JsonNode ask(Path socket, ObjectNode request, String right) throws IOException {
        try {
            return ControlSocket.ask(socket, request);
        } catch (IOException e) {
            throw new IOException("no agent answers at " + socket + " (" + e.getMessage() + "): is it running, and "
                    + right + "?", e);
        }
    }

    /** The agent at a glance. */
    public JsonNode status() throws IOException {
        return look(request("status")).get("status");
    }

    /**
     * The answer with {@code status} and, from an agent that has them, {@code trends}.
     *
     * @param millis epoch time; trends of later samples only
     */
    public JsonNode trends(long millis) throws IOException {
        try {
            return look(request("trends").put("since", millis));
        } catch (IOException e) {
            return look(request("status"));
        }
    }

    private JsonNode look(ObjectNode request) throws IOException {
        try {
            // who operates the agent may look too, and an agent of before has no other socket
            return status(ControlSocket.ask(control, request));
        } catch (IOException e) {
            return status(ask(looking, request, "are you in its group"));
        }
    }

    private static JsonNode status(JsonNode answer) throws IOException {
        if (!answer.has("status")) {
            throw new IOException("the agent answered: " + answer.path("text").asText("nothing"));
        }
        return answer;
    }

    /** True when an agent answers. */
    public boolean runs() {
        try {
            status();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Prints what an agent answered to a request to do something; the exit status. */
    public static int print(JsonNode answer, CommandLine line) {
        PrintWriter out = line.getOut();
        out.println(DisplayText.clean(answer.path("text").asText()));
        out.flush();
        return answer.path("ok").asBoolean() ? 0 : Program.FAILED;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.function.Supplier;
import org.ic2.host.apply.RestoreResult;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.Verbs;

/** What people may ask of the running agent: {@code status}, {@code restore}, {@code resume}. */
final class HostVerbs implements Verbs {

    private static final String STATUS = "status";

    private final Supplier<HostLoop> loop;
    private final Supplier<ObjectNode> status;

    HostVerbs(Supplier<HostLoop> loop) {
        this.loop = loop;
        this.status = new HostStatus(loop);
    }

    @Override
    public ObjectNode look(JsonNode request) throws InterruptedException {
        return request.path("verb").asText().equals(STATUS) ? handle(request, "")
                : answer(false, "this socket only answers \"status\"; to operate the agent takes its other one");
    }

    @Override
    public ObjectNode handle(JsonNode request, String by) throws InterruptedException {
        switch (request.path("verb").asText()) {
            case STATUS:
                return answer(true, "").set(STATUS, status.get());
            case "restore":
                RestoreResult result = loop.get().restore(by);
                return answer(result.isAtBaseline(), result.text());
            case "resume":
                try {
                    return answer(true, loop.get().resume(by));
                } catch (IOException e) {
                    return answer(false, e.getMessage());
                }
            default:
                return answer(false, "expected a verb: status, restore or resume");
        }
    }

    private static ObjectNode answer(boolean ok, String text) {
        return Json.object().put("ok", ok).put("text", text);
    }
}

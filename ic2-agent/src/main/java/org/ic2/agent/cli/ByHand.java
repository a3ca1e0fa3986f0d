// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.Optional;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.daemon.Agent;
import org.ic2.agent.http.StatusJson;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.TenantBrain;
import org.ic2.agent.tenant.TenantListener;
import org.ic2.agent.tenant.TenantMeasurement;
import org.ic2.agent.tenant.TenantVerdict;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.AgentLoop;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.serve.Commands;

/**
 * Sends a change by hand to the running agent, or, when none runs, makes it here: through the same executor, bounds,
 * verification and journal either way. The journal then says that a person is in charge, and a later start steps aside.
 */
final class ByHand {

    private ByHand() {
    }

    static int send(AgentConfig config, ObjectNode request, PrintWriter out) throws IOException, InterruptedException {
        AgentClient client = new AgentClient(config);
        JsonNode answer = client.runs() ? client.ask(request) : withoutAgent(config, request);
        out.println(answer.path("text").asText());
        if (answer.has("running")) {
            out.println("running: " + StatusJson.describe(answer.get("running"),
                    config.vocabulary().knobs()));
        }
        out.flush();
        return answer.path("ok").asBoolean() ? 0 : Ic2.FAILED;
    }

    private static JsonNode withoutAgent(AgentConfig config, ObjectNode request)
            throws IOException, InterruptedException {
        Clock clock = Clock.systemUTC();
        AgentStatus board = new AgentStatus();
        try (Journal journal = new Journal(config.journal(), clock, config.vocabulary().knobs());
                HostPool hosts = config.hosts(config.journal().resolveSibling("ssh"));
                Executor executor = Agent.executor(config, hosts, journal, clock, System::nanoTime)) {
            AgentLoop<TenantMeasurement, TenantVerdict> loop = new AgentLoop<>(new AgentLoop.Parts<>(
                    config.withMode(Mode.OBSERVE).mandate(), new NoSensors(), new TenantBrain(config.policyFor(false),
                    config.vocabulary()), executor, journal, new StateStore(config.journal()), new TenantListener(Optional.empty(), board),
                    clock, System::nanoTime));
            loop.start();
            return new Commands(() -> loop, () -> new StatusJson(board).status(config), executor::believed)
                    .handle(request);
        }
    }
}

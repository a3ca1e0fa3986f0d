// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.daemon.Agent;
import org.ic2.agent.http.StatusJson;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.TenantBrain;
import org.ic2.agent.tenant.TenantListener;
import org.ic2.agent.tenant.TenantMeasurement;
import org.ic2.agent.tenant.TenantTurn;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.cli.AgentClient;
import org.ic2.runtime.cli.DisplayText;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.executor.BaselineOutcome;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.executor.Executor;
import org.ic2.runtime.host.HostPool;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReader;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.loop.AgentLoop;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.loop.TurnInterval;
import org.ic2.runtime.loop.TurnSource;
import org.ic2.runtime.serve.Commands;
import org.ic2.runtime.serve.PeerCredentials;
import picocli.CommandLine;

/**
 * Sends a change by hand to the running agent, or, when none runs, makes it here: through the same executor, bounds,
 * verification and journal either way. The journal then says that manual mode is on, and a later start is in manual mode.
 */
final class ByHand {

    /** A command of an agent that was killed ends within this time. */
    private static final Duration COMMANDS_LIVE = Duration.ofSeconds(13);
    private static final int LOOK_MILLIS = 250;
    /** Why the loop starts, in the journal: this is no agent. */
    private static final String REASON = "a command makes a change while no agent runs";

    private ByHand() {
    }

    static int send(AgentConfig config, ObjectNode request, CommandLine line) throws IOException, InterruptedException {
        AgentClient client = new AgentClient(config.journal());
        JsonNode answer = client.runs() ? client.ask(request) : withoutAgent(config, request);
        int status = AgentClient.print(answer, line);
        PrintWriter out = line.getOut();
        if (answer.has("running")) {
            out.println("running: " + DisplayText.clean(StatusJson.describe(answer.get("running"),
                    config.vocabulary().knobs())));
        }
        out.flush();
        if (answer.has("warning")) {
            line.getErr().println("ic2: warning: " + DisplayText.clean(answer.get("warning").asText()));
        }
        return status;
    }

    /** The journal while no agent runs; whoever changes something then makes the agent's plan for its death untrue. */
    static Journal journal(AgentConfig config, Clock clock) throws IOException {
        Journal journal = new Journal(config.journal(), clock, config.vocabulary().knobs());
        BaselineOutcome.takeUp(journal, config.vocabulary().knobs(), config.policy().baseline());
        return journal;
    }

    /** What keeps an agent with another journal away from the same servers; nothing is held yet. */
    static TierLock lock(AgentConfig config) {
        return new TierLock(TierLock.directory(System.getenv()), "process " + ProcessHandle.current().pid() + " with "
                + config.source());
    }

    private static JsonNode withoutAgent(AgentConfig config, ObjectNode request)
            throws IOException, InterruptedException {
        try (TierLock lock = lock(config)) {
            if (!request.path("verb").asText().equals("restore")) {
                // everyone may restore
                lock.hold(config.withMode(Mode.ACT).servers());
            }
            return with(config.withMode(Mode.OBSERVE), (loop, executor, board) -> {
                boolean open = !executor.open().isEmpty();
                boolean warns = request.path("verb").asText().equals("apply") && !agentRanWith(config);
                loop.start(REASON);
                ObjectNode answer = new Commands(() -> loop, () -> new StatusJson(board).status(config), executor::believed)
                        .handle(request, PeerCredentials.self());
                if (warns && answer.path("ok").asBoolean() && !answer.has("warning")) {
                    answer.put("warning", "no agent has ever run with the journal " + config.journal() + ": the values stay until"
                            + " \"ic2 restore\", and an agent that starts later leaves them alone until \"ic2 resume\"");
                }
                if (open && executor.isAtBaseline()) {
                    outlast(executor, config.policy().baseline());
                }
                return answer;
            });
        }
    }

    /** False if the journal can be read and tells of no agent's start; a long one does not come of commands alone. */
    private static boolean agentRanWith(AgentConfig config) {
        Path journal = config.journal();
        boolean[] ran = {Files.exists(journal.resolveSibling(journal.getFileName() + ".1"))};
        try {
            if (Files.isRegularFile(journal)) {
                new JournalReader(config.vocabulary().knobs()).all(journal, line ->
                        ran[0] |= line.entry() instanceof Entry.Start start && !start.reason().equals(REASON));
            }
            return ran[0];
        } catch (IOException e) {
            return true;
        }
    }

    /** What an agent sent before it was killed may still be on its way, and nobody but us is there to see it come. */
    private static void outlast(Executor executor, Settings baseline) throws InterruptedException {
        long end = System.nanoTime() + COMMANDS_LIVE.toNanos();
        while (System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            try {
                executor.readRunning();
            } catch (IOException e) {
                continue;   // it shows nothing just now
            }
            if (!executor.open().isEmpty()) {
                executor.execute(ChangeRequest.restore("late", ChangeRequest.Origin.OPERATOR,
                        "what an agent had sent before it was killed has arrived", baseline));
            }
        }
    }

    /** Puts back what an agent that has ended left, if it did: the last resort of the service's end. */
    static int restoreIfLeft(AgentConfig config, CommandLine line) throws IOException, InterruptedException {
        if (new AgentClient(config.journal()).runs()) {
            line.getOut().println("an agent runs, and restores the baseline at its end");
            return 0;
        }
        if (with(config, (loop, executor, board) -> loop.left()).isEmpty()) {
            line.getOut().println("nothing was left");
            return 0;
        }
        return with(config.withMode(Mode.ACT), (loop, executor, board) -> {
            loop.start(REASON);
            loop.stop("restored after the end of the agent");
            line.getOut().println(executor.isAtBaseline() ? "restored: " + executor.believed().describe()
                    : "the baseline could not be restored; the next start tries again");
            return executor.isAtBaseline() ? 0 : Ic2.FAILED;
        });
    }

    /** What is done with a loop in this process. */
    private interface Deed<R> {
        R with(AgentLoop loop, Executor executor, AgentStatus board)
                throws IOException, InterruptedException;
    }

    /** A change by hand needs no sensor. */
    private static TenantMeasurement unmeasured(TurnInterval interval) {
        return new TenantMeasurement(Sample.at(interval.time()).settings(interval.believed()).build(), List.of(), Map.of(), Map.of());
    }

    private static <R> R with(AgentConfig config, Deed<R> deed) throws IOException, InterruptedException {
        Clock clock = Clock.systemUTC();
        AgentStatus board = new AgentStatus(System::nanoTime);
        try (Journal journal = journal(config, clock);
                HostPool hosts = config.hosts(config.journal().resolveSibling("ssh"));
                Executor executor = Agent.executor(config, hosts, journal, clock, System::nanoTime)) {
            TenantBrain brain = new TenantBrain(config.policyFor(config.mode() == Mode.ACT), config.vocabulary());
            TenantListener listener = new TenantListener(Optional.empty(), board);
            TurnSource unmeasured = interval -> new TenantTurn(unmeasured(interval), brain, listener, System::nanoTime);
            return deed.with(new AgentLoop(new AgentLoop.Parts(config.mandate(), unmeasured, brain, executor, journal,
                    new StateStore(config.journal()), clock, System::nanoTime)), executor, board);
        }
    }
}

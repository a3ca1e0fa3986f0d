// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.terminal.Ink;
import org.ic2.agent.terminal.TerminalSession;
import org.ic2.agent.watch.Trends;
import org.ic2.agent.watch.WatchLine;
import org.ic2.agent.watch.WatchScreen;
import org.ic2.agent.watch.WatchedAgent;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ic2 watch}: the running agent and its last minutes, live. */
@Command(name = "watch", mixinStandardHelpOptions = true,
        description = {"Shows the running agent live: state, level, the last minutes of what it measures beside target and"
            + " normal, and the last actions. q or Ctrl-C ends it.",
            "An agent that ends is waited for. In colour unless NO_COLOR is set; into a pipe, and with TERM=dumb, a line"
            + " for each interval."})
final class WatchCommand implements Callable<Integer> {

    private static final Duration REDRAW = Duration.ofSeconds(1);
    /** What an agent has for its first answer; one that hangs is shown as such. */
    private static final Duration FIRST = Duration.ofSeconds(3);

    @Mixin
    private ConfigOption config;

    @Option(names = "--count", paramLabel = "N", description = "Stop after N intervals; default: never.")
    private long count = Long.MAX_VALUE;

    @Spec
    private CommandSpec spec;

    private final Object changes = new Object();
    private Trends trends = new Trends();
    private WatchedAgent agent = WatchedAgent.unknown(Instant.now());
    private long turns;
    private boolean ended;
    private boolean changed;

    @Override
    public Integer call() throws Exception {
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "--count: expected at least 1, got " + count);
        }
        AgentConfig loaded = config.load();
        Thread asking = new Thread(() -> ask(new AgentClient(loaded.journal()), loaded.interval()), "asking");
        asking.setDaemon(true);
        asking.start();
        awaitFirst();
        Map<String, String> environment = System.getenv();
        String terminal = environment.getOrDefault("TERM", "");
        if (terminal.isEmpty() || terminal.equals("dumb") || !TerminalSession.isTerminal(1)) {
            lines(loaded);
        } else {
            screen(loaded, Ink.of(environment));
        }
        return 0;
    }

    /** In a thread of its own: an agent that hangs does not answer, and a person wants to see that, and to end it. */
    private void ask(AgentClient client, Duration interval) {
        try {
            while (true) {
                long since;
                synchronized (changes) {
                    since = trends.last();
                }
                Optional<JsonNode> answer = Optional.empty();
                String problem = "";
                try {
                    answer = Optional.of(client.trends(since));
                } catch (IOException e) {
                    problem = e.getMessage();
                }
                heard(answer, problem);
                TimeUnit.NANOSECONDS.sleep(interval.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void heard(Optional<JsonNode> answer, String problem) {
        synchronized (changes) {
            if (answer.isPresent()) {
                JsonNode status = answer.get().path("status");
                JsonNode told = answer.get().path("trends");
                String state = status.path("state").asText();
                trends.add(told, state);
                if (!told.has("time")) {
                    trends.addSample(status.path("sample"), state);
                }
                agent = new WatchedAgent(status, told, Optional.empty(), Instant.now());
            } else {
                agent = new WatchedAgent(agent.status(), agent.trends(), Optional.of(problem), agent.heard());
            }
            turns++;
            changed();
        }
    }

    private void changed() {
        synchronized (changes) {
            changed = true;
            changes.notifyAll();
        }
    }

    private void typed(int key) {
        synchronized (changes) {
            ended |= key == 'q' || key == 'Q' || key < 0;
            changed();
        }
    }

    /** Whoever mistypes the configuration's name does not want to wait for its agent. */
    private void awaitFirst() throws IOException, InterruptedException {
        synchronized (changes) {
            long end = System.nanoTime() + FIRST.toNanos();
            while (turns == 0 && end - System.nanoTime() > 0) {
                TimeUnit.NANOSECONDS.timedWait(changes, Math.max(1, end - System.nanoTime()));
            }
            if (agent.problem().isPresent()) {
                throw new IOException(agent.problem().get());
            }
        }
    }

    private void screen(AgentConfig loaded, Ink ink) throws InterruptedException {
        try (TerminalSession session = new TerminalSession(this::changed, this::typed)) {
            boolean goOn = true;
            while (goOn) {
                WatchScreen screen = new WatchScreen(loaded.vocabulary().knobs(), loaded.interval(), ZoneId.systemDefault(),
                        session.size(), ink);
                List<String> rows;
                synchronized (changes) {
                    changed = false;
                    rows = screen.rows(agent, trends, Instant.now());
                }
                session.draw(rows);
                synchronized (changes) {
                    if (!changed && !over()) {
                        TimeUnit.NANOSECONDS.timedWait(changes, REDRAW.toNanos());
                    }
                    goOn = !over();
                }
            }
        }
    }

    private boolean over() {
        return ended || turns >= count;
    }

    private void lines(AgentConfig loaded) throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        // whoever read it may be gone
        for (long line = 0; line < count && !out.checkError(); line++) {
            if (line > 0) {
                TimeUnit.NANOSECONDS.sleep(loaded.interval().toNanos());
            }
            synchronized (changes) {
                out.println(WatchLine.of(agent, Instant.now(), loaded.interval()));
            }
            out.flush();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Logger;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.config.HttpConfig;
import org.ic2.agent.config.ConfigProfile;
import org.ic2.agent.daemon.Agent.Surroundings;
import org.ic2.agent.history.History;
import org.ic2.agent.http.HttpApi;
import org.ic2.agent.http.StatusJson;
import org.ic2.agent.http.TrendsJson;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.GuardCheck;
import org.ic2.agent.tenant.Recorder;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.control.policy.SamplingInterval;
import org.ic2.runtime.daemon.Resident;
import org.ic2.runtime.daemon.ResidentProcess;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.executor.BaselineOutcome;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.serve.Commands;
import org.ic2.runtime.serve.HttpEndpoint;
import org.ic2.runtime.serve.Verbs;
import org.ic2.runtime.yaml.ConfigException;

/**
 * {@code ic2 run}: turns the loop at the interval, or as soon as it wants, until it is told to stop. SIGTERM and SIGINT restore the baseline and
 * end; SIGHUP reads the configuration again and keeps the old one when the new one is bad.
 */
public final class Daemon implements Resident {

    private static final Logger LOG = Logger.getLogger(Daemon.class.getName());
    private static final ResidentProcess.Words WORDS = new ResidentProcess.Words("a turn of the loop failed; nothing was applied in it",
            "the agent did not end in time; the next start restores the baseline");

    private final ConfigLoader loader;
    private final Path file;
    private final Optional<Mode> mode;
    private final Surroundings around;
    private final TierLock lock;
    private final Commands commands;
    private volatile Agent agent;
    private int number = 1;

    private Daemon(ConfigLoader loader, Path file, Optional<Mode> mode, Agent agent, Surroundings around,
            TierLock lock) {
        this.loader = loader;
        this.file = file;
        this.mode = mode;
        this.agent = agent;
        this.around = around;
        this.lock = lock;
        StatusJson status = new StatusJson(around.board());
        TrendsJson trends = new TrendsJson(around.board());
        commands = new Commands(() -> this.agent.loop(), () -> status.status(this.agent.config()),
                since -> trends.since(this.agent.config(), since), () -> this.agent.executor().believed());
    }

    /**
     * Runs until a signal ends it.
     *
     * @param mode      of the command line, instead of the file's
     * @param recording file for the samples
     * @throws ConfigException when the configuration is bad
     * @throws IOException     when the journal, the recording or the listening address cannot be used, or another agent
     *                         manages the tier
     */
    public static void run(ConfigLoader loader, Path file, Optional<Mode> mode, Optional<Path> recording)
            throws ConfigException, IOException, InterruptedException {
        AgentConfig config = load(loader, file, mode);
        AgentStatus board = new AgentStatus(System::nanoTime);
        try (TierLock lock = new TierLock(TierLock.directory(System.getenv()), "process " + ProcessHandle.current().pid()
                + " with " + file.toAbsolutePath()); Journal journal = new Journal(config.journal(), Clock.systemUTC(),
                config.vocabulary().knobs())) {
            lock.hold(config.servers());
            BaselineOutcome.takeUp(journal, config.vocabulary().knobs(), config.policy().baseline());
            Optional<Recorder> recorder = recording.isPresent()
                    ? Optional.of(new Recorder(recording.get(), SamplesCsv.own(config.vocabulary())))
                    : Optional.empty();
            Surroundings around = new Surroundings(journal, new StateStore(config.journal()), board, recorder,
                    history(config), Clock.systemUTC(), System::nanoTime);
            Agent agent = new Agent(config, around, 1);
            journal.accompany(agent.plan(journal.file(), lock.files()));
            if (journal.failure() != null) {
                restoreAndEnd(agent, journal.failure());
                throw new IOException(journal.failure());
            }
            Optional<String> notRestorable = notRestorable(agent);
            if (notRestorable.isPresent()) {
                restoreAndEnd(agent, notRestorable.get());
                throw new ConfigException(file + ": " + notRestorable.get());
            }
            try (ResidentProcess process = new ResidentProcess(new Daemon(loader, file, mode, agent, around, lock), WORDS)) {
                try {
                    process.run();
                } finally {
                    recorder.ifPresent(Recorder::close);
                    around.history().ifPresent(History::close);
                }
            }
        }
    }

    /** For the page, so only where that is served. */
    private static Optional<History> history(AgentConfig config) {
        return config.http().map(address -> new History(config.journal(), config.vocabulary(), Clock.systemUTC()));
    }

    /** Nothing can be done but to put back what an earlier agent left. */
    private static void restoreAndEnd(Agent agent, String problem) throws InterruptedException {
        try (agent) {
            agent.loop().start("");
            agent.loop().stop(problem);
        }
    }

    /** Why nothing may be changed: what leads away and cannot be taken back. */
    private static Optional<String> notRestorable(Agent agent) throws InterruptedException {
        return agent.config().mode() != Mode.ACT ? Optional.empty() : agent.executor().refusedBaseline().map(refused ->
                "baseline: there would be no way back to it: " + refused
                + "; change it, or the server's limits (and reconfigure.conf, behind the root helper)");
    }

    private static AgentConfig load(ConfigLoader loader, Path file, Optional<Mode> mode) throws ConfigException {
        AgentConfig config = loader.load(file);
        return mode.map(config::withMode).orElse(config);
    }

    @Override
    public Path journal() {
        return around.journal().file();
    }

    @Override
    public Verbs verbs() {
        return commands;
    }

    @Override
    public Optional<HttpEndpoint> listen() throws IOException {
        Optional<HttpConfig> http = agent.config().http();
        return http.isEmpty() ? Optional.empty() : Optional.of(new HttpApi(http.get(), around.board(), around.journal(),
                around.history().orElseThrow(), () -> agent.config(), commands));
    }

    @Override
    public void start() throws InterruptedException {
        agent.loop().start("");
        warn();
        agent.config().http().filter(HttpConfig::insecureReadOnly).ifPresent(http -> LOG.warning(http.reach()));
    }

    private void warn() {
        agent.config().profile().ifPresent(profile -> LOG.info(() -> ConfigProfile.KEY + ": " + profile.describe()));
        GuardCheck.problem(agent.config().policy()).ifPresent(problem -> LOG.warning(GuardCheck.KEY + ": " + problem));
    }

    @Override
    public String manages() {
        return agent.config().application() + " in mode " + agent.config().mode();
    }

    @Override
    public Duration interval() {
        return agent.config().interval();
    }

    @Override
    public Duration untilNext() {
        SamplingInterval pace = agent.config().policy().pace();
        return agent.loop().suspicious() ? pace.close() : pace.usual();
    }

    @Override
    public void turn() throws InterruptedException {
        agent.loop().tick();
    }

    @Override
    public void interrupt() {
        agent.executor().interrupt();
    }

    @Override
    public void stop(String why) throws InterruptedException {
        agent.loop().stop(why);
        agent.silence();
        agent.close();
    }

    @Override
    public void readAgain() throws InterruptedException {
        AgentConfig old = agent.config();
        try {
            AgentConfig fresh = load(loader, file, mode);
            if (!fresh.journal().equals(old.journal()) || !fresh.http().map(HttpConfig::fixed).equals(old.http().map(HttpConfig::fixed))) {
                throw new ConfigException(file + ": journal, http.listen, http.tls and http.insecure-read-only cannot change while the agent runs; restart it");
            }
            holdBoth(old, fresh);
            Agent next = new Agent(fresh, around, ++number);
            Optional<String> refused = notRestorable(next);
            if (refused.isEmpty()) {
                refused = agent.loop().prepareFor(fresh.mandate());     // may restore, so after all other reasons to refuse
            }
            if (refused.isPresent()) {
                next.close();
                lock.hold(old.servers());
                throw new ConfigException(file + ": " + refused.get());
            }
            around.journal().accompany(next.plan(around.journal().file(), lock.files()));
            next.loop().continueFrom(agent.loop());
            Agent previous = agent;
            agent = next;
            if (!fresh.overloadFile().equals(old.overloadFile())) {
                previous.silence();
            }
            previous.close();
            lock.hold(fresh.servers());
            LOG.info(() -> "the configuration was read again");
            warn();
        } catch (ConfigException | IOException e) {
            LOG.severe("the configuration stays as it was: " + e.getMessage());
        }
    }

    /** Until the new configuration has taken over, the old one's servers stay ours. */
    private void holdBoth(AgentConfig old, AgentConfig fresh) throws IOException {
        Set<String> both = new TreeSet<>(old.servers());
        both.addAll(fresh.servers());
        lock.hold(both);
    }
}

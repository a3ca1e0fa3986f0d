// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.ConfigLoader;
import org.ic2.agent.config.HttpConfig;
import org.ic2.agent.daemon.Agent.Surroundings;
import org.ic2.agent.history.History;
import org.ic2.agent.http.HttpApi;
import org.ic2.agent.http.StatusJson;
import org.ic2.agent.http.TrendsJson;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.Recorder;
import org.ic2.knowledge.SamplesCsv;
import org.ic2.knowledge.control.Pace;
import org.ic2.runtime.daemon.ServiceManager;
import org.ic2.runtime.daemon.Signals;
import org.ic2.runtime.daemon.TierLock;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.loop.StateStore;
import org.ic2.runtime.serve.Access;
import org.ic2.runtime.serve.Commands;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.yaml.ConfigException;

/**
 * {@code ic2 run}: turns the loop at the interval, or as soon as it wants, until it is told to stop. SIGTERM and SIGINT restore the baseline and
 * end; SIGHUP reads the configuration again and keeps the old one when the new one is bad.
 */
public final class Daemon {

    private static final Logger LOG = Logger.getLogger(Daemon.class.getName());
    private static final Duration END_DEADLINE = Duration.ofSeconds(40);

    private final ConfigLoader loader;
    private final Path file;
    private final Optional<Mode> mode;
    private final Surroundings around;
    private final TierLock lock;
    private final ServiceManager manager = new ServiceManager(System.getenv(), System::nanoTime);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Agent agent;
    private volatile boolean stopping;
    private volatile boolean reload;
    private boolean ending;
    private int number = 1;

    private Daemon(ConfigLoader loader, Path file, Optional<Mode> mode, Agent agent, Surroundings around,
            TierLock lock) {
        this.loader = loader;
        this.file = file;
        this.mode = mode;
        this.agent = agent;
        this.around = around;
        this.lock = lock;
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
            Optional<Recorder> recorder = recording.isPresent()
                    ? Optional.of(new Recorder(recording.get(), SamplesCsv.own(config.vocabulary())))
                    : Optional.empty();
            Surroundings around = new Surroundings(journal, new StateStore(config.journal()), board, recorder,
                    history(config), Clock.systemUTC(), System::nanoTime);
            Agent agent = new Agent(config, around, 1);
            if (journal.failure() != null) {
                restoreAndEnd(agent, journal.failure());
                throw new IOException(journal.failure());
            }
            Optional<String> homeless = homeless(agent);
            if (homeless.isPresent()) {
                restoreAndEnd(agent, homeless.get());
                throw new ConfigException(file + ": " + homeless.get());
            }
            Daemon daemon = new Daemon(loader, file, mode, agent, around, lock);
            try {
                daemon.serve(config);
            } finally {
                recorder.ifPresent(Recorder::close);
                around.history().ifPresent(History::close);
                daemon.ended.countDown();
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
            agent.loop().start();
            agent.loop().stop(problem);
        }
    }

    /** Why nothing may be changed: what leads away and cannot be taken back. */
    private static Optional<String> homeless(Agent agent) throws InterruptedException {
        return agent.config().mode() != Mode.ACT ? Optional.empty() : agent.executor().refusedBaseline().map(refused ->
                "baseline: there would be no way back to it: " + refused
                + "; change it, or the server's limits (and reconfigure.conf, behind the root helper)");
    }

    private static AgentConfig load(ConfigLoader loader, Path file, Optional<Mode> mode) throws ConfigException {
        AgentConfig config = loader.load(file);
        return mode.map(config::withMode).orElse(config);
    }

    private void serve(AgentConfig config) throws IOException, InterruptedException {
        StatusJson status = new StatusJson(around.board());
        TrendsJson trends = new TrendsJson(around.board());
        Commands commands = new Commands(() -> agent.loop(), () -> status.status(agent.config()),
                since -> trends.since(agent.config(), since), () -> agent.executor().believed());
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(main), "end"));
        Signals.onHangup(() -> reload = true);
        try (ControlSocket control = socket(config, commands, Access.OPERATORS);
                ControlSocket looking = socket(config, commands, Access.READERS);
                HttpApi api = config.http().isPresent() ? new HttpApi(config.http().get(), around.board(),
                        around.journal(), around.history().orElseThrow(), () -> agent.config(), commands) : null) {
            agent.loop().start();
            LOG.info(() -> "managing " + config.application() + " in mode " + config.mode()
                    + (api == null ? "" : ", " + api.address()) + ", " + control.path() + ", " + looking.path());
            config.http().filter(HttpConfig::insecureReadOnly).ifPresent(http -> LOG.warning(http.reach()));
            manager.ready(agent.config().interval());
            turn();
        } finally {
            endUndisturbed();
            manager.stopping();
            agent.loop().stop(stopping ? "ended by a signal" : "ended by an error");
            agent.close();
        }
    }

    /** From now on nothing interrupts us: the way home is not to be cut short by a signal that comes late. */
    private synchronized void endUndisturbed() {
        ending = true;
        Thread.interrupted();
    }

    private synchronized void stopTurning(Thread main) {
        stopping = true;
        if (!ending) {
            main.interrupt();
            agent.executor().interrupt();
        }
    }

    private static ControlSocket socket(AgentConfig config, Commands commands, Access access) throws IOException {
        return new ControlSocket(ControlSocket.beside(config.journal(), access), commands, access);
    }

    private void turn() {
        long next = System.nanoTime();
        while (!stopping) {
            manager.turned();
            try {
                Pace pace = agent.config().policy().pace();
                next += (agent.loop().suspicious() ? pace.close() : pace.usual()).toNanos();
                long wait = next - System.nanoTime();
                if (wait < 0) {
                    // A turn that took longer than the interval is not made up for.
                    next = System.nanoTime();
                } else {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                if (reload) {
                    reload = false;
                    manager.reloading();
                    readAgain();
                    manager.ready(agent.config().interval());
                }
                agent.loop().tick();
            } catch (InterruptedException e) {
                continue;   // told to stop
            } catch (RuntimeException e) {
                LOG.log(Level.SEVERE, "a turn of the loop failed; nothing was applied in it", e);
            }
        }
    }

    private void readAgain() throws InterruptedException {
        AgentConfig old = agent.config();
        try {
            AgentConfig fresh = load(loader, file, mode);
            if (!fresh.journal().equals(old.journal()) || !fresh.http().map(HttpConfig::fixed).equals(old.http().map(HttpConfig::fixed))) {
                throw new ConfigException(file + ": journal, http.listen, http.tls and http.insecure-read-only cannot change while the agent runs; restart it");
            }
            holdBoth(old, fresh);
            Agent next = new Agent(fresh, around, ++number);
            Optional<String> refused = homeless(next);
            if (refused.isEmpty()) {
                refused = agent.loop().prepareFor(fresh.mandate());     // may restore, so after all other reasons to refuse
            }
            if (refused.isPresent()) {
                next.close();
                lock.hold(old.servers());
                throw new ConfigException(file + ": " + refused.get());
            }
            next.loop().continueFrom(agent.loop());
            Agent previous = agent;
            agent = next;
            previous.close();
            lock.hold(fresh.servers());
            LOG.info(() -> "the configuration was read again");
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

    /** Runs in the shutdown hook: the virtual machine ends when this returns. */
    private void end(Thread main) {
        stopTurning(main);
        try {
            // Not a join: the main thread goes on to System.exit, which waits for this very hook.
            if (!ended.await(END_DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                LOG.severe("the agent did not end in time; the next start restores the baseline");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

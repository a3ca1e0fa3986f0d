// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.host.apply.Homecoming;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.runtime.daemon.ServiceManager;
import org.ic2.runtime.daemon.Signals;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.serve.Access;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.yaml.ConfigException;

/**
 * {@code ic2-host run}: turns the loop until it is told to stop. SIGTERM and SIGINT put everything back and end; SIGHUP puts
 * everything back and begins with the configuration read again, or keeps the old one when the new one is bad.
 */
public final class HostDaemon {

    private static final Logger LOG = Logger.getLogger(HostDaemon.class.getName());
    private static final Duration END_DEADLINE = Duration.ofSeconds(40);

    private final Path file;
    private final Optional<Mode> mode;
    private final HostAgent.Surroundings around;
    private final ServiceManager manager = new ServiceManager(System.getenv(), System::nanoTime);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile HostAgent agent;
    private volatile boolean stopping;
    private volatile boolean reload;
    private boolean ending;

    private HostDaemon(Path file, Optional<Mode> mode, HostAgent agent, HostAgent.Surroundings around) {
        this.file = file;
        this.mode = mode;
        this.agent = agent;
        this.around = around;
    }

    /**
     * Runs until a signal ends it.
     *
     * @param mode      of the command line, instead of the file's
     * @param recording file for what is measured and decided
     * @return false when something of ours is still away from home
     * @throws ConfigException when the configuration is bad
     * @throws IOException     when the host, the journal, the recording or the listening address cannot be used
     */
    public static boolean run(Path file, Optional<Mode> mode, Optional<Path> recording)
            throws ConfigException, IOException, InterruptedException {
        HostConfig config = load(file, mode);
        try (Journal journal = new Journal(config.journal(), Clock.systemUTC(), Set.of());
                Backend backend = Backends.open(config)) {
            Optional<HostRecorder> recorder = recording.isPresent() ? Optional.of(new HostRecorder(recording.get(),
                    config.backend().type(), backend.memory(), backend.pools())) : Optional.empty();
            HostAgent.Surroundings around = new HostAgent.Surroundings(backend, journal, HostAgent.snapshot(config.snapshot()),
                    Clock.systemUTC(), System::nanoTime, recorder);
            HostDaemon daemon = new HostDaemon(file, mode, new HostAgent(config, around), around);
            try {
                return daemon.serve(config);
            } finally {
                recorder.ifPresent(HostRecorder::close);
                daemon.ended.countDown();
            }
        }
    }

    private static HostConfig load(Path file, Optional<Mode> mode) throws ConfigException {
        HostConfig config = HostConfigReader.load(file);
        return mode.map(config::withMode).orElse(config);
    }

    private boolean serve(HostConfig config) throws IOException, InterruptedException {
        HostVerbs verbs = new HostVerbs(() -> agent.loop());
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(main), "end"));
        Signals.onHangup(() -> reload = true);
        Homecoming home;
        try (ControlSocket control = socket(config, verbs, Access.OPERATORS);
                ControlSocket looking = socket(config, verbs, Access.READERS);
                HostHttp http = config.listen().isPresent() ? new HostHttp(config.listen().get(), () -> agent.loop()) : null) {
            agent.loop().start("");
            LOG.info(() -> "managing " + config.backend().type() + " in mode " + config.mode()
                    + (http == null ? "" : ", " + http.address()) + ", " + control.path() + ", " + looking.path());
            manager.ready(agent.loop().period());
            turn();
        } finally {
            endUndisturbed();
            manager.stopping();
            home = agent.loop().stop(stopping ? "ended by a signal" : "ended by an error");
        }
        return home.isHome();
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
            agent.loop().interrupt();
        }
    }

    private static ControlSocket socket(HostConfig config, HostVerbs verbs, Access access) throws IOException {
        return new ControlSocket(ControlSocket.beside(config.journal(), access), verbs, access);
    }

    private void turn() {
        long next = System.nanoTime();
        while (!stopping) {
            manager.turned();
            try {
                if (reload) {
                    reload = false;
                    manager.reloading();
                    readAgain();
                    manager.ready(agent.loop().period());
                }
                agent.loop().turn();
                next += agent.loop().period().toNanos();
                long wait = next - System.nanoTime();
                if (wait < 0) {
                    next = System.nanoTime();   // a turn that took longer than the period is not made up for
                } else {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
            } catch (InterruptedException e) {
                continue;   // told to stop
            } catch (RuntimeException e) {
                LOG.log(Level.SEVERE, "a turn of the loop failed", e);
                pause();
            }
        }
    }

    private void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(agent.loop().period().toNanos());
        } catch (InterruptedException e) {
            LOG.fine("told to stop");
        }
    }

    private void readAgain() throws InterruptedException {
        HostConfig old = agent.loop().config();
        try {
            HostConfig fresh = load(file, mode);
            if (!fresh.journal().equals(old.journal()) || !fresh.listen().equals(old.listen())
                    || !fresh.backend().equals(old.backend())) {
                throw new ConfigException(file + ": backend, journal and http cannot change while the agent runs; restart it");
            }
            HostAgent next = new HostAgent(fresh, around);
            try {
                agent.loop().stop("the configuration was read again");
            } catch (RuntimeException e) {
                LOG.log(Level.SEVERE, "what was moved may not be back; the new configuration puts it back", e);
            }
            agent = next;
            next.loop().start("the configuration was read again");
            LOG.info(() -> "the configuration was read again");
        } catch (ConfigException | IOException e) {
            LOG.severe("the configuration stays as it was: " + e.getMessage());
        }
    }

    /** Runs in the shutdown hook: the virtual machine ends when this returns. */
    private void end(Thread main) {
        stopTurning(main);
        try {
            // Not a join: the main thread goes on to System.exit, which waits for this very hook.
            if (!ended.await(END_DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                LOG.severe("the agent did not end in time; ic2-host restore, or the next start, puts everything back");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.host.apply.RestoreMarker;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.Backend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.runtime.daemon.Resident;
import org.ic2.runtime.daemon.ResidentProcess;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.loop.Mode;
import org.ic2.runtime.serve.HttpEndpoint;
import org.ic2.runtime.serve.Verbs;
import org.ic2.runtime.yaml.ConfigException;

/**
 * {@code ic2-host run}: turns the loop until it is told to stop. SIGTERM and SIGINT put everything back and end; SIGHUP puts
 * everything back and begins with the configuration read again, or keeps the old one when the new one is bad.
 */
public final class HostDaemon implements Resident {

    private static final Logger LOG = Logger.getLogger(HostDaemon.class.getName());
    private static final ResidentProcess.Words WORDS = new ResidentProcess.Words("a turn of the loop failed",
            "the agent did not end in time; ic2-host restore, or the next start, puts everything back");

    private final Path file;
    private final Optional<Mode> mode;
    private final HostAgent.Surroundings around;
    private final HostVerbs verbs = new HostVerbs(() -> this.agent.loop());
    private volatile HostAgent agent;
    private boolean turned;
    private boolean restored;

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
     * @return false when something of ours is still away from the baseline
     * @throws ConfigException when the configuration is bad
     * @throws IOException     when the host, the journal, the recording or the listening address cannot be used
     */
    public static boolean run(Path file, Optional<Mode> mode, Optional<Path> recording)
            throws ConfigException, IOException, InterruptedException {
        RestoreMarker mark = RestoreMarker.of(file);
        // whatever may be wrong with this configuration or this host
        Optional<StartupRestore.Left> left = StartupRestore.marked(mark, () -> load(file, mode).backend());
        HostConfig config = load(file, mode);
        StartupRestore.restore(config, mark, left);
        try (Journal journal = new Journal(config.journal(), Clock.systemUTC(), Set.of());
                Backend backend = Backends.open(config)) {
            StartupRestore.leaveOthers(config, mark);
            Snapshot snapshot = HostAgent.snapshot(config);
            Optional<HostRecorder> recorder = recording.isPresent() ? Optional.of(new HostRecorder(recording.get(),
                    config.backend().type(), backend.memory(), backend.pools())) : Optional.empty();
            HostAgent.Surroundings around = new HostAgent.Surroundings(backend, journal, snapshot, Clock.systemUTC(),
                    System::nanoTime, recorder);
            HostDaemon daemon = new HostDaemon(file, mode, new HostAgent(config, around), around);
            try (ResidentProcess process = new ResidentProcess(daemon, WORDS)) {
                try {
                    process.run();
                } finally {
                    recorder.ifPresent(HostRecorder::close);
                }
                return daemon.restored;
            }
        }
    }

    private static HostConfig load(Path file, Optional<Mode> mode) throws ConfigException {
        HostConfig config = HostConfigReader.load(file);
        return mode.map(config::withMode).orElse(config);
    }

    @Override
    public Path journal() {
        return agent.loop().config().journal();
    }

    @Override
    public Verbs verbs() {
        return verbs;
    }

    @Override
    public Optional<HttpEndpoint> listen() throws IOException {
        Optional<InetSocketAddress> address = agent.loop().config().listen();
        return address.isEmpty() ? Optional.empty() : Optional.of(new HostHttp(address.get(), () -> agent.loop()));
    }

    @Override
    public void start() {
        agent.loop().begin("");
    }

    @Override
    public String manages() {
        return agent.loop().config().backend().type() + " in mode " + agent.loop().config().mode();
    }

    @Override
    public Duration interval() {
        return agent.loop().period();
    }

    /** The first turn begins at once: whoever looks sees the host, and not an empty one. */
    @Override
    public Duration untilNext() {
        return turned ? agent.loop().period() : Duration.ZERO;
    }

    @Override
    public void turn() throws InterruptedException {
        turned = true;
        agent.loop().turn();
    }

    @Override
    public void interrupt() {
        agent.loop().interrupt();
    }

    @Override
    public void stop(String why) throws InterruptedException {
        restored = agent.loop().stop(why).isAtBaseline();
    }

    @Override
    public void readAgain() throws InterruptedException {
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
}

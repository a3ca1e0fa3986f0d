// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.runtime.serve.ControlSocket;
import org.ic2.runtime.serve.HttpEndpoint;
import org.ic2.runtime.serve.SocketPermissions;

/**
 * The process around an agent: its turns, its control sockets, what the service manager is told, and its signals. SIGTERM and SIGINT
 * stop it, for which there is time until a deadline; SIGHUP has it read its configuration again between two turns.
 */
public final class ResidentProcess implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ResidentProcess.class.getName());
    private static final Duration END_DEADLINE = Duration.ofSeconds(40);

    private final Resident resident;
    private final Words words;
    private final ServiceManager manager = new ServiceManager(System.getenv(), System::nanoTime);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile boolean reload;
    private boolean ending;

    /**
     * What is said in the log.
     *
     * @param failed of a turn that failed for a fault of ours
     * @param late   when it does not end in time
     */
    public record Words(String failed, String late) {
    }

    public ResidentProcess(Resident resident, Words words) {
        this.resident = resident;
        this.words = words;
    }

    /**
     * Turns until a signal ends it. In this thread, and once.
     *
     * @throws IOException when a socket or the listening address cannot be had
     */
    public void run() throws IOException, InterruptedException {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(main), "end"));
        Signals.onHangup(() -> reload = true);
        try (ControlSocket control = socket(SocketPermissions.OPERATORS);
                ControlSocket looking = socket(SocketPermissions.READERS);
                HttpEndpoint http = resident.listen().orElse(null)) {
            resident.start();
            LOG.info(() -> "managing " + resident.manages() + (http == null ? "" : ", " + http.address()) + ", " + control.path()
                    + ", " + looking.path());
            manager.ready(resident.interval());
            turn();
        } finally {
            endUndisturbed();
            manager.stopping();
            resident.stop(stopping ? "ended by a signal" : "ended by an error");
        }
    }

    private ControlSocket socket(SocketPermissions access) throws IOException {
        return new ControlSocket(ControlSocket.beside(resident.journal(), access), resident.verbs(), access);
    }

    private void turn() {
        long next = System.nanoTime();
        while (!stopping) {
            manager.turned();
            try {
                next += resident.untilNext().toNanos();
                long wait = next - System.nanoTime();
                if (wait < 0) {
                    next = System.nanoTime();   // a turn that took longer than the interval is not made up for
                } else {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                if (reload) {
                    reload = false;
                    manager.reloading();
                    resident.readAgain();
                    manager.ready(resident.interval());
                }
                resident.turn();
            } catch (InterruptedException e) {
                continue;   // told to stop
            } catch (RuntimeException e) {
                LOG.log(Level.SEVERE, words.failed(), e);
            }
        }
    }

    /** From now on nothing interrupts us: the restore is not to be cut short by a signal that comes late. */
    private synchronized void endUndisturbed() {
        ending = true;
        Thread.interrupted();
    }

    private synchronized void stopTurning(Thread main) {
        stopping = true;
        if (!ending) {
            main.interrupt();
            resident.interrupt();
        }
    }

    /** Runs in the shutdown hook: the virtual machine ends when this returns. */
    private void end(Thread main) {
        stopTurning(main);
        try {
            // Not a join: the main thread goes on to System.exit, which waits for this very hook.
            if (!ended.await(END_DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                LOG.severe(words.late());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** All that the process has to do is done. */
    @Override
    public void close() {
        ended.countDown();
    }
}

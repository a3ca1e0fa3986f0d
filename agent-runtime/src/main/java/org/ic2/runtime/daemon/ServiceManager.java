// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What systemd is told of the agent (sd_notify(3)): that it is ready, reads its configuration again, ends, and that its
 * loop turns. Java has no Unix datagrams, so {@code systemd-notify} sends them. Without {@code NOTIFY_SOCKET} nothing is
 * sent; what cannot be sent is logged and changes nothing else.
 */
public final class ServiceManager {

    private static final Logger LOG = Logger.getLogger(ServiceManager.class.getName());
    private static final String ALIVE = "WATCHDOG=1";
    private static final long DEADLINE_SECONDS = 5;

    /** Signs of life in a watchdog's time: one may be lost, and a slow change may delay another. */
    private static final int SIGNS_OF_LIFE = 4;

    private final boolean listens;
    private final OptionalLong watchdog;
    private final LongSupplier nanoClock;
    private long lastSign;

    /**
     * @param environment of the process: {@code NOTIFY_SOCKET}, and {@code WATCHDOG_USEC} if the loop is watched
     * @param nanoClock   monotonic, ns
     */
    public ServiceManager(Map<String, String> environment, LongSupplier nanoClock) {
        listens = environment.containsKey("NOTIFY_SOCKET");
        String micros = environment.getOrDefault("WATCHDOG_USEC", "");
        watchdog = listens && micros.matches("[1-9]\\d{0,15}") ? OptionalLong.of(Long.parseLong(micros))
                : OptionalLong.empty();
        this.nanoClock = nanoClock;
    }

    /**
     * The agent knows what runs, and whoever asks is answered. Also after {@link #reloading}.
     *
     * @param interval between two turns of the loop; a long one makes the watchdog wait longer
     */
    public void ready(Duration interval) {
        if (watchdog.isPresent()) {
            long time = Math.max(watchdog.getAsLong(), SIGNS_OF_LIFE * TimeUnit.NANOSECONDS.toMicros(interval.toNanos()));
            tell("READY=1", ALIVE, "WATCHDOG_USEC=" + time);
        } else {
            tell("READY=1");
        }
        lastSign = nanoClock.getAsLong();
    }

    /** The configuration is read again. */
    public void reloading() {
        tell("RELOADING=1");
    }

    /** The agent ends; until it has ended, the baseline is being restored. */
    public void stopping() {
        tell("STOPPING=1");
    }

    /** Between two turns of the loop: it does not hang. Waits for nothing, as the next turn is due. */
    public void turned() {
        if (watchdog.isPresent() && nanoClock.getAsLong() - lastSign
                >= TimeUnit.MICROSECONDS.toNanos(watchdog.getAsLong()) / SIGNS_OF_LIFE) {
            lastSign = nanoClock.getAsLong();
            send(ALIVE);
        }
    }

    /** Sends and waits, so that what follows is not overtaken. */
    private void tell(String... assignments) {
        Process sender = listens ? send(assignments) : null;
        try {
            if (sender != null && !sender.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warning("systemd-notify " + assignments[0] + " did not end within " + DEADLINE_SECONDS + " s");
                sender.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Process send(String... assignments) {
        List<String> command = new ArrayList<>(List.of("systemd-notify"));
        command.addAll(List.of(assignments));
        try {
            return new ProcessBuilder(command).inheritIO().start();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "systemd cannot be told {0}: {1}", new Object[] {assignments[0], e.getMessage()});
            return null;
        }
    }
}

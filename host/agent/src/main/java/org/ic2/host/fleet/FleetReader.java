// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.FleetFile.Member;
import org.ic2.host.control.FleetHost;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.KeyedTaskRunner;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.yaml.Durations;

/**
 * Asks the other hosts of a fleet for the status of their {@code ic2-host}, beside whoever asks: a file system or a tunnel that does
 * not answer holds up its own host's figures alone. Not thread-safe.
 */
public final class FleetReader implements AutoCloseable {
    /** A page that takes longer is none. */
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int STACK_BYTES = 256 * 1024;

    private final FleetFile fleet;
    private final Duration deadline;
    private final Beside beside;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    /** Where what may take its time is done; it waits a while. */
    interface Beside {
        void run(Map<String, Runnable> errands) throws InterruptedException;

        default void close() {
            // nothing goes on
        }
    }

    /** Figures, or why there are none. */
    private record Answer(List<FleetHost> host, String problem) {
    }

    /**
     * What was found.
     *
     * @param hosts  those that told
     * @param silent why others did not, a line for each
     */
    public record Told(List<FleetHost> hosts, List<String> silent) {
        public Told {
            hosts = List.copyOf(hosts);
            silent = List.copyOf(silent);
        }
    }

    /** @param patience how long {@link #ask} waits for answers */
    public FleetReader(FleetFile fleet, Duration patience) {
        this(fleet, patience, DEADLINE);
    }

    FleetReader(FleetFile fleet, Duration patience, Duration deadline) {
        this(fleet, beside(new KeyedTaskRunner(patience)), deadline);
    }

    FleetReader(FleetFile fleet, Beside beside, Duration deadline) {
        this.fleet = fleet;
        this.beside = beside;
        this.deadline = deadline;
    }

    private static Beside beside(KeyedTaskRunner errands) {
        return new Beside() {
            @Override
            public void run(Map<String, Runnable> several) throws InterruptedException {
                errands.run(several);
            }

            @Override
            public void close() {
                errands.close();
            }
        };
    }

    /** Asks all. Of those that have not answered yet the figures before count, which are as old as they say. */
    public Told ask() throws InterruptedException {
        Map<String, Runnable> asked = new LinkedHashMap<>();
        for (Member member : fleet.others()) {
            asked.put(member.name(), () -> answers.put(member.name(), answer(member)));
        }
        beside.run(asked);
        List<FleetHost> hosts = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        for (Member member : fleet.others()) {
            Answer answer = answers.getOrDefault(member.name(), new Answer(List.of(), "no answer yet"));
            hosts.addAll(answer.host());
            if (answer.host().isEmpty()) {
                silent.add(member.name() + ": " + member.where() + ": " + answer.problem());
            }
        }
        return new Told(hosts, silent);
    }

    private Answer answer(Member member) {
        try {
            return new Answer(List.of(FleetJson.read(member.name(), text(member))), "");
        } catch (IOException e) {
            return new Answer(List.of(), said(member, e));
        } catch (RuntimeException e) {
            return new Answer(List.of(), e.toString());
        }
    }

    /** Errors of files begin with what stands before them already. */
    private static String said(Member member, IOException error) {
        String message = BoundedText.brief(String.valueOf(error.getMessage()));
        return message.startsWith(member.where() + ": ") ? message.substring(member.where().length() + 2) : message;
    }

    private String text(Member member) throws IOException {
        return member.file().isPresent() ? BoundedText.file(member.file().get(), BoundedText.FILE_BYTES, StandardCharsets.UTF_8)
                : page(member.url().orElseThrow());
    }

    private String page(String url) throws IOException {
        FutureTask<String> fetch = new FutureTask<>(() -> new HttpGet(new LocalHost(), url).fetch());
        Thread thread = new Thread(null, fetch, "asks " + url, STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        try {
            return fetch.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            fetch.cancel(true);
            throw new IOException("no answer within " + Durations.format(deadline), e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException why ? why : new IOException(e.getCause().toString(), e);
        } catch (InterruptedException e) {
            fetch.cancel(true);
            throw new IOException("interrupted", e);
        }
    }

    /** Asks no more. */
    @Override
    public void close() {
        beside.close();
    }
}

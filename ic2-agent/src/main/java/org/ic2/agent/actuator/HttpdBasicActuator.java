// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.Prerequisites;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * MaxRequestWorkers and KeepAliveTimeout of an unpatched httpd: edits the file of tunables that httpd.conf includes
 * and restarts gracefully (the paper's httpd-basic). Each change ends kept-alive connections, and the new value of
 * MaxRequestWorkers takes seconds; hence a cool-down of its own.
 *
 * <p>An unpatched httpd does not tell its running values: what is read back is the file, and that the server has
 * started a new generation of children since.
 */
public final class HttpdBasicActuator implements Actuator {

    private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(10);
    private static final Duration GENERATION_DEADLINE = Duration.ofSeconds(10);
    private static final int POLL_MILLIS = 100;
    private static final DirectiveFile WORKERS = new DirectiveFile("MaxRequestWorkers", " ");
    private static final DirectiveFile TIMEOUT = new DirectiveFile("KeepAliveTimeout", " ");

    private final Host host;
    private final List<String> command;
    private final String tunables;
    private final Optional<HttpGet> page;
    private final Duration coolDown;

    /**
     * @param command  the words before {@code graceful}: {@code apachectl -k}
     * @param tunables the file that sets both directives
     * @param page     mod_status, to see the new generation; empty: the command's exit status must do
     */
    HttpdBasicActuator(Host host, List<String> command, String tunables, Optional<HttpGet> page, Duration coolDown) {
        this.host = host;
        this.command = command;
        this.tunables = tunables;
        this.page = page;
        this.coolDown = coolDown;
    }

    @Override
    public String name() {
        return "httpd-basic (" + command.get(0) + ", " + tunables + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        String text = host.read(tunables);
        Map<Knob, Integer> values = new HashMap<>();
        WORKERS.value(text).filter(value -> value.matches("\\d{1,9}"))
                .ifPresent(value -> values.put(Lever.MAX_REQUEST_WORKERS, Integer.valueOf(value)));
        TIMEOUT.value(text).ifPresent(value -> {
            if (value.matches("\\d{1,6}")) {
                values.put(Lever.KEEP_ALIVE_TIMEOUT, 1000 * Integer.parseInt(value));
            } else if (value.matches("\\d{1,9}ms")) {
                values.put(Lever.KEEP_ALIVE_TIMEOUT, Integer.valueOf(value.substring(0, value.length() - 2)));
            }
        });
        return Settings.of(values);
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        String before;
        OptionalInt generation;
        try {
            before = host.read(tunables);
            generation = generation();
        } catch (IOException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
        String after = before;
        if (values.has(Lever.MAX_REQUEST_WORKERS)) {
            after = WORKERS.with(after, Integer.toString(values.get(Lever.MAX_REQUEST_WORKERS)));
        }
        if (values.has(Lever.KEEP_ALIVE_TIMEOUT)) {
            after = TIMEOUT.with(after, values.get(Lever.KEEP_ALIVE_TIMEOUT) + "ms");
        }
        host.replace(tunables, after);
        List<String> words = new ArrayList<>(command);
        words.add("graceful");
        CommandResult result = host.run(words, COMMAND_DEADLINE);
        if (!result.succeeded()) {
            host.replace(tunables, before);
            throw NotDoneException.of(tunables + " was put back: \"" + String.join(" ", words) + "\" failed", result);
        }
        awaitNewGeneration(generation);
    }

    private OptionalInt generation() throws IOException, InterruptedException {
        return page.isPresent() ? ServerStatus.of(page.get()).integer("ParentServerMPMGeneration")
                : OptionalInt.empty();
    }

    private void awaitNewGeneration(OptionalInt before) throws IOException, InterruptedException {
        if (before.isEmpty()) {
            return;
        }
        long end = System.nanoTime() + GENERATION_DEADLINE.toNanos();
        while (System.nanoTime() < end) {
            try {
                OptionalInt now = generation();
                if (now.isPresent() && now.getAsInt() != before.getAsInt()) {
                    return;
                }
            } catch (IOException e) {
                // the listener's new generation is on its way
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        throw new IOException("httpd still runs generation " + before.getAsInt() + " "
                + GENERATION_DEADLINE.toSeconds() + " s after the graceful restart");
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        Prerequisites.command(host, command);
        Prerequisites.replaceable(host, tunables);
        generation();
    }

    @Override
    public Duration applyTime() {
        return COMMAND_DEADLINE.plus(GENERATION_DEADLINE);
    }

    @Override
    public Duration settleTime() {
        return Duration.ofSeconds(1);
    }

    @Override
    public Duration coolDown() {
        return coolDown;
    }
}

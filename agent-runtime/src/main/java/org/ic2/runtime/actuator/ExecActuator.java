// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * One lever of any other server, such as the size of an application server's thread pool, through two commands of the
 * administrator. No shell is involved; the only thing that is ever put into a command is an integer, in place of
 * {@link #PLACEHOLDER}.
 */
public final class ExecActuator implements Actuator {

    /** Stands for the value in the words of the command that sets it. */
    public static final String PLACEHOLDER = "{value}";

    private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(10);
    private static final Duration GET_DEADLINE = Duration.ofSeconds(3);
    private static final Duration SETTLE_TIME = Duration.ofSeconds(5);
    private static final Pattern INTEGER = Pattern.compile("(?<![\\w.])\\d{1,9}(?![\\w.])");

    private final Host host;
    private final Knob lever;
    private final List<String> set;
    private final List<String> get;
    private final Duration coolDown;

    /**
     * @param set a command with {@link #PLACEHOLDER} in one of its words
     * @param get a command whose last integer of output is the running value
     */
    public ExecActuator(Host host, Knob lever, List<String> set, List<String> get, Duration coolDown) {
        this.host = host;
        this.lever = lever;
        this.set = set;
        this.get = get;
        this.coolDown = coolDown;
    }

    @Override
    public String name() {
        return "exec (" + set.get(0) + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(lever);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        CommandResult result = host.run(get, GET_DEADLINE);
        Matcher integers = INTEGER.matcher(result.all());
        String last = null;
        while (integers.find()) {
            last = integers.group();
        }
        if (!result.succeeded() || last == null) {
            throw new IOException(get.get(0) + " did not print the running value (status " + result.exitStatus() + "): "
                    + result.lastLine());
        }
        return Settings.of(lever, Integer.valueOf(last));
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        String value = Integer.toString(values.get(lever));
        List<String> words = set.stream().map(word -> word.replace(PLACEHOLDER, value)).toList();
        CommandResult result = host.run(words, COMMAND_DEADLINE);
        if (!result.succeeded()) {
            throw NotDoneException.of(words.get(0) + " failed", result);
        }
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        Prerequisites.command(host, set);
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }

    @Override
    public Duration coolDown() {
        return coolDown;
    }
}
